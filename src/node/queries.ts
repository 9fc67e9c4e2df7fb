import type { ErrorCode } from '../base/error.ts';
import type { LockMachine } from '../locks/machine-types.ts';
import type { HolderView, LockView } from '../locks/outcomes.ts';
import type { HostAnswer } from './host-types.ts';
import type { NodeStatus, Query, QueryResult } from '../wire/client-messages.ts';

/** One page of a list, and the queue that one lock shows, fit a frame with room to spare. */
const PAGE_BYTES_MAX = 128 * 1024;
const PAGE_ROWS_MAX = 1_000;
/** Waiters that are shown of a lock that is looked at, and of each lock of a list. */
const INSPECT_WAITERS_MAX = 500;
const LIST_WAITERS_MAX = 20;

/** Answers from the state as it is; whoever needs a linearizable answer asks after a round. */
export function answerQuery(
  query: Query,
  machine: LockMachine,
  status: () => NodeStatus,
): QueryResult {
  switch (query.kind) {
    case 'status':
      return { kind: 'status', status: status() };
    case 'session':
      return { kind: 'session', session: machine.session(query.session), leftMs: null };
    case 'grant':
      return { kind: 'grant', token: machine.tokenOf(query.session, query.acquireSeq) };
    case 'holdings': {
      const limit = Math.min(query.limit, PAGE_ROWS_MAX);
      const holdings = machine.holdings(query.session, query.after, limit);
      return { kind: 'holdings', holdings };
    }
    case 'inspect': {
      const lock = trimLock(machine.inspect(query.name, INSPECT_WAITERS_MAX));
      return { kind: 'lock', lock, leftMs: { holders: [], ghosts: [] } };
    }
    case 'list': {
      const limit = Math.min(query.limit, PAGE_ROWS_MAX);
      const found = machine.list(query.prefix, query.after, limit + 1, LIST_WAITERS_MAX);
      const locks = takeBytes(found.slice(0, limit).map(trimLock), sizeOfLock);
      return { kind: 'locks', locks, hasMore: found.length > locks.length };
    }
    case 'sessions': {
      const limit = Math.min(query.limit, PAGE_ROWS_MAX);
      const found = machine.sessions(query.after, limit + 1);
      const sessions = takeBytes(
        found.slice(0, limit),
        (view) => 200 + 3 * (view.name.length + view.meta.length),
      );
      return { kind: 'sessions', sessions, hasMore: found.length > sessions.length };
    }
  }
}

/** The answer to a query that this node cannot answer. */
export function refuseQuery(code: ErrorCode, message: string): HostAnswer {
  return { revision: 0, result: { kind: 'refused', code, message } };
}

/** A lock with as much of its queue as fits; the head of the queue is what matters. */
function trimLock(lock: LockView): LockView {
  const waiters = takeBytes(lock.waiters, (view) => 200 + 3 * view.sessionName.length);
  const holders = takeBytes(lock.holders, sizeOfHolder);
  return { ...lock, holders, waiters };
}

function sizeOfHolder(view: HolderView): number {
  const texts = [view.sessionName, view.sessionMeta, view.meta, view.value ?? ''];
  return texts.reduce((sum, text) => sum + 3 * text.length, 200);
}

function sizeOfLock(lock: LockView): number {
  const holders = lock.holders.reduce((sum, view) => sum + sizeOfHolder(view), 0);
  const waiters = lock.waiters.reduce((sum, view) => sum + 200 + 3 * view.sessionName.length, 0);
  return 3 * lock.name.length + holders + waiters;
}

/** The first items that together stay below the page's size; at least one, if there is any. */
function takeBytes<T>(items: readonly T[], sizeOf: (item: T) => number): readonly T[] {
  let bytes = 0;
  const end = items.findIndex((item, position) => {
    bytes += sizeOf(item);
    return position > 0 && bytes > PAGE_BYTES_MAX;
  });
  return end === -1 ? items : items.slice(0, end);
}
