#!/usr/bin/env node
// Starts the program. CommonJS, because the size of libuv's thread pool must be set before
// anything uses it: inside an ES module it is too late. A node's writes and syncs run in that
// pool, and four threads would make a vote wait behind a checkpoint. Only `node` needs it; other
// commands leave their environment, which children inherit, as it is.

const POOL_SIZE_MIN = 16;
const NODE_VERSION_MIN = [20, 19] as const;

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < NODE_VERSION_MIN[0] || (major === NODE_VERSION_MIN[0] && minor < NODE_VERSION_MIN[1])) {
  const required = NODE_VERSION_MIN.join('.');
  process.stderr.write(`holdfast: CONFIG: needs Node.js ${required}, runs on ${process.version}\n`);
  process.exit(78);
}
if (process.argv[2] === 'node') {
  const given = Number(process.env['UV_THREADPOOL_SIZE'] ?? 0);
  if (!(given >= POOL_SIZE_MIN)) process.env['UV_THREADPOOL_SIZE'] = String(POOL_SIZE_MIN);
}

void import('./main.ts').then(async ({ main }) => {
  process.exit(await main(process.argv.slice(2)));
});
