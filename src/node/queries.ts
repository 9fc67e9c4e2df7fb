import type { ErrorCode } from '../base/error.ts';
import type { SessionId } from '../base/units.ts';
import { US_PER_MS } from '../base/units.ts';
import type { LockMachine } from '../locks/machine-types.ts';
import type {
  GhostView,
  HolderView,
  HoldingView,
  LockView,
  SessionHoldings,
  WaiterView,
} from '../locks/outcomes.ts';
import type { HostAnswer } from './host-types.ts';
import type { GhostKey } from './office.ts';
import type {
  LockTimes,
  MembershipView,
  NodeStatus,
  Query,
  QueryResult,
} from '../wire/client-messages.ts';

/** One page of a list, by an upper estimate, fits a frame with room to spare. */
const PAGE_BYTES_MAX = 128 * 1024;
const PAGE_ROWS_MAX = 1_000;
/** Holders, ghosts and waiters that are shown of one lock: all three lists together fit too. */
const LIST_BYTES_MAX = 48 * 1024;
/** The same by number: of a lock that is looked at, and of each lock of a list. */
const INSPECT_SHOWN_MAX = 500;
const LIST_SHOWN_MAX = 20;
/** Locks that are looked at at a time for a page of them. */
const LIST_STEP = 32;

/** What the leader's clock knows, in microseconds. */
export interface TimeSource {
  /** Until a session would expire unless renewed; null: never, or it is not known. */
  leaseLeftUs(session: SessionId): number | null;
  /** Until a lock-delay is over. */
  delayLeftUs(ghost: GhostKey): number;
}

/** Whom the answers come from. */
export interface QuerySource {
  readonly machine: LockMachine;
  readonly times: TimeSource;
  readonly status: () => NodeStatus;
  readonly membership: () => MembershipView;
}

/** Answers from the state as it is; whoever needs a linearizable answer asks after a round. */
export function answerQuery(query: Query, source: QuerySource): QueryResult {
  const { machine, times } = source;
  switch (query.kind) {
    case 'status':
      return { kind: 'status', status: source.status() };
    case 'membership':
      return { kind: 'membership', membership: source.membership() };
    case 'limits':
      return { kind: 'limits', limits: machine.limits() };
    case 'session':
      return {
        kind: 'session',
        session: machine.session(query.session),
        leftMs: wholeMs(times.leaseLeftUs(query.session)),
      };
    case 'grant':
      return { kind: 'grant', token: machine.tokenOf(query.session, query.acquireSeq) };
    case 'holdings': {
      const limit = Math.min(query.limit, PAGE_ROWS_MAX);
      const holdings = machine.holdings(query.session, query.after, limit);
      return { kind: 'holdings', holdings: holdings === null ? null : trimHoldings(holdings) };
    }
    case 'inspect': {
      const lock = trimLock(machine.inspect(query.name, INSPECT_SHOWN_MAX));
      return { kind: 'lock', lock, leftMs: timesOf(lock, times) };
    }
    case 'list':
      return listLocks(query, machine);
    case 'sessions': {
      const limit = Math.min(query.limit, PAGE_ROWS_MAX);
      const found = machine.sessions(query.after, limit + 1);
      const sessions = takeBytes(
        found.slice(0, limit),
        (view) => 200 + 3 * (view.name.length + view.meta.length),
        PAGE_BYTES_MAX,
      );
      return { kind: 'sessions', sessions, hasMore: found.length > sessions.length };
    }
  }
}

/** The answer to a query that this node cannot answer. */
export function refuseQuery(code: ErrorCode, message: string): HostAnswer {
  return { revision: 0, result: { kind: 'refused', code, message } };
}

