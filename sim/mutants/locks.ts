// Granting, queues, and the ways in which a request ends (RAFT.md §13).

import type { MutantGroup } from './types.ts';

const ENDING = 'src/locks/ending.ts';
const GIVING_UP = 'src/locks/giving-up.ts';
const GRANTING = 'src/locks/granting.ts';
const SESSION = 'src/locks/session.ts';

/** M-56 … M-58, M-62, M-71, M-72. */
export const LOCKS: MutantGroup = {
  planted: [
    {
      id: 'M-56',
      title: "takes the acquire's index for the token, not that of the grant",
      file: GRANTING,
      find: `request.token = step.index;`,
      replace: `request.token = request.index;`,
    },
    {
      id: 'M-56b',
      title: "counts tokens by the session's own numbers",
      file: GRANTING,
      find: `request.token = step.index;`,
      replace: `request.token = request.seq;`,
    },
    {
      id: 'M-57',
      title: 'lets a new acquire pass those who wait for a lock that is free',
      file: GRANTING,
      find: `if (waiter !== null) return { name, holder: null, ghost: null, waiter };`,
      replace: `void waiter;`,
    },
    {
      id: 'M-57b',
      title: 'grants to the newest waiter instead of the oldest',
      file: 'src/locks/queue.ts',
      find: `super((left, right) => left.request.index - right.request.index);`,
      replace: `super((left, right) => right.request.index - left.request.index);`,
    },
    {
      id: 'M-58',
      title: 'leaves the waiters of an ended session in their queues',
      file: ENDING,
      find: `if (!request.isGranted()) removeRequest(step, request, ending);`,
      replace: ``,
    },
    {
      id: 'M-62',
      title: 'frees a lock whatever token is named',
      file: 'src/locks/naming.ts',
      find: `.filter((request) => request.token === token)`,
      replace: ``,
    },
    {
      id: 'M-71',
      title: 'grants nothing after a cancel',
      file: GIVING_UP,
      find: `endRequest(step, request, { cause: 'cancelled', reason: '' });
    grantPass(step);`,
      replace: `endRequest(step, request, { cause: 'cancelled', reason: '' });`,
    },
    {
      id: 'M-71b',
      title: 'grants nothing after a waiter was withdrawn',
      file: GIVING_UP,
      find: `endRequest(step, request, { cause: 'withdrawn', reason: '' });
    grantPass(step);`,
      replace: `endRequest(step, request, { cause: 'withdrawn', reason: '' });`,
    },
    {
      id: 'M-71c',
      title: 'grants nothing after the end of a session that held nothing',
      file: SESSION,
      find: `removeAllRequests(step, session, ending);
  grantPass(step);`,
      replace: `const hadGrants = session.held > 0;
  removeAllRequests(step, session, ending);
  if (hadGrants) grantPass(step);`,
    },
    {
      id: 'M-72',
      title: 'withdraws a grant as if it were a waiter',
      file: GIVING_UP,
      find: `if (request !== undefined && !request.isGranted()) {`,
      replace: `if (request !== undefined) {`,
    },
  ],
  unplanted: [],
};
