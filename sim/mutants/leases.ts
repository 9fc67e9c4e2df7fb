// The leader's side of leases (RAFT.md §14.1).

import type { MutantGroup } from './types.ts';

const ENGINE = 'src/node/engine.ts';
const LEASES = 'src/node/leases.ts';

/** M-53 … M-55, M-61b, M-63, M-75, M-76, M-83, M-85. */
export const LEASING: MutantGroup = {
  planted: [
    {
      id: 'M-53',
      title: 'confirms a renewal without asking a quorum',
      file: LEASES,
      find: `this.options.reads.request((isConfirmed) => {`,
      replace: `this.options.clock.soon((isConfirmed = true) => {`,
    },
    {
      id: 'M-54',
      title: 'a new leader counts leases from what it knows of earlier terms',
      file: LEASES,
      find: `this.leading.baseUs = this.freshUs();`,
      replace: ``,
    },
    {
      id: 'M-61b',
      title: 'measures leases with the wall clock',
      file: ENGINE,
      find: `this.options.onTick(this.options.clock.monoUs());`,
      replace: `this.options.onTick(this.options.clock.wallMs() * 1_000);`,
    },
    {
      id: 'M-63',
      title: 'takes a timer that fires for proof that its time has come',
      file: ENGINE,
      find: `this.options.onTick(this.options.clock.monoUs());`,
      replace: `this.options.onTick(this.timerUs);`,
    },
    {
      id: 'M-75',
      title: 'counts a renewal from a reading of the clock that is up to 40 ms old',
      file: LEASES,
      find: `return this.options.leaseClock.at(nowUs);`,
      replace: `if (!(nowUs - this.readUs < 40_000)) this.readUs = nowUs;
        return this.options.leaseClock.at(this.readUs);`,
    },
    {
      id: 'M-76',
      title: 'marks a session as expiring although its expiry was refused',
      file: LEASES,
      find: `if (position < admitted) this.expiring.add(session);`,
      replace: `if (position < over.length) this.expiring.add(session);`,
    },
    {
      id: 'M-85',
      title: 'counts a renewal from the last tick',
      file: LEASES,
      find: `return this.options.leaseClock.at(nowUs);`,
      replace: `void nowUs;
        return this.options.leaseClock.ticked;`,
    },
  ],
  unplanted: [
    {
      id: 'M-55',
      title: "a deposed leader's expiry is forwarded to the new leader",
      because: 'equivalent',
      why:
        'as a slip in one place: nothing is ever forwarded, a follower refuses what is proposed ' +
        'to it, its tick tests no deadlines, and apply compares the term of the entry with that ' +
        'of the proposer; each of the four alone suffices. The last two have tests of their own ' +
        '(test/node/leases.test.ts R-80b, test/locks/sessions.test.ts A2)',
    },
    {
      id: 'M-83',
      title: 'expires a session without TTL that has executed commands',
      because: 'elsewhere',
      why:
        'its first lease lasts 15 s, longer than a run, and the leader forgets it with the first ' +
        'command: test/locks/sessions.test.ts M-83 applies such an expiry',
    },
    {
      id: 'M-83b',
      title: 'goes on counting the first lease of a session without TTL',
      because: 'equivalent',
      why:
        'apply spares a session without TTL that has executed a command (M-83); ' +
        'test/node/leases.test.ts shows that it is not even proposed',
    },
  ],
};
