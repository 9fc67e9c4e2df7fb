// What operators do in a month, with what the command line uses, while clients work.

import { HoldfastError } from '../../src/base/error.ts';
import type { ErrorCode } from '../../src/base/error.ts';
import type { NodeId } from '../../src/base/units.ts';
import type { Admin, MembershipStep } from '../../src/client/admin.ts';
import type { SimNode } from '../cluster-node.ts';
import { Pending } from '../pending.ts';
import type { Era } from './era.ts';
import { pick } from './faults.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from './settings.ts';
import { watchOver } from './waiting.ts';

/** What is in the way now, and may be gone when it is asked again. */
const PASSING: ReadonlySet<ErrorCode> = new Set([
  'CHANGE_PENDING',
  'NOT_CAUGHT_UP',
  'NOT_LEADER',
  'UNAVAILABLE',
  'OUTCOME_UNKNOWN',
] as const);
const TRIES_MAX = 20;
const PAUSE_MS = 10 * SECOND_MS;

/** A member gives its place to a blank machine; it leaves for good, or was gone before. */
export async function replaceOne(era: Era, act: number, isDead: boolean): Promise<void> {
  const { cluster, plan } = era;
  const { id } = pick(era, act);
  if (isDead) cluster.node(id).takeAway();
  const by = await addStarted(era);
  const step = {
    step: 'replace',
    nodeId: id,
    by: addressed(era, by),
    expectedIndex: null,
  } as const;
  await change(era, step);
  cluster.node(id).takeAway();
  await era.settle();
  plan.tally.replacements++;
  plan.tally.joins++;
}

/** Two more members for a while, then two fewer, of which one was there before. */
export async function growAndShrink(era: Era, act: number): Promise<void> {
  const leaving = [pick(era, act).id];
  for (let more = 0; more < 2; more++) {
    const { nodeId, address } = addressed(era, await addStarted(era));
    const isVoter = true;
    await change(era, { step: 'addMember', nodeId, address, isVoter, expectedIndex: null });
    era.plan.tally.joins++;
    if (leaving.length < 2) leaving.push(nodeId);
  }
  await era.cluster.runFor(MINUTE_MS);
  for (const nodeId of leaving) {
    await change(era, { step: 'removeMember', nodeId, expectedIndex: null });
    era.cluster.node(nodeId).takeAway();
  }
  await era.settle();
}

/** Another node leads. */
export async function transfer(era: Era): Promise<void> {
  await patiently(era, 'a transfer', (admin) => admin.transfer(null));
  await era.settle();
}

/** Every node is stopped as by SIGTERM and started again, one after the other. */
export async function rollingRestart(era: Era): Promise<void> {
  for (const node of era.cluster.members()) {
    await stop(era, node);
    node.start();
    await era.settle();
  }
}

async function stop({ cluster }: Era, node: SimNode): Promise<void> {
  const stopped = new Pending<null>();
  node.call((host) => host.stop(() => stopped.settle(null, cluster.world.nowUs)));
  await watchOver(cluster, `the stop of ${node.id}`, () => stopped.isSettled, HOUR_MS);
  node.crash();
}

async function addStarted(era: Era): Promise<NodeId> {
  const id = era.addBlank();
  await watchOver(era.cluster, `a blank ${id}`, () => era.cluster.node(id).isStarted, MINUTE_MS);
  return id;
}

function addressed({ cluster }: Era, id: NodeId): { nodeId: NodeId; address: string } {
  return { nodeId: id, address: cluster.node(id).address };
}

async function change(era: Era, step: MembershipStep): Promise<void> {
  await patiently(era, `${step.step} ${step.nodeId}`, (admin) => admin.change(step, () => {}));
}

/** What is refused for now is asked again a little later. */
async function patiently<T>(
  { cluster, operator }: Era,
  what: string,
  ask: (admin: Admin) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await operator.administer(what, ask);
    } catch (error) {
      const isPassing = HoldfastError.is(error) && PASSING.has(error.code);
      if (!isPassing || tries === TRIES_MAX) throw error;
    }
    await cluster.runFor(PAUSE_MS);
  }
}
