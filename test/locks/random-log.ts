// Random logs for the property tests. A command names sessions, tokens and requests by small
// numbers, which are resolved against what the log has brought about so far, so that most
// commands mean something and many are late duplicates.

import fc from 'fast-check';
import type { Command, ReplicatedLimits, RequestItem } from '../../src/locks/commands.ts';
import { DEFAULT_LIMITS } from '../../src/locks/commands.ts';
import type { LockMachine } from '../../src/locks/machine-types.ts';
import type { LockEvent, Outcome } from '../../src/locks/outcomes.ts';
import { openCommand } from './rig.ts';

/** The first two are asked for as locks, the others as semaphores, hardly ever otherwise. */
export const NAMES = ['a', 'b', 'a/b', 'é'] as const;

/** One name of an acquire before it is resolved. */
interface Need {
  readonly name: string;
  readonly isShared: boolean;
  readonly taken: number;
  /** Whether it asks for the name as what it usually is. */
  readonly isUsual: boolean;
}

/** One command before it is resolved. */
export interface Draft {
  readonly op: Command['op'] | 'duplicate';
  readonly who: number;
  readonly seq: number;
  readonly otherSeq: number;
  readonly ackedBelow: number;
  readonly hash: number;
  readonly needs: readonly Need[];
  readonly waitMs: number | null;
  /** Whether the term, the token, the acquireSeq or the session named is the right one. */
  readonly isRight: boolean;
  readonly isNamed: boolean;
}

const OPS: readonly (readonly [Draft['op'], number])[] = [
  ['acquire', 16],
  ['release', 6],
  ['cancel', 3],
  ['duplicate', 3],
  ['openSession', 2],
  ['proclaim', 2],
  ['withdraw', 2],
  ['break', 2],
  ['liftDelay', 2],
  ['closeSession', 1],
  ['expireSession', 2],
  ['endSession', 1],
  ['liftEmbargo', 2],
  ['setLimits', 1],
];

const need: fc.Arbitrary<Need> = fc.record({
  name: fc.constantFrom(...NAMES),
  isShared: fc.boolean(),
  taken: fc.constantFrom(1, 1, 1, 2, 2, 3, 4),
  isUsual: fc.oneof(
    { arbitrary: fc.constant(true), weight: 15 },
    { arbitrary: fc.constant(false), weight: 1 },
  ),
});

const draft: fc.Arbitrary<Draft> = fc.record({
  op: fc.oneof(...OPS.map(([op, weight]) => ({ arbitrary: fc.constant(op), weight }))),
  who: fc.nat({ max: 4 }),
  seq: fc.integer({ min: 1, max: 60 }),
  otherSeq: fc.integer({ min: 1, max: 12 }),
  ackedBelow: fc.oneof(
    { arbitrary: fc.constant(0), weight: 4 },
    { arbitrary: fc.nat({ max: 40 }), weight: 1 },
  ),
  hash: fc.oneof(
    { arbitrary: fc.constant(0), weight: 9 },
    { arbitrary: fc.constant(1), weight: 1 },
  ),
  needs: fc.array(need, { minLength: 1, maxLength: 3 }),
  waitMs: fc.constantFrom(0, null, null, 500),
  isRight: fc.oneof(
    { arbitrary: fc.constant(true), weight: 5 },
    { arbitrary: fc.constant(false), weight: 1 },
  ),
  isNamed: fc.boolean(),
});

/** Drafts of whole logs: some sessions first, then anything. */
export const drafts: fc.Arbitrary<readonly Draft[]> = fc
  .array(draft, { maxLength: 80, size: 'max' })
  .map((list) => [0, 1, 2].map((who) => opening(who)).concat(list));

/** Small enough that random logs meet them. */
export const LIMITS = { ...DEFAULT_LIMITS, windowMax: 6, holdingsPerSessionMax: 16 };
export const TERM = 5;

/** One entry, with what came of it. */
export interface Applied {
  readonly index: number;
  readonly command: Command;
  readonly outcome: Outcome;
  readonly events: readonly LockEvent[];
}

/** Applies a log, looks after each entry, and gives the index of the last one. */
export function run(
  list: readonly Draft[],
  machine: LockMachine,
  look: (applied: Applied) => void,
): number {
  const log: Command[] = [];
  for (const draft of list) {
    const command = resolve(draft, machine, log, TERM);
    log.push(command);
    const index = log.length;
    look({ index, command, ...machine.apply(index, TERM, command) });
  }
  return log.length;
}

