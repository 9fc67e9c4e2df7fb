import { stopWaiting } from '../adapters/output-file.ts';
import { loadConfig } from '../server/config.ts';
import { exitError } from '../server/exit.ts';
import { createConfiguredLogger } from '../server/logger.ts';
import { startNode } from '../server/server.ts';
import { waitForEnd } from '../server/shutdown.ts';
import { boundHeapGrowth } from './heap-growth.ts';
import type { NodeOptions } from './node.ts';
import { refuseOrphan } from './parent.ts';

const STDERR = 2;

/** Runs a node until a signal or its own end. Rejects with an error that has the exit code. */
export async function runNode(options: NodeOptions): Promise<void> {
  refuseOrphan();
  const { id, config: file, data, insecure = false } = options;
  const config = loadConfig(file, { insecure });
  stopWaiting(STDERR);
  boundHeapGrowth();
  const logger = createConfiguredLogger(config, id);
  try {
    const dataDir = data === undefined ? {} : { dataDir: data };
    const node = await startNode({ config, id, logger, hasProcess: true, ...dataDir });
    const exit = await waitForEnd(node);
    if (exit.exitCode !== 0) throw exitError(exit);
  } finally {
    logger.flush();
  }
}
