// What is seen of locks and sessions, one instance of everything.

import type {
  GhostView,
  HolderView,
  LockView,
  SessionHoldings,
  SessionView,
} from '../../src/locks/outcomes.ts';
import { ORIGIN, SESSION } from './samples.ts';

export const HOLDER: HolderView = {
  token: ORIGIN + 5,
  session: SESSION,
  acquireSeq: 2,
  mode: 'shared',
  permits: null,
  slots: [],
  sessionName: 'worker',
  sessionMeta: '{"host":"a"}',
  meta: '{}',
  value: null,
  sinceMs: 1_790_000_000_000,
};

const SEMAPHORE_HOLDER: HolderView = {
  ...HOLDER,
  acquireSeq: 4,
  mode: 'exclusive',
  permits: [2, 4],
  slots: [0, 3],
  value: 'http://10.0.0.7',
};

export const GHOST: GhostView = {
  token: ORIGIN + 4,
  session: SESSION,
  acquireSeq: 1,
  mode: 'exclusive',
  permits: [1, 4],
  slots: [1],
  sessionName: 'worker',
  lockDelayMs: 5_000,
  closedAt: ORIGIN + 6,
};

export const LOCK: LockView = {
  name: 'orders/42',
  holders: [HOLDER, SEMAPHORE_HOLDER],
  ghosts: [GHOST],
  waiters: [
    {
      session: SESSION,
      acquireSeq: 3,
      mode: 'exclusive',
      permits: [1, 4],
      index: ORIGIN + 6,
      sessionName: 'worker',
      sinceMs: 1_790_000_000_001,
    },
  ],
  holderCount: 2_000,
  waiterCount: 700,
};

export const SESSION_VIEW: SessionView = {
  session: SESSION,
  ttlMs: null,
  leaseMs: 60_000,
  lockDelayMs: 500,
  name: 'worker',
  meta: '',
  openedMs: 1_790_000_000_000,
  held: 1,
  waiting: 2,
};

export const HOLDINGS: SessionHoldings = {
  holdings: [
    {
      acquireSeq: 2,
      token: ORIGIN + 5,
      names: ['gpu', 'orders/42'],
      mode: 'exclusive',
      slots: [[0, 3], []],
      value: 'here',
    },
    { acquireSeq: 3, token: 0, names: ['größe'], mode: 'shared', slots: [], value: null },
  ],
  hasMore: true,
  nextSeq: 4_100,
};
