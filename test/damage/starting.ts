// Starts a real node process on a directory, under the eyes of the others.

import { join } from 'node:path';
import { vi } from 'vitest';
import { silentLogger } from '../../src/ports/logger.ts';
import { loadConfig } from '../../src/server/config.ts';
import { exitCodeOf } from '../../src/server/exit.ts';
import { freeAddresses } from '../../src/server/free-addresses.ts';
import { startNode } from '../../src/server/server.ts';
import type { PeerMessage } from '../../src/wire/peer-messages.ts';
import type { CliResult } from '../cli/cli.ts';
import { CLUSTER_NAME, spawnNode, writeConfigFile } from './directories.ts';
import type { LogEnd, Observer } from './observer.ts';

/** The node to start: its directory is `root/data/<id>`. */
export interface Start {
  readonly root: string;
  readonly id: string;
  /** Of the cluster that the node is told to belong to. */
  readonly name?: string;
  /** What its log ended with before it was damaged. */
  readonly end: LogEnd;
}

/** How a start went. */
export interface Started extends CliResult {
  /** What the node said to the others, greetings too. */
  readonly heard: readonly PeerMessage[];
  /** True when it voted and acknowledged; it was stopped then. */
  readonly isMember: boolean;
}

const WAIT = { timeout: 30_000, interval: 10 } as const;

/**
 * Starts the node and asks for its vote until it ends, or has shown what it is: by default by a
 * vote and an acknowledgement. Stopped then by SIGTERM.
 */
export async function startObserved(
  observer: Observer,
  start: Start,
  hasShown: (observer: Observer) => boolean = ({ isMember }) => isMember,
): Promise<Started> {
  const { root, id, name = CLUSTER_NAME, end } = start;
  const [address = ''] = await freeAddresses(1);
  const config = writeConfigFile(root, { name, nodes: [{ id, address }] });
  const node = spawnNode({ config, data: join(root, 'data'), id });
  let isOver = false;
  void node.ended.then(() => (isOver = true));
  try {
    await vi.waitUntil(() => {
      observer.ask(address, end);
      return isOver || hasShown(observer);
    }, WAIT);
    const { isMember } = observer;
    if (!isOver) node.signal('SIGTERM');
    return { ...(await node.ended), heard: [...observer.heard], isMember };
  } finally {
    node.signal('SIGKILL');
    await node.ended;
    observer.forget();
  }
}

/** The line with which a command ends that failed. */
export function lastWord({ stderr }: CliResult): string {
  return stderr.split('\n').find((line) => line.startsWith('holdfast: ')) ?? '';
}

/** Starts the node once more, in this process and without witnesses; its exit code. */
export async function startAgain({ root, id }: Start): Promise<number> {
  try {
    const config = loadConfig(join(root, 'cluster.config.json'));
    const node = await startNode({ config, id, dataDir: join(root, 'data'), logger: silentLogger });
    await node.stop();
    return 0;
  } catch (error) {
    return exitCodeOf(error);
  }
}