/** Looks at few more locks than fit the page: a thousand of them may be crowded ones. */
function listLocks(
  { prefix, after, limit }: Extract<Query, { readonly kind: 'list' }>,
  machine: LockMachine,
): QueryResult {
  const locks: LockView[] = [];
  let bytes = 0;
  let found: readonly LockView[];
  do {
    found = machine.list(prefix, locks.at(-1)?.name ?? after, LIST_STEP, LIST_SHOWN_MAX);
    for (const view of found) {
      const lock = trimLock(view);
      bytes += sizeOfLock(lock);
      const isFull = locks.length >= Math.min(limit, PAGE_ROWS_MAX);
      if (isFull || (locks.length > 0 && bytes > PAGE_BYTES_MAX)) {
        return { kind: 'locks', locks, hasMore: true };
      }
      locks.push(lock);
    }
  } while (found.length === LIST_STEP);
  return { kind: 'locks', locks, hasMore: false };
}

/** A lock with as much of its lists as fits; their heads are what matters. */
function trimLock(lock: LockView): LockView {
  return {
    ...lock,
    holders: takeBytes(lock.holders, sizeOfHolder, LIST_BYTES_MAX),
    ghosts: takeBytes(lock.ghosts, sizeOfGhost, LIST_BYTES_MAX),
    waiters: takeBytes(lock.waiters, sizeOfWaiter, LIST_BYTES_MAX),
  };
}

function timesOf(lock: LockView, times: TimeSource): LockTimes {
  const { name } = lock;
  return {
    holders: lock.holders.map(({ session }) => wholeMs(times.leaseLeftUs(session))),
    ghosts: lock.ghosts.map(({ closedAt, session, acquireSeq }) =>
      Math.ceil(times.delayLeftUs({ name, closedAt, session, acquireSeq }) / US_PER_MS),
    ),
  };
}

function trimHoldings(all: SessionHoldings): SessionHoldings {
  const holdings = takeBytes(all.holdings, sizeOfHolding, PAGE_BYTES_MAX);
  return { ...all, holdings, hasMore: all.hasMore || holdings.length < all.holdings.length };
}

/** Rounded up: what is not over yet is not 0. */
function wholeMs(us: number | null): number | null {
  return us === null ? null : Math.ceil(us / US_PER_MS);
}

function sizeOfHolder(view: HolderView): number {
  const { sessionName, sessionMeta, meta, value, slots } = view;
  return 200 + sizeOfTexts([sessionName, sessionMeta, meta, value ?? '']) + sizeOfSlots(slots);
}

function sizeOfGhost(view: GhostView): number {
  return 200 + 3 * view.sessionName.length + sizeOfSlots(view.slots);
}

function sizeOfWaiter(view: WaiterView): number {
  return 200 + 3 * view.sessionName.length;
}

function sizeOfHolding({ names, slots, value }: HoldingView): number {
  const slotsBytes = slots.reduce((sum, list) => sum + sizeOfSlots(list), 0);
  return 100 + sizeOfTexts(names) + sizeOfTexts([value ?? '']) + slotsBytes;
}

function sizeOfLock(lock: LockView): number {
  const holders = lock.holders.reduce((sum, view) => sum + sizeOfHolder(view), 0);
  const ghosts = lock.ghosts.reduce((sum, view) => sum + sizeOfGhost(view), 0);
  const waiters = lock.waiters.reduce((sum, view) => sum + sizeOfWaiter(view), 0);
  return 100 + 3 * lock.name.length + holders + ghosts + waiters;
}

function sizeOfTexts(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + 5 + 3 * text.length, 0);
}

/** Slot numbers are below the largest total of a semaphore. */
function sizeOfSlots(slots: readonly number[]): number {
  return 5 + 5 * slots.length;
}

/** The first items that together stay below the size; at least one, if there is any. */
function takeBytes<T>(
  items: readonly T[],
  sizeOf: (item: T) => number,
  bytesMax: number,
): readonly T[] {
  let bytes = 0;
  const end = items.findIndex((item, position) => {
    bytes += sizeOf(item);
    return position > 0 && bytes > bytesMax;
  });
  return end === -1 ? items : items.slice(0, end);
}
