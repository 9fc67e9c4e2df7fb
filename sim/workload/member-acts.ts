// What operators do to a cluster: machines come and go, and another node leads. They use what the
// command line uses, and ask again what was refused for now.

import { HoldfastError } from '../../src/base/error.ts';
import type { ErrorCode } from '../../src/base/error.ts';
import type { NodeId } from '../../src/base/units.ts';
import type { Admin, MembershipStep } from '../../src/client/admin.ts';
import type { MemberView, MembershipView } from '../../src/wire/client-messages.ts';
import { US_PER_MS } from '../../src/base/units.ts';
import { newcomerClock } from '../script/cluster-options.ts';
import { newcomerName } from '../script/names.ts';
import { track } from './scene.ts';
import type { Scene } from './scene.ts';

/** Then an operator leaves it as it is. */
const LIMIT_MS = 6_000;
const PAUSE_MS = 150;
/** How long it takes until a new machine listens, at most, and how often that is looked for. */
const START_US_MAX = 100_000;
const START_LOOK_US = 500;
/** Fewer voters than that are taken away from now and then only. */
const VOTERS_MIN = 4;
const BELOW_MIN_ONE_IN = 4;

// What is in the way now, and may be gone when it is asked again.
const PASSING: readonly ErrorCode[] = ['CHANGE_PENDING', 'NOT_CAUGHT_UP', 'NOT_LEADER'];
// INVALID: another operator was faster, or the one to lead is no voter.
const CODES: readonly ErrorCode[] = [...PASSING, 'INVALID', 'MEMBERS_CHANGED', 'OUTCOME_UNKNOWN'];

/** A new machine joins. */
export function addMember(scene: Scene): Promise<void> {
  return administer(scene, async (admin) => {
    const { nodeId, address } = await newcomer(scene);
    const isVoter = scene.op.arg % 2 === 1;
    const step = { step: 'addMember', nodeId, address, isVoter, expectedIndex: null } as const;
    await change(scene, admin, step);
  });
}

/** The key-th learner becomes a voter. */
export function promoteMember(scene: Scene): Promise<void> {
  return administer(scene, async (admin) => {
    const { members } = await look(scene, admin);
    const learners = members.filter(({ role }) => role === 'learner');
    const nodeId = learners[scene.op.key % learners.length]?.nodeId;
    if (nodeId === undefined) return;
    await change(scene, admin, { step: 'promote', nodeId, expectedIndex: null });
  });
}

/** A member leaves. */
export function removeMember(scene: Scene): Promise<void> {
  return administer(scene, async (admin) => {
    const view = await look(scene, admin);
    const member = meant(scene, view);
    const voters = view.members.filter(({ role }) => role === 'voter').length;
    const isAllowed = voters >= VOTERS_MIN || scene.op.id % BELOW_MIN_ONE_IN === 0;
    if (member === null || (member.role === 'voter' && !isAllowed)) return;
    const { nodeId } = member;
    const isDone = await change(scene, admin, {
      step: 'removeMember',
      nodeId,
      expectedIndex: null,
    });
    if (isDone) leaves(scene, nodeId);
  });
}

/** A member gives its place to a new machine. */
export function replaceMember(scene: Scene): Promise<void> {
  return administer(scene, async (admin) => {
    const member = meant(scene, await look(scene, admin));
    if (member === null) return;
    const by = await newcomer(scene);
    const { nodeId } = member;
    const isDone = await change(scene, admin, { step: 'replace', nodeId, by, expectedIndex: null });
    if (isDone) leaves(scene, nodeId);
  });
}

/** Another node leads, if it can. */
export function transferLeadership(scene: Scene): Promise<void> {
  return administer(scene, async (admin) => {
    const { op } = scene;
    const { members } = await look(scene, admin);
    const to = op.arg % 2 === 0 ? null : (members[op.key % members.length]?.nodeId ?? null);
    const limits = { codes: CODES, limitMs: LIMIT_MS };
    await track(scene, `let ${to ?? 'another'} lead`, limits, () => admin.transfer(to));
  });
}

/** Opens what an operator works with, for as long as it takes or an operator waits. */
export async function administer(
  scene: Scene,
  work: (admin: Admin) => Promise<void>,
): Promise<void> {
  const { own } = scene;
  const admin = own.openAdmin();
  const limit = own.clock.after(LIMIT_MS * US_PER_MS, () => admin.close());
  try {
    await work(admin);
  } finally {
    limit.cancel();
    admin.close();
  }
}

function look(scene: Scene, admin: Admin): Promise<MembershipView> {
  const limits = { codes: [], limitMs: LIMIT_MS };
  return track(scene, 'look at the membership', limits, () => admin.membership());
}

function meant({ op, stage }: Scene, { members }: MembershipView): MemberView | null {
  const leader = op.arg % 4 === 0 ? stage.cluster.leader() : null;
  const chosen = members.find(({ nodeId }) => nodeId === leader);
  return chosen ?? members[op.key % members.length] ?? null;
}

/** True when it is done; false when it was refused, and nothing came of it. */
async function change(scene: Scene, admin: Admin, step: MembershipStep): Promise<boolean> {
  const { own } = scene;
  const what = `${step.step} ${step.nodeId}`;
  const untilUs = own.clock.monoUs() + LIMIT_MS * US_PER_MS;
  for (;;) {
    try {
      const limits = { codes: CODES, limitMs: LIMIT_MS };
      await track(scene, what, limits, () => admin.change(step, () => {}));
      return true;
    } catch (error) {
      const isPassing = HoldfastError.is(error) && PASSING.includes(error.code);
      if (!isPassing || own.clock.monoUs() >= untilUs || scene.stage.isWindingDown()) return false;
      await own.sleep(PAUSE_MS);
    }
  }
}

// Machines are started and taken away from outside of all processes. The operator goes on when the
// new one says that it listens.
function newcomer({ stage, op, own }: Scene): Promise<{ nodeId: NodeId; address: string }> {
  const { cluster, world, script } = stage;
  const nodeId = newcomerName(op.id);
  const untilUs = world.nowUs + START_US_MAX;
  return new Promise((resolve) => {
    world.at(world.nowUs, () => {
      const node = cluster.addNode(nodeId, { clock: newcomerClock(script) });
      const look = (): void => {
        if (!node.isStarted && world.nowUs < untilUs) world.after(START_LOOK_US, look);
        else world.at(world.nowUs, () => own.clock.soon(() => resolve({ nodeId, address })));
      };
      const { address } = node;
      look();
    });
  });
}

// It goes on where a client hears nothing of all the changes and would know no member any more: an
// operator keeps a way to the cluster, such as a proxy, for programs with the addresses of old.
function leaves({ stage, op }: Scene, nodeId: NodeId): void {
  const { cluster, world, clients } = stage;
  if (op.arg % 2 !== 0) return;
  world.at(world.nowUs, () => {
    const others = cluster.members().filter(({ id }) => id !== nodeId);
    if (clients.every((client) => client.knowsAny(others))) cluster.node(nodeId).takeAway();
  });
}
