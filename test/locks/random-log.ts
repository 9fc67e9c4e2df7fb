// Random logs for the property tests. A command names sessions, tokens and requests by small
// numbers, which are resolved against what the log has brought about so far, so that most
// commands mean something and many are late duplicates.

import fc from 'fast-check';
import type { Command } from '../../src/locks/commands.ts';
import type { LockMachine } from '../../src/locks/machine-types.ts';
import { openCommand } from './rig.ts';

export const NAMES = ['a', 'b', 'a/b', 'é'] as const;

/** One command before it is resolved. */
export interface Draft {
  readonly op: Command['op'] | 'duplicate';
  readonly who: number;
  readonly seq: number;
  readonly otherSeq: number;
  readonly ackedBelow: number;
  readonly hash: number;
  readonly names: readonly string[];
  readonly waitMs: number | null;
  /** Whether the term, the token, the acquireSeq or the session named is the right one. */
  readonly isRight: boolean;
  readonly isNamed: boolean;
}

const OPS: readonly (readonly [Draft['op'], number])[] = [
  ['acquire', 10],
  ['release', 6],
  ['cancel', 3],
  ['duplicate', 3],
  ['openSession', 2],
  ['withdraw', 2],
  ['break', 1],
  ['closeSession', 1],
  ['expireSession', 1],
  ['endSession', 1],
];

const draft: fc.Arbitrary<Draft> = fc.record({
  op: fc.oneof(...OPS.map(([op, weight]) => ({ arbitrary: fc.constant(op), weight }))),
  who: fc.nat({ max: 4 }),
  seq: fc.integer({ min: 1, max: 12 }),
  otherSeq: fc.integer({ min: 1, max: 12 }),
  ackedBelow: fc.oneof(
    { arbitrary: fc.constant(0), weight: 4 },
    { arbitrary: fc.nat({ max: 8 }), weight: 1 },
  ),
  hash: fc.oneof(
    { arbitrary: fc.constant(0), weight: 9 },
    { arbitrary: fc.constant(1), weight: 1 },
  ),
  names: fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 }),
  waitMs: fc.constantFrom(0, null, null, 500),
  isRight: fc.oneof(
    { arbitrary: fc.constant(true), weight: 5 },
    { arbitrary: fc.constant(false), weight: 1 },
  ),
  isNamed: fc.boolean(),
});

/** Drafts of whole logs: some sessions first, then anything. */
export const drafts: fc.Arbitrary<readonly Draft[]> = fc
  .array(draft, { maxLength: 80 })
  .map((list) => [0, 1, 2].map((who) => opening(who)).concat(list));

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
  const { seq, ackedBelow, otherSeq, names } = draft;
  const proposerTerm = draft.isRight ? term : term - 1;
  const own = { session, seq, ackedBelow, bodyHash: seq * 10 + draft.hash };
  const by = { by: 'ops', reason: 'test' };
  switch (draft.op) {
    case 'openSession':
      return opened(draft.who);
    case 'acquire':
      return acquisition(draft, own);
    case 'cancel':
      return { op: 'cancel', ...own, acquireSeq: otherSeq };
    case 'release':
      return { op: 'release', ...own, ...target(draft, machine, session) };
    case 'closeSession':
      return { op: 'closeSession', ...own };
    case 'endSession':
      return { op: 'endSession', session, ...by };
    case 'expireSession':
      return { op: 'expireSession', session, proposerTerm };
    case 'withdraw':
      return { op: 'withdraw', session, acquireSeq: otherSeq, proposerTerm };
    case 'proclaim':
      return { op: 'proclaim', ...own, ...target(draft, machine, session), value: 'v' };
    case 'liftDelay':
      return { op: 'liftDelay', name: names[0] ?? 'a', closedAt: otherSeq, proposerTerm };
    case 'break': {
      const name = names[0] ?? 'a';
      const held = machine.inspect(name).holders[0]?.token ?? 0;
      const token = draft.isRight ? held : held + 1;
      return { op: 'break', name, token, session: draft.isNamed ? session : null, ...by };
    }
  }
}

function acquisition(
  { names, waitMs }: Draft,
  own: { session: string; seq: number; ackedBelow: number; bodyHash: number },
): Command {
  const items = names.map((name) => ({ name, mode: 'exclusive', permits: null }) as const);
  return { op: 'acquire', ...own, items, waitMs, meta: '{}', value: null, stampMs: 0 };
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
  const rest = { seq: 1, otherSeq: 1, ackedBelow: 0, hash: 0, names: [], waitMs: 0 };
  return { op: 'openSession', who, ...rest, isRight: true, isNamed: true };
}

function opened(who: number): Command {
  return openCommand(who, { ttlMs: [15_000, null, 1_000, 999, 600_000][who] ?? null });
}
