// A program that holds a lock and keeps its event loop busy, as its own process: it uses the
// package as it was built. Says what it sees, one line of JSON at a time.
//   node busy-holder.mjs MODULE ADDRESSES KEEP-ALIVE BUSY-MS MAX-HOLD-MS

const [, , module, addresses, keepAlive, busyMs, maxHoldMs] = process.argv;

const { connect } = await import(module);
const say = (seen) => process.stdout.write(`${JSON.stringify(seen)}\n`);

const client = await connect({
  nodes: addresses.split(','),
  ttlMs: 2_000,
  keepAlive,
  maxHoldMs: Number(maxHoldMs),
});
const grant = await client.lock('a').acquire();
const { signal } = grant;
say({ event: 'held', token: grant.token });

const startMs = Date.now();
while (Date.now() - startMs < Number(busyMs));
// In the same turn: nothing of the library has run since.
const isAborted = grant.signal.aborted;
const { code, details } = grant.signal.reason ?? {};
// Between two immediates all timers run that are due.
await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
say({ event: 'seen', isAborted: isAborted && signal.aborted, isHeld: grant.held(), code, details });
// Keeps what it has until it is told to go, so that its watcher need not be quick.
process.stdin.resume();
await new Promise((resolve) => process.stdin.once('end', resolve));
await client.close();
say({ event: 'closed' });
