// What goes wrong in a month: one thing at a time, for so long that the others go on without.

import type { SimNode } from '../cluster-node.ts';
import type { Undo } from '../world/direction.ts';
import type { Era } from './era.ts';
import { MINUTE_MS } from './settings.ts';

/** Whoever is away for so long finds a log that begins after what it has. */
const LONG_MS = 25 * MINUTE_MS;
const SHORT_MS = 3 * MINUTE_MS;
/** Of three absences two are long. */
const LONG_OF_THREE = 2;

const SLOW_DISK_US = 30_000;
const LOST_PER_MILLE = 100;

/** A node is killed, or its machine loses power, and comes back. */
export async function killOne(era: Era, act: number, how: 'crash' | 'losePower'): Promise<void> {
  const node = pick(era, act);
  node[how]();
  await away(era, act);
  node.start();
  await era.settle();
}

/** All nodes lose power. */
export async function killAll(era: Era): Promise<void> {
  const nodes = era.cluster.members();
  for (const node of nodes) node.losePower();
  await era.cluster.runFor(SHORT_MS);
  for (const node of nodes) node.start();
  await era.settle();
}

/** Nothing gets to a node or from it. */
export function isolateOne(era: Era, act: number): Promise<void> {
  const { world } = era.cluster;
  const { id } = pick(era, act);
  return during(era, act, () =>
    others(era, id).flatMap((other) => [
      world.network.impair(id, other, { isCut: true }),
      world.network.impair(other, id, { isCut: true }),
    ]),
  );
}

/** A node stands still. */
export function pauseOne(era: Era, act: number): Promise<void> {
  const node = pick(era, act);
  return during(era, act, () => {
    node.pause();
    return [() => node.resume()];
  });
}

/** Every write of a node takes its time. */
export function slowDisk(era: Era, act: number): Promise<void> {
  const { disk } = pick(era, act);
  return during(era, act, () => {
    disk.extraDelayUs += SLOW_DISK_US;
    return [() => void (disk.extraDelayUs -= SLOW_DISK_US)];
  });
}

/** Frames between nodes are lost, doubled and overtaken. */
export function badNetwork(era: Era, act: number): Promise<void> {
  const { network } = era.cluster.world;
  const ids = era.cluster.members().map(({ id }) => id);
  const bad = { lossPerMille: LOST_PER_MILLE, duplicatePerMille: 50, reorderPerMille: 50 };
  return during(era, act, () =>
    ids.flatMap((from) =>
      ids.filter((to) => to !== from).map((to) => network.impair(from, to, bad)),
    ),
  );
}

/** The process of a client is killed with all that it holds, and another one takes its place. */
export async function killClient(era: Era, act: number): Promise<void> {
  const worker = era.workers[era.draw(era.workers.length, 'which worker', act)];
  worker?.crash();
  await era.cluster.runFor(SHORT_MS);
  worker?.start();
}

/** A member, every third time the one that leads. */
export function pick(era: Era, act: number): SimNode {
  const { cluster } = era;
  const leader = cluster.leader();
  if (leader !== null && era.draw(3, 'the leader', act) === 0) return cluster.node(leader);
  const ids = cluster.voters().map(({ id }) => id);
  return cluster.node(ids[era.draw(ids.length, 'which node', act)] ?? '');
}

async function during(era: Era, act: number, begin: () => readonly Undo[]): Promise<void> {
  const undos = begin();
  await away(era, act);
  for (const undo of undos) undo();
  await era.settle();
}

async function away(era: Era, act: number): Promise<void> {
  const isLong = era.draw(3, 'how long', act) < LONG_OF_THREE;
  await era.cluster.runFor(isLong ? LONG_MS : SHORT_MS);
}

function others({ cluster, workers }: Era, id: string): readonly string[] {
  const nodes = cluster.all().map((node) => node.id);
  const clients = workers.map(({ client }) => client.name);
  return [...nodes, ...clients, 'keeper', 'operator'].filter((name) => name !== id);
}
