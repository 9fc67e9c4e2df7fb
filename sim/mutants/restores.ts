// What a cluster must not forget that was made of a backup (RAFT.md §15.7).

import type { MutantGroup } from './types.ts';

const EMBARGO = 'src/locks/embargo.ts';
const DEADLINE = 'src/node/embargo-deadline.ts';

/** N-43 … N-43g. */
export const RESTORES: MutantGroup = {
  planted: [
    {
      id: 'N-43',
      title: 'forgets how far it has lifted the embargo of a restored cluster',
      file: EMBARGO,
      find: `rules.setEmbargo(cursor === null ? null : { ...embargo, cursor }, rows);`,
      replace: `rules.setEmbargo(null, rows);`,
    },
    {
      id: 'N-43b',
      title: 'lifts the embargo of a restored cluster as soon as it leads',
      file: DEADLINE,
      find: `return Math.max(baseUs, this.startedUs) + embargoMs * US_PER_MS;`,
      replace: `return Math.max(baseUs, this.startedUs) + 0 * embargoMs;`,
    },
    {
      id: 'N-43c',
      title: 'makes an embargo without the allowance for clocks',
      file: EMBARGO,
      find: `const RATE_PERCENT = 1;`,
      replace: `const RATE_PERCENT = -3;`,
    },
    {
      id: 'N-43d',
      title: 'forgets the embargo that a backup was taken under',
      file: EMBARGO,
      find: `machine.embargo()?.embargoMs ?? 0;`,
      replace: `0 * (machine.embargo()?.embargoMs ?? 0);`,
    },
    {
      id: 'N-43e',
      title: 'grants under an embargo to who does not wait',
      file: 'src/locks/acquire.ts',
      find: `const isAllowed = command.items.every(({ name }) => step.state.rules.allow(name));`,
      replace: `const isAllowed = command.items.every(
    ({ name }) => command.waitMs === 0 || step.state.rules.allow(name),
  );`,
    },
    {
      id: 'N-43f',
      title: 'lets nobody in who waited for the end of an embargo',
      file: EMBARGO,
      find: `  grantPass(step);
  probes`,
      replace: `  if (cursor !== null) grantPass(step);
  probes`,
    },
    {
      id: 'N-43g',
      title: 'begins a restored log just above its backup',
      file: 'src/node/founding.ts',
      find: `Math.max(backup.index + 1, leastToken, clockOrigin);`,
      replace: `Math.max(backup.index + 1, leastToken, 0 * clockOrigin);`,
    },
  ],
  unplanted: [],
};
