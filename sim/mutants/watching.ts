// Watches of locks, and observers of elections.

import type { MutantGroup } from './types.ts';

const WATCHES = 'src/node/watches.ts';

/** N-14 … N-17, N-21. */
export const WATCHING: MutantGroup = {
  planted: [
    {
      id: 'N-14',
      title: 'a watch that goes on leaves out the first revision',
      file: WATCHES,
      find: `watcher.cursor = after;`,
      replace: `watcher.cursor = after + 1;`,
    },
    {
      id: 'N-15',
      title: 'a watch that goes on tells the last revision again',
      file: WATCHES,
      find: `watcher.cursor = after;`,
      replace: `watcher.cursor = after - 1;`,
    },
    {
      id: 'N-16',
      title: 'does not tell a watch of the gap before it begins',
      file: WATCHES,
      find: `listener.onStart(applied, false);`,
      replace: `listener.onStart(applied, true);`,
    },
    {
      id: 'N-16b',
      title: 'a client does not tell of a gap',
      file: 'src/client/watches.ts',
      find: `feed.owner.onGap(message.revision);`,
      replace: ``,
    },
    {
      id: 'N-16c',
      title: 'a watch does not go on when its link has ended',
      file: 'src/client/watches.ts',
      find: `for (const feed of this.feeds) if (feed.link === link) this.detach(feed);`,
      replace: ``,
    },
    {
      id: 'N-17b',
      title: 'a watch begins without asking a quorum whether its node leads',
      file: WATCHES,
      find: `this.options.confirm((isConfirmed) => {`,
      replace: `this.options.soon((isConfirmed = true) => {`,
    },
    {
      id: 'N-21',
      title: 'an observer is not told that an election is vacant',
      file: 'src/client/observation.ts',
      find: `return token === leader?.token ? null : leader;`,
      replace: `return leader;`,
    },
  ],
  unplanted: [
    {
      id: 'N-17',
      title: 'a leader that loses its office forgets its watches and tells nobody',
      because: 'elsewhere',
      why:
        'a client whose renewals stay unanswered listens anew on new links before the same node ' +
        'can lead again; test/node/watches.test.ts shows that each watch is told',
    },
    {
      id: 'N-15b',
      title: 'a watch hears of what is applied before it was told of the past',
      because: 'elsewhere',
      why:
        'the past is told in the next turn of the loop, and hardly ever is anything applied in ' +
        'between: test/node/watches.test.ts makes it so',
    },
  ],
};
