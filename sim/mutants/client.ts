// The client's side of leases (RAFT.md §14.2).

import type { MutantGroup } from './types.ts';

const RENEWER = 'src/client/renewer.ts';

/** M-59 … M-61. */
export const CLIENT: MutantGroup = {
  planted: [
    {
      id: 'M-59',
      title: 'counts a confirmed lease from the answer, not from the request',
      file: RENEWER,
      find: `this.confirm(sentUs, ttlMs);`,
      replace: `this.confirm(this.ports.leaseClock.nowUs(), ttlMs);`,
    },
    {
      id: 'M-59b',
      title: 'counts a new lease from the last try to open it',
      file: 'src/client/opening.ts',
      find: `if (nowUs - this.sentUs > usableUs) {
      this.sentUs = nowUs;`,
      replace: `const isStale = nowUs - this.sentUs > usableUs;
    this.sentUs = nowUs;
    if (isStale) {`,
    },
    {
      id: 'M-60',
      title: 'believes for the whole TTL, not for κ of it',
      file: 'src/client/belief.ts',
      find: `Math.floor((ttlMs * 1000 * 99) / 101)`,
      replace: `ttlMs * 1000`,
    },
    {
      id: 'M-61',
      title: 'measures its lease with the wall clock',
      file: 'src/client/lease-clock.ts',
      find: `this.clock = clock;`,
      replace: `this.clock = { ...clock, monoUs: () => clock.wallMs() * 1_000 };`,
    },
  ],
  unplanted: [],
};
