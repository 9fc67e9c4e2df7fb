// From rows back to pieces of state. Each function reads one row, puts its piece where it belongs,
// and throws RowError when there is no such place.

import type { Index } from '../base/units.ts';
import { UNNUMBERED_SEQ_MIN } from './commands.ts';
import type { RequestItem } from './commands.ts';
import { Ghost } from './ghost.ts';
import type { FormerGrant } from './ghost.ts';
import { isCompatible } from './granting.ts';
import { checkItem, readItems, readMode, readPermits, readSlots } from './item-row.ts';
import { kindProblem } from './kinds.ts';
import { areSame, highestOf, limitsProblem, readLimits } from './limits.ts';
import { admitGhost, admitHolder, enqueue, isFree } from './lock-table.ts';
import type { Row } from './machine-types.ts';
import { needOf } from './need.ts';
import type { Need } from './need.ts';
import { readOutcomeRow } from './outcome-row.ts';
import { KeyReader, RowReader, rowError } from './row-reader.ts';
import { Claim, FrozenRecord, Request, Session } from './state.ts';
import type { Lock } from './state.ts';
import type { LockState } from './step.ts';
import { isNonce } from './validation.ts';

/** What a key of a session's piece begins with: `s/`, its number, and a slash. */
const PIECE_KEY_FROM = 17;

/** Limits and embargo. */
export function loadRules({ rules, rows }: LockState, row: Row): void {
  const read = new RowReader(row);
  rules.limits = readLimits(read.list('the limits'));
  rules.highest = readLimits(read.list('the highest limits'));
  const problem = limitsProblem(rules.limits);
  if (problem !== null) throw rowError(row.key, 'limits within their ranges', problem);
  if (!areSame(rules.highest, highestOf(rules.highest, rules.limits))) {
    throw rowError(row.key, 'the highest that each limit was', 'lower ones than are in force');
  }
  const held = read.listOrNull('the embargo');
  if (held !== null) {
    const embargoMs = held.whole('the embargo', 0);
    rules.embargo = held.done({ embargoMs, cursor: held.textOrNull('the cursor') });
  }
  read.done(null);
  if (!rules.isStored()) throw rowError(row.key, 'none, for all is as founded', 'one');
  rows.load(rules, row);
}

/** A session, of which nothing else is there yet. */
export function loadSession({ sessions, rows }: LockState, index: Index, row: Row): Session {
  const read = new RowReader(row);
  const nonce = read.text('the nonce');
  if (!isNonce(nonce)) throw rowError(row.key, 'a nonce', JSON.stringify(nonce));
  const session = new Session(index, {
    nonce,
    ttlMs: read.wholeOrNull('the TTL', 1),
    lockDelayMs: read.whole('the lock-delay', 0),
    name: read.text('the name'),
    meta: read.text('the metadata'),
    stampMs: read.whole('the time', 0),
  });
  session.ackedBelow = read.whole('what is acknowledged', 0);
  session.isUsed = read.flag('whether it is used');
  read.done(null);
  const other = sessions.withNonce(nonce);
  if (other !== null) throw rowError(row.key, 'a nonce of its own', `that of ${other.id}`);
  sessions.add(session);
  rows.load(session, row);
  return session;
}

/** What a session's key goes on with: the answer of a request that is over, a grant, a waiter. */
export function loadPiece(state: LockState, session: Session, row: Row): void {
  const key = new KeyReader(row.key, PIECE_KEY_FROM);
  const kind = key.letter();
  const seq = key.number('the number of a request', 1);
  if (!key.isAtEnd)
    throw rowError(row.key, 'nothing behind that number', JSON.stringify(key.rest()));
  if (session.requests.has(seq) || session.records.has(seq)) {
    throw rowError(row.key, 'one row for a request', 'a second one');
  }
  if (kind === 'r') loadRecord(state, { session, seq }, row);
  else if (kind === 'g' || kind === 'w') loadRequest(state, { session, seq, kind }, row);
  else throw rowError(row.key, 'g, r or w', JSON.stringify(kind));
}

/** What an expired grant left of one name. `last` is the grant of the row before. */
export function loadGhost(state: LockState, last: FormerGrant | null, row: Row): FormerGrant {
  const key = new KeyReader(row.key, 'd/'.length);
  const closedAt = key.number('the closing entry', 1);
  const opened = key.number('the opening entry', 1);
  const acquireSeq = key.number('the number of the acquire', 1);
  const read = new RowReader(row);
  const about = { session: read.text('the session'), opened, sessionName: read.text('its name') };
  const token = read.whole('the token', opened + 1, closedAt - 1);
  const lockDelayMs = read.whole('the lock-delay', 1);
  const parts = { acquireSeq, token, lockDelayMs, closedAt };
  const grant: FormerGrant = { ...about, ...parts, ghosts: [] };
  const prefix = `${opened}-`;
  if (!about.session.startsWith(prefix) || !isNonce(about.session.slice(prefix.length))) {
    throw rowError(row.key, `a session opened by entry ${opened}`, JSON.stringify(about.session));
  }
  const item = { name: key.rest(), mode: readMode(read), permits: readPermits(read) };
  checkItem(row.key, item);
  const slots = read.done(readSlots(read.list('the slots')));
  const former = last !== null && isOfSame(last, grant, row) ? last : grant;
  const lock = state.locks.obtain(item.name);
  const ghost = new Ghost(former, { lock, need: needOf(item), slots });
  expectRoom(row, lock, item);
  if (!admitGhost(ghost)) throw slotsError(row, item, slots);
  former.ghosts.push(ghost);
  state.rows.load(ghost, row);
  return former;
}

