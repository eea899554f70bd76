package gateway

import "github.com/understudy-rpc/understudy/internal/config"

// deniedMethods are refused unless the configuration allows them: what moves or
// shows keys, changes or stops the node, or costs it much. They are in lower
// case.
var deniedMethods = map[config.Kind][]string{
	// Bitcoin Core's categories wallet, control, network and mining, with the
	// names of btcd and of older versions. Reading by address belongs to the
	// wallet as well.
	config.Bitcoin: {
		"stop", "addnode", "onetry", "disconnectnode", "setban", "clearbanned", "setnetworkactive", "addpeeraddress",
		"addconnection", "sendmsgtopeer", "generate*", "setgenerate", "invalidateblock", "reconsiderblock",
		"preciousblock", "pruneblockchain", "savemempool", "importmempool", "loadtxoutset", "dumptxoutset",
		"scantxoutset", "scanblocks", "prioritisetransaction", "submitblock", "submitheader", "logging", "echo*",
		"mockscheduler", "setmocktime", "syncwithvalidationinterfacequeue", "verifychain", "debuglevel", "node",
		"getmemoryinfo", "gettxoutsetinfo",
		"abandontransaction", "abortrescan", "addmultisigaddress", "addwitnessaddress", "backupwallet", "bumpfee",
		"psbtbumpfee", "createwallet*", "createnewaccount", "createencryptedwallet", "dumpprivkey", "dumpwallet",
		"encryptwallet", "fundrawtransaction", "getaccount*", "getaddressesby*", "getaddressinfo", "getbalance*",
		"gethdkeys", "getnewaddress", "getrawchangeaddress", "getreceivedby*", "gettransaction",
		"getunconfirmedbalance", "getwalletinfo", "import*", "keypoolrefill", "listaccounts", "listaddressgroupings",
		"listdescriptors", "listlabels", "listlockunspent", "listreceivedby*", "listsinceblock", "listtransactions",
		"listalltransactions", "listunspent", "listwalletdir", "listwallets", "loadwallet", "lockunspent",
		"migratewallet", "move", "newkeypool", "removeprunedfunds", "renameaccount", "rescanblockchain",
		"restorewallet", "resendwallettransactions", "send", "sendall", "sendfrom", "sendmany", "sendtoaddress",
		"sethdseed", "setaccount", "setlabel", "settxfee", "setwalletflag", "signmessage*", "signrawtransaction*",
		"simulaterawtransaction", "unloadwallet", "upgradewallet", "wallet*", "/wallet/*", "/rest/*",
	},
	// The namespaces of go-ethereum, Erigon, Besu, Nethermind, Avalanche and the
	// development nodes; and the methods of eth that need a key in the node.
	config.EVM: {
		"admin_*", "admin.*", "personal_*", "debug_*", "miner_*", "clique_*", "engine_*", "istanbul_*", "ibft_*",
		"qbft_*", "perm_*", "priv_*", "parity_*", "signer_*", "account_*", "wallet_*", "db_*", "shh_*", "les_*",
		"anvil_*", "hardhat_*", "evm_*", "tenderly_*", "ots_*", "eth_sendtransaction", "eth_sign*", "eth_submitwork",
		"eth_submithashrate", "eth_getwork", "eth_resend", "eth_accounts", "eth_coinbase",
	},
	// CometBFT's unsafe routes, as methods and as paths.
	config.Cosmos: {
		"unsafe_*", "dial_seeds", "dial_peers", "unsafe*", "/unsafe*", "/dial_seeds", "/dial_peers",
	},
	// The admin and signing commands of xrpld, and batch, which has calls of any
	// method in its parameters.
	config.XRPL: {
		"batch", "stop", "sign", "sign_for", "wallet_propose", "channel_authorize", "ledger_accept", "ledger_cleaner",
		"ledger_request", "log_level", "logrotate", "peer_reservations_*", "connect", "can_delete", "consensus_info",
		"validation_create", "validation_seed", "validator_*", "validators", "unl_*", "feature", "fetch_info",
		"get_counts", "print", "crawl_shards", "download_shard", "node_to_shard", "tx_reduce_relay", "blacklist",
		"black_list", "simulate_fault", "internal",
	},
	// java-tron's calls that take or make a private key.
	config.Tron: {
		"/wallet/createaddress", "/wallet/generateaddress", "/wallet/easytransfer*", "/wallet/gettransactionsign",
		"/wallet/addtransactionsign", "/wallet/getexpandedspendingkey", "/wallet/getspendingkey",
		"/wallet/createspendauthsig", "/wallet/createshieldnullifier", "/wallet/getnewshieldedaddress",
		"/wallet/getincomingviewingkey", "/wallet/getnkfromnsk", "/wallet/getakfromask", "/net/*", "/monitor/*",
	},
	config.Solana: {
		"validatorexit", "setlogfilter", "setidentity*", "addauthorizedvoter*", "removeallauthorizedvoters",
		"requestairdrop", "exit",
	},
	config.Stellar: {"/friendbot*"},
}
