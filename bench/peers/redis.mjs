// One Redis that syncs every write before it answers.

import { freePorts, until } from '../../scripts/lib/local-cluster.mjs';
import { connectRedis } from '../lib/resp.mjs';

const SETTINGS = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'yes'];
const WRITES = ['set', 'evalsha'];

/** How many commands of the kinds that users send it has executed. */
function writesOf(info) {
  const calls = (command) =>
    Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(info)?.[1] ?? 0);
  return WRITES.reduce((sum, command) => sum + calls(command), 0);
}

/** Starts it in the directory. */
export async function startRedis(directory, launch) {
  const [port] = await freePorts(1);
  const args = ['--port', String(port), '--dir', directory, '--appendfsync', 'always'];
  launch('redis-server', [...SETTINGS, ...args]);
  const link = await until('Redis to listen', () => connectRedis(port).catch(() => null));
  return {
    port,
    position: async () => {
      const info = await link.ask('INFO', 'commandstats');
      return { id: 'redis', term: 0, applied: writesOf(info) };
    },
  };
}
