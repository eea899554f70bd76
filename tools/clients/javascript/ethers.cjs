// An Ethereum client's calls through the gateway, over and over until the
// standard input ends: one line of JSON for each round, with what went wrong.
'use strict';

const { JsonRpcProvider } = require('ethers');

const provider = new JsonRpcProvider(process.argv[2], Number(process.argv[3]), {
  staticNetwork: true, cacheTimeout: -1, batchMaxCount: 100,
});

let going = true;
process.stdin.on('end', () => { going = false; });
process.stdin.resume();

async function calls(seen) {
  seen.height = await provider.getBlockNumber();
  // These go out as one batch.
  const heights = Array.from({ length: 50 }, (_, i) => Math.max(0, seen.height - i));
  const blocks = await Promise.all(heights.map((height) => provider.getBlock(height)));
  for (let i = 0; i < blocks.length; i += 1) {
    if (!blocks[i] || blocks[i].number !== heights[i]) throw new Error(`no block ${heights[i]}`);
    seen.blocks.push({ height: heights[i], hash: blocks[i].hash });
  }
  await provider.getBalance(`0x${'11'.repeat(20)}`);
  await provider.getFeeData();
}

async function run() {
  for (let round = 1; going; round += 1) {
    const seen = { round, errors: [], blocks: [] };
    try {
      await calls(seen);
    } catch (err) {
      seen.errors.push(err.shortMessage || err.message);
    }
    console.log(JSON.stringify(seen));
    await new Promise((resolve) => { setTimeout(resolve, 50); });
  }
  provider.destroy();
}

run();
