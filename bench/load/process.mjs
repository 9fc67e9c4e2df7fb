// A process that makes load. It is told which program to prepare, then which of its methods to
// call; each answer carries what the call took of the processor.

import { memoryUsage } from 'node:process';

const MIB = 1024 * 1024;

const receiver = { load: null };

async function call(method, args) {
  if (method !== 'prepare') return receiver.load[method](...args);
  const [program, spec] = args;
  const { prepare } = await import(`./${program}.mjs`);
  receiver.load = await prepare(spec);
  return null;
}

async function answer({ id, method, args }) {
  const before = process.cpuUsage();
  try {
    const value = await call(method, args);
    const { user, system } = process.cpuUsage(before);
    const residentMib = Math.round(memoryUsage.rss() / MIB);
    process.send({ id, value, cpuSeconds: (user + system) / 1e6, residentMib });
  } catch (error) {
    process.send({ id, error: `${method}: ${error.stack ?? error}` });
  }
}

process.on('message', (message) => void answer(message));
process.on('disconnect', () => process.exit());