function loadRecord(
  { rows }: LockState,
  { session, seq }: { readonly session: Session; readonly seq: number },
  row: Row,
): void {
  const isKept = seq >= session.ackedBelow && seq < UNNUMBERED_SEQ_MIN;
  if (!isKept) throw rowError(row.key, 'an answer that is to be kept', 'one that is not');
  const read = new RowReader(row);
  const bodyHash = read.wholeOrNull('the hash', 0);
  const outcome = read.done(readOutcomeRow(read.list('the answer')));
  const record = new FrozenRecord(session, seq, { bodyHash, outcome });
  session.records.add(record);
  rows.load(record, row);
}

function loadRequest(
  state: LockState,
  { session, seq, kind }: { readonly session: Session; seq: number; kind: 'g' | 'w' },
  row: Row,
): void {
  const read = new RowReader(row);
  const index = read.whole('the index', session.index + 1);
  const parts = {
    seq,
    bodyHash: read.whole('the hash', 0),
    meta: read.text('the metadata'),
    value: read.textOrNull('the value'),
    stampMs: read.whole('the time', 0),
  };
  const items = readItems(read.list('the names'));
  const waitMs = kind === 'w' ? read.wholeOrNull('the wait', 1) : null;
  const request = new Request(session, index, { ...parts, waitMs });
  request.claims = items.map(
    (item) => new Claim(request, state.locks.obtain(item.name), needOf(item)),
  );
  session.requests.add(request);
  if (kind === 'w') putIntoQueues(request, row);
  else {
    request.token = read.whole('the token', index);
    giveLocks(request, readAllSlots(read.list('the slots'), items), row);
  }
  read.done(null);
  state.rows.load(request, row);
}

function putIntoQueues(request: Request, row: Row): void {
  for (const claim of request.claims) {
    expectKind(row, claim.lock, claim.need);
    if (!enqueue(claim)) {
      throw rowError(row.key, 'one waiter of an entry', `a second one of ${request.index}`);
    }
  }
  request.session.waiting += request.weight();
}

function giveLocks(request: Request, slots: readonly (readonly number[])[], row: Row): void {
  request.claims.forEach((claim, at) => {
    const own = slots[at] ?? [];
    expectRoom(row, claim.lock, claim.need);
    if (!admitHolder(claim, own)) throw slotsError(row, claim.need, own);
  });
  request.session.held += request.weight();
}

/** One list for each name, or none without a semaphore. */
function readAllSlots(
  read: RowReader,
  items: readonly RequestItem[],
): readonly (readonly number[])[] {
  const all = read.rest((rest) => readSlots(rest.list('the slots of a name')));
  const count = items.some(({ permits }) => permits !== null) ? items.length : 0;
  if (all.length === count) return all;
  throw rowError(read.key, `slots of ${count} names`, `those of ${all.length}`);
}

/** Whoever comes first decides whether a name is a lock or a semaphore, and of how many. */
function expectKind(row: Row, lock: Lock, need: Need): void {
  const problem = isFree(lock) ? null : kindProblem(need, lock);
  if (problem !== null) throw rowError(row.key, 'a name to be one kind of lock', problem);
}

/** INV-15: who has a lock together may. */
function expectRoom(row: Row, lock: Lock, need: Need): void {
  expectKind(row, lock, need);
  if (isCompatible(need, lock)) return;
  const name = JSON.stringify(lock.name);
  throw rowError(row.key, `${name} to be free for it`, 'one that cannot be shared with others');
}

function slotsError(row: Row, { permits }: Need, slots: readonly number[]): Error {
  const [taken = 0, total = 0] = permits ?? [];
  return rowError(row.key, `${taken} free slots below ${total}`, `[${slots.join(', ')}]`);
}

/** Rows of one former grant follow each other, and agree. */
function isOfSame(last: FormerGrant, grant: FormerGrant, row: Row): boolean {
  const { closedAt, opened, acquireSeq } = grant;
  const isSame =
    last.closedAt === closedAt && last.opened === opened && last.acquireSeq === acquireSeq;
  if (!isSame) return false;
  const agrees =
    last.session === grant.session &&
    last.sessionName === grant.sessionName &&
    last.token === grant.token &&
    last.lockDelayMs === grant.lockDelayMs;
  if (!agrees) throw rowError(row.key, 'what the row before says of the same grant', 'otherwise');
  return true;
}
