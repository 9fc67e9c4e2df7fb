import { loadConfig } from '../server/config.ts';
import { exitError } from '../server/exit.ts';
import { startNode } from '../server/server.ts';
import { waitForEnd } from '../server/shutdown.ts';
import type { NodeOptions } from './node.ts';

/** Runs a node until a signal or its own end. Rejects with an error that has the exit code. */
export async function runNode(options: NodeOptions): Promise<void> {
  const { id, config: file, data, insecure = false } = options;
  const config = loadConfig(file, { insecure });
  const node = await startNode({ config, id, ...(data === undefined ? {} : { dataDir: data }) });
  const exit = await waitForEnd(node);
  if (exit.exitCode !== 0) throw exitError(exit);
}
