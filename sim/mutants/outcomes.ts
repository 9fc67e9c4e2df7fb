// What clients are told, and exactly-once (RAFT.md §12).

import type { MutantGroup } from './types.ts';

/** M-51, M-52, M-73, M-77, M-82. */
export const OUTCOMES: MutantGroup = {
  planted: [
    {
      id: 'M-51',
      title: 'says NOT_LEADER of commands that it has appended',
      file: 'src/node/proposals.ts',
      find: `this.refuse(lost, 'OUTCOME_UNKNOWN', reason);`,
      replace: `this.refuse(lost, 'NOT_LEADER', reason);`,
    },
    {
      id: 'M-52',
      title: 'executes again a command that comes again',
      file: 'src/locks/requests.ts',
      find: `if (known !== null) return known;`,
      replace: `if (known?.code === 'INVALID') return known;`,
    },
    {
      id: 'M-73',
      title: 'keeps no record when an acquire is cancelled before it came',
      file: 'src/locks/giving-up.ts',
      find: `freeze(step, session, acquireSeq, { bodyHash: null, outcome });`,
      replace: `void outcome;`,
    },
    {
      id: 'M-77',
      title: 'says SESSION_GONE of a session that it does not know, without a round',
      file: 'src/node/leases.ts',
      find: `this.table.restart(session, this.freshUs());
    const { term } = this.leading;`,
      replace: `if (this.options.ttlMsOf(session) === undefined) return done('SESSION_GONE', null);
    this.table.restart(session, this.freshUs());
    const { term } = this.leading;`,
    },
    {
      id: 'M-82',
      title: 'forgets a request when its grant or wait ends',
      file: 'src/locks/ending.ts',
      find: `freeze(step, session, seq, { bodyHash, outcome: { code: 'ENDED'`,
      replace: `void ({ bodyHash, outcome: { code: 'ENDED'`,
    },
  ],
  unplanted: [],
};