/** The command that a draft means after `log` was applied to `machine`. */
export function resolve(
  draft: Draft,
  machine: LockMachine,
  log: readonly Command[],
  term: number,
): Command {
  if (draft.op === 'duplicate') return log[(draft.seq * 7 + draft.who) % log.length] ?? opened(0);
  const living = machine.sessions(0, 10);
  const session = living[draft.who % Math.max(1, living.length)]?.session ?? '1-gone';
  const { seq, ackedBelow, otherSeq, needs } = draft;
  const name = needs[0]?.name ?? 'a';
  const proposerTerm = draft.isRight ? term : term - 1;
  const own = { session, seq, ackedBelow, bodyHash: seq * 10 + draft.hash };
  const by = { by: 'ops', reason: 'test' };
  switch (draft.op) {
    case 'openSession':
      return opened(draft.who);
    case 'acquire':
      return acquisition(draft, own);
    case 'cancel':
      return { op: 'cancel', ...own, acquireSeq: liveSeq(draft, machine, session) };
    case 'release':
      return { op: 'release', ...own, ...target(draft, machine, session) };
    case 'closeSession':
      return { op: 'closeSession', ...own };
    case 'endSession':
      return { op: 'endSession', session, ...by };
    case 'expireSession':
      return { op: 'expireSession', session, proposerTerm };
    case 'withdraw': {
      const acquireSeq = liveSeq(draft, machine, session);
      return { op: 'withdraw', session, acquireSeq, proposerTerm };
    }
    case 'proclaim':
      return { op: 'proclaim', ...own, ...target(draft, machine, session), value: `v${seq}` };
    case 'liftDelay': {
      const { ghosts } = machine.inspect(name);
      const closedAt = ghosts[otherSeq % Math.max(1, ghosts.length)]?.closedAt ?? otherSeq;
      return { op: 'liftDelay', name, closedAt, proposerTerm };
    }
    case 'liftEmbargo': {
      const cursor = machine.embargo()?.cursor ?? null;
      return { op: 'liftEmbargo', proposerTerm, afterName: draft.isNamed ? cursor : name };
    }
    case 'setLimits':
      return { op: 'setLimits', limits: otherLimits(draft), by: 'ops' };
    case 'break': {
      const { holders, ghosts } = machine.inspect(name);
      const tenants = [...holders, ...ghosts];
      const held = tenants[otherSeq % Math.max(1, tenants.length)]?.token ?? 0;
      const token = draft.isRight ? held : held + 1;
      return { op: 'break', name, token, session: draft.isNamed ? session : null, ...by };
    }
  }
}

/** The usual ones, or others that random logs meet, or some that cannot be. */
function otherLimits({ isRight, isNamed, otherSeq }: Draft): ReplicatedLimits {
  if (isNamed) return LIMITS;
  const ttlMsMax = isRight ? 1_000 * otherSeq : 100 * otherSeq;
  return { ...LIMITS, ttlMsMax, windowMax: 1 + (otherSeq % 4), holdingsPerSessionMax: otherSeq };
}

/** Mostly the number of a live request of the session. */
function liveSeq({ otherSeq, isRight }: Draft, machine: LockMachine, session: string): number {
  const live = machine.holdings(session, 0, 100)?.holdings ?? [];
  const one = isRight ? live[otherSeq % Math.max(1, live.length)] : undefined;
  return one?.acquireSeq ?? otherSeq;
}

function acquisition(
  { needs, waitMs, isNamed, seq }: Draft,
  own: { session: string; seq: number; ackedBelow: number; bodyHash: number },
): Command {
  const value = isNamed ? `campaign ${seq}` : null;
  const items = needs.map(itemOf);
  return { op: 'acquire', ...own, items, waitMs, meta: '{}', value, stampMs: 0 };
}

function itemOf({ name, isShared, taken, isUsual }: Need): RequestItem {
  const usual = { a: null, b: null, 'a/b': 3, é: 5 }[name] ?? null;
  const total = isUsual ? usual : 4;
  const mode = isShared && total === null ? 'shared' : 'exclusive';
  return { name, mode, permits: total === null ? null : [taken, total] };
}

function target(
  draft: Draft,
  machine: LockMachine,
  session: string,
): { name: string; token: number; acquireSeq: number | null } {
  const held = NAMES.flatMap((name) =>
    machine.inspect(name).holders.map((holder) => ({ name, ...holder })),
  ).filter((holder) => holder.session === session || !draft.isRight);
  const one = held[draft.otherSeq % Math.max(1, held.length)];
  const acquireSeq = draft.isNamed ? (one?.acquireSeq ?? draft.otherSeq) : null;
  return { name: one?.name ?? 'a', token: one?.token ?? draft.otherSeq, acquireSeq };
}

function opening(who: number): Draft {
  const rest = { seq: 1, otherSeq: 1, ackedBelow: 0, hash: 0, needs: [], waitMs: 0 };
  return { op: 'openSession', who, ...rest, isRight: true, isNamed: true };
}

function opened(who: number): Command {
  const ttlMs = [15_000, null, 1_000, 999, 600_000][who] ?? null;
  const lockDelayMs = [3_000, 0, 60_000, 1, 0][who] ?? 0;
  return openCommand(who, { ttlMs, lockDelayMs });
}
