// The lock-delay: what an expired session leaves behind, and for how long.

import type { MutantGroup } from './types.ts';

const ENDING = 'src/locks/ending.ts';
const OFFICE = 'src/node/office.ts';

/** N-06 … N-10, N-20. */
export const DELAYS: MutantGroup = {
  planted: [
    {
      id: 'N-06',
      title: 'keeps a lock closed after its holder gave it back',
      file: ENDING,
      find: `const isDelayed = ending.cause === 'expired' && request.session.lockDelayMs > 0;`,
      replace: `const isDelayed = request.session.lockDelayMs > 0;`,
    },
    {
      id: 'N-06b',
      title: 'keeps the locks of a session closed that was closed or ended by an operator',
      file: ENDING,
      find: `const isDelayed = ending.cause === 'expired' && request.session.lockDelayMs > 0;`,
      replace: `const isOver = ['expired', 'closed', 'ended'].includes(ending.cause);
        const isDelayed = isOver && request.session.lockDelayMs > 0;`,
    },
    {
      id: 'N-07',
      title: 'keeps no lock closed after an expiry',
      file: ENDING,
      find: `const isDelayed = ending.cause === 'expired' && request.session.lockDelayMs > 0;`,
      replace: `const isDelayed = false;`,
    },
    {
      id: 'N-09',
      title: 'grants what only a lock-delay keeps closed',
      file: 'src/locks/granting.ts',
      find: `if (lock.crowd !== null) return lock.crowd.isOpenTo(need);`,
      replace: `if (lock.crowd?.holders.size === 0) return true;
        if (lock.crowd !== null) return lock.crowd.isOpenTo(need);`,
    },
    {
      id: 'N-10',
      title: 'ends all lock-delays of a name with the first of them',
      file: 'src/locks/crowd.ts',
      find: `if (ghost.grant.closedAt !== closedAt) break;`,
      replace: ``,
    },
    {
      id: 'N-20',
      title: 'ends a lock-delay after half of it',
      file: OFFICE,
      find: `event.delayMs, this.freshUs());`,
      replace: `event.delayMs / 2, this.freshUs());`,
    },
  ],
  unplanted: [
    {
      id: 'N-08',
      title: 'ends a lock-delay by the decision of an earlier leader',
      because: 'equivalent',
      why:
        'as with expiries (M-55): nothing is ever forwarded, so an entry has the term of whoever ' +
        'decided it, or is refused; test/locks/lock-delay.test.ts applies one that differs',
    },
    {
      id: 'N-20b',
      title: 'a new leader does not begin a lock-delay anew',
      because: 'equivalent',
      why:
        'each node counts from when it applied the expiry, which is committed by then: by its ' +
        'own clock the delay is never too short. One rule for all deadlines is simpler',
    },
  ],
};
