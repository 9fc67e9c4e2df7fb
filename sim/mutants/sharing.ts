// Grants and sessions in more than one process, and how long they are held.

import type { MutantGroup } from './types.ts';

const RECOVERY = 'src/client/recovery.ts';

/** N-22 … N-25. */
export const SHARING: MutantGroup = {
  planted: [
    {
      id: 'N-22',
      title: 'a hold with a limit is believed in beyond it',
      file: 'src/client/hold.ts',
      find: `if (nowUs < this.untilUs) return true;`,
      replace: `if (nowUs < this.untilUs || nowUs > 0) return true;`,
    },
    {
      id: 'N-23',
      title: 'a resumed session numbers its requests from 1 again',
      file: RECOVERY,
      find: `this.sequence.startAt(unused + 1);`,
      replace: ``,
    },
    {
      id: 'N-24',
      title: 'a client that closes ends a session of which it handed a grant over',
      file: 'src/client/farewell.ts',
      find: `const isOfOthers = session.isShared || session.isHandedOver;`,
      replace: `const isOfOthers = session.isShared;`,
    },
  ],
  unplanted: [
    {
      id: 'N-23b',
      title: 'a resumed session does not fence off the requests of its former process',
      because: 'elsewhere',
      why:
        'numbers cannot meet all the same, and a late acquire must come in between the answers ' +
        'of one resume: test/client/resume.test.ts has one come in there',
    },
    {
      id: 'N-23c',
      title: 'a resumed session leaves its former waits in their queues',
      because: 'elsewhere',
      why:
        'what is granted to nobody stays until its session ends, which no promise forbids while ' +
        'the client lives: test/client/resume.test.ts shows that nothing waits any more',
    },
    {
      id: 'N-22b',
      title: 'renews a session whose holder has had its lock for maxHoldMs and does not act',
      because: 'elsewhere',
      why:
        'belief ends in time all the same; that others need not wait for ever is shown by ' +
        'test/client/hold-limit.test.ts',
    },
    {
      id: 'N-25',
      title: 'takes a grant over without asking whether it stands',
      because: 'elsewhere',
      why:
        'as long as its session lives only an operator ends a grant that was handed over, which ' +
        'no belief is held to here: test/client/hand-over.test.ts shows NOT_HOLDER',
    },
  ],
};
