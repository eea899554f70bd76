// A Soroban keeper's calls through the gateway, over and over until the standard
// input ends: one line of JSON for each round, with what went wrong in it.
'use strict';

const {
  Account, Asset, BASE_FEE, Contract, Keypair, Operation, TransactionBuilder, rpc,
} = require('@stellar/stellar-sdk');

const server = new rpc.Server(process.argv[2], { allowHttp: true });
const keys = Keypair.fromRawEd25519Seed(Buffer.alloc(32, 7));
const contract = 'CA3D5KRYM6CB7OWQ6TWYRR3Z4T7GNZLKERYNZGGA5SOAOPIFY6YQGAXE';

let going = true;
process.stdin.on('end', () => { going = false; });
process.stdin.resume();

// calls are what a keeper does in one round, in its order.
const calls = {
  async getHealth() {
    const { status } = await server.getHealth();
    if (status !== 'healthy') throw new Error(`status ${status}`);
  },
  async getNetwork(seen) { seen.passphrase = (await server.getNetwork()).passphrase; },
  async getLatestLedger(seen) {
    const { id, sequence } = await server.getLatestLedger();
    seen.ledger = sequence;
    seen.blocks.push({ height: sequence, hash: id });
  },
  async getAccount() { await server.getAccount(keys.publicKey()); },
  async simulateTransaction(seen) {
    const answer = await server.simulateTransaction(built(seen, new Contract(contract).call('harvest')));
    if (rpc.Api.isSimulationError(answer)) throw new Error(answer.error);
  },
  async sendTransaction(seen) {
    const transaction = built(seen, Operation.payment({
      destination: keys.publicKey(), asset: Asset.native(), amount: '1',
    }));
    transaction.sign(keys);
    const { status } = await server.sendTransaction(transaction);
    if (status !== 'PENDING' && status !== 'DUPLICATE') throw new Error(`status ${status}`);
  },
  async getEvents(seen) {
    const answer = await server.getEvents({ startLedger: seen.ledger - 5, filters: [], limit: 10 });
    if (!Array.isArray(answer.events)) throw new Error('no events');
  },
};

function built(seen, operation) {
  const account = new Account(keys.publicKey(), String(seen.round));
  return new TransactionBuilder(account, { fee: BASE_FEE, networkPassphrase: seen.passphrase })
    .addOperation(operation).setTimeout(60).build();
}

async function run() {
  for (let round = 1; going; round += 1) {
    const seen = { round, blocks: [] };
    const errors = [];
    for (const [name, call] of Object.entries(calls)) {
      try {
        await call(seen);
      } catch (err) {
        errors.push(`${name}: ${err && err.message ? err.message : JSON.stringify(err)}`);
      }
    }
    console.log(JSON.stringify({ round, blocks: seen.blocks, errors }));
    await new Promise((resolve) => { setTimeout(resolve, 50); });
  }
}

run();
