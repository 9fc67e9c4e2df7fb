// Shared locks, semaphores, several names in one request: who may have what together, and when.

import type { MutantGroup } from './types.ts';

const CROWD = 'src/locks/crowd.ts';
const GRANTING = 'src/locks/granting.ts';
const GIVING_UP = 'src/locks/giving-up.ts';

/** M-74, N-01 … N-05, N-11 … N-13, N-18, N-19, N-26. */
export const FAMILY: MutantGroup = {
  planted: [
    {
      id: 'M-74',
      title: 'finds the grant to release by its token alone',
      file: 'src/locks/naming.ts',
      find: `if (acquireSeq !== null) {
    const request = session`,
      replace: `const [first] = grantsOf(locks.find(name), token, null);
  if (first !== undefined) return [first];
  if (acquireSeq !== null) {
    const request = session`,
    },
    {
      id: 'N-01',
      title: 'lets a reader pass the writers that wait',
      file: GRANTING,
      find: `if (waiter !== null) return { name, holder: null, ghost: null, waiter };`,
      replace: `if (waiter !== null && need.mode !== 'shared') {
          return { name, holder: null, ghost: null, waiter };
        }`,
    },
    {
      id: 'N-02',
      title: 'grants an exclusive lock beside one that is shared',
      file: CROWD,
      find: `return mode === 'shared' && this.mode === 'shared';`,
      replace: `return this.mode === 'shared' || mode === 'shared';`,
    },
    {
      id: 'N-02b',
      title: 'grants a shared lock beside an exclusive one',
      file: GRANTING,
      find: `(need.mode === 'shared' && lock.holder.need.mode === 'shared');`,
      replace: `(need.mode === 'shared');`,
    },
    {
      id: 'N-03',
      title: 'grants one permit more than there are',
      file: CROWD,
      find: `permits[0] <= this.slots.free;`,
      replace: `permits[0] <= this.slots.free + 1;`,
    },
    {
      id: 'N-04',
      title: 'grants to the first waiter of a lock only, however many could share it',
      file: GRANTING,
      find: `for (const claim of request.claims) addHead(candidates, claim.lock);`,
      replace: ``,
    },
    {
      id: 'N-05',
      title: 'grants several names when the first of them is free',
      file: GRANTING,
      find: `first ??= obstacleAt(item, lock);`,
      replace: `if (item === items[0]) first = obstacleAt(item, lock);`,
    },
    {
      id: 'N-05b',
      title: 'grants several names to a waiter of which one is still held',
      file: GRANTING,
      find: `(claim) => headOf(claim.lock) === claim && isCompatible(claim.need, claim.lock),`,
      replace: `(claim, place) =>
          headOf(claim.lock) === claim && (place > 0 || isCompatible(claim.need, claim.lock)),`,
    },
    {
      id: 'N-05c',
      title: 'grants several names to a waiter that heads the queue of the first only',
      file: GRANTING,
      find: `(claim) => headOf(claim.lock) === claim && isCompatible(claim.need, claim.lock),`,
      replace: `(claim, place) =>
          (place > 0 || headOf(claim.lock) === claim) && isCompatible(claim.need, claim.lock),`,
    },
    {
      id: 'N-11',
      title: 'gives out the highest free slots first',
      file: 'src/locks/slot-pool.ts',
      find: `const run = this.runs.first();`,
      replace: `const run = this.runs.lastBelow({ from: this.total });`,
    },
    {
      id: 'N-11b',
      title: 'gives the slots of an expired holder to others during its lock-delay',
      file: CROWD,
      find: `replace(claim: Claim, ghost: Ghost): void {`,
      replace: `replace(claim: Claim, ghost: Ghost): void {
        this.slots?.giveBack(this.slotsOf(claim));`,
    },
    {
      id: 'N-12',
      title: 'takes a semaphore of another size for the same',
      file: 'src/locks/kinds.ts',
      find: `if (asked === inForce) return null;`,
      replace: `if ((asked === null) === (inForce === null)) return null;`,
    },
    {
      id: 'N-13',
      title: 'proclaims for whoever leads now',
      file: 'src/locks/proclaim.ts',
      find: `const grant = findGrant(step.state, session, command);`,
      replace: `const present = step.state.locks.find(command.name)?.holder?.request;
        const grant = present ?? findGrant(step.state, session, command);`,
    },
    {
      id: 'N-18',
      title: 'looks at no queue that a waiter has left, only at those of holders',
      file: 'src/locks/ending.ts',
      find: `touchLock(step, lock);`,
      replace: `if (request.isGranted()) touchLock(step, lock);`,
    },
    {
      id: 'N-19',
      title: 'breaks one of several grants with the same token',
      file: GIVING_UP,
      find: `for (const request of broken) endRequest(`,
      replace: `for (const request of broken.slice(0, 1)) endRequest(`,
    },
    {
      id: 'N-26',
      title: 'counts a semaphore as one, however many permits a session takes',
      file: 'src/locks/state.ts',
      find: `return permits === null ? 1 : permits[0];`,
      replace: `void permits;
        return 1;`,
    },
  ],
  unplanted: [],
};
