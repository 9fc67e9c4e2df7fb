// A CommonJS program that renews from a thread, and that closes nothing: it ends all the same.
//   node requiring-holder.cjs MODULE-PATH ADDRESSES

const [, , path, addresses] = process.argv;
const { connect } = require(path);

void connect({ nodes: addresses.split(','), keepAlive: 'worker', maxHoldMs: 60_000 }).then(
  async (client) => {
    const grant = await client.lock('a').acquire();
    process.stdout.write(`${grant.held()}\n`);
    await client.close();
  },
);
