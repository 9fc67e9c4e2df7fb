// Whatever a client or a broken leader writes into the log, as long as a command can be read from
// it, apply answers (DET-2): far too large, empty, nonsense.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Command } from '../../src/locks/commands.ts';
import { DEFAULT_LIMITS } from '../../src/locks/commands.ts';
import { createLockMachine } from '../../src/locks/machine.ts';
import { encodeBody, encodePayload, decodePayload } from '../../src/wire/command.ts';
import { openCommand } from './rig.ts';

const MAX = Number.MAX_SAFE_INTEGER;
const NONCE = openCommand(0).nonce;

const whole = fc.oneof(
  fc.integer({ min: 1, max: 12 }),
  fc.constantFrom(1, 64, 1_024, 1_025, 999_999, 2 ** 32, 2 ** 52, MAX - 1, MAX),
);
const fromZero = fc.oneof(
  { arbitrary: fc.constant(0), weight: 3 },
  { arbitrary: whole, weight: 1 },
);
const orNull = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(of, { nil: null });
const name = fc.constantFrom('a', 'a', 's', 's', '', '..', '\u0000', 'x'.repeat(600), '\u{1F512}');
const text = fc.oneof(
  fc.constantFrom('', '{}', 'm'.repeat(5_000)),
  fc.string({ unit: 'grapheme' }),
);
const session = fc.oneof(
  { arbitrary: fc.constantFrom(`1-${NONCE}`, `2-${openCommand(1).nonce}`), weight: 8 },
  { arbitrary: fc.constantFrom('', '-', 'NaN', `1e0-${NONCE}`, `01-${NONCE}`), weight: 1 },
);
const item = fc.record({
  name,
  mode: fc.constantFrom('exclusive', 'shared'),
  permits: orNull(fc.tuple(whole, whole)),
});
const items = fc.array(item, { maxLength: 70, size: '-1' });
const own = { session, seq: whole, ackedBelow: fromZero, bodyHash: whole };
const op = <T extends string>(of: T): fc.Arbitrary<T> => fc.constant(of);
const about = { name, acquireSeq: orNull(whole), token: whole };
const by = { by: text, reason: text };
const term = { proposerTerm: fc.constantFrom(1, 1, 2, MAX) };

const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({
    ...{ op: op('acquire'), ...own, items, waitMs: orNull(fromZero) },
    ...{ meta: text, value: orNull(text), stampMs: fromZero },
  }),
  fc.record({
    ...{
      op: op('openSession'),
      nonce: fc.constantFrom(NONCE, openCommand(1).nonce, '', 'x'),
      name,
    },
    ...{ ttlMs: orNull(fromZero), lockDelayMs: fromZero, meta: text, stampMs: fromZero },
  }),
  fc.record({ op: op('cancel'), ...own, acquireSeq: whole }),
  fc.record({ op: op('release'), ...own, ...about }),
  fc.record({ op: op('proclaim'), ...own, ...about, value: text }),
  fc.record({ op: op('closeSession'), ...own }),
  fc.record({ op: op('endSession'), session, ...by }),
  fc.record({ op: op('break'), name, token: whole, session: orNull(session), ...by }),
  fc.record({ op: op('expireSession'), session, ...term }),
  fc.record({ op: op('withdraw'), session, acquireSeq: whole, ...term }),
  fc.record({ op: op('liftDelay'), name, closedAt: whole, ...term }),
);

test('DET-2 every command that can be read has an outcome, and leaves a sound state', () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 60, size: 'max' }), (commands) => {
      const machine = createLockMachine(DEFAULT_LIMITS);
      const opened = [0, 1].map((nonce) => openCommand(nonce, { lockDelayMs: 1_000 }));
      [...opened, ...commands].forEach((each, at) => {
        const { ackedBelow = 0, stampMs = 0 } = { ackedBelow: 0, stampMs: 0, ...each };
        const payload = encodePayload(encodeBody(each), { ackedBelow, stampMs });
        const { outcome } = machine.apply(at + 1, 1, decodePayload(payload));
        expect(outcome.code).toMatch(/^[A-Z_]+$/);
      });
      machine.checkInvariants();
    }),
    { numRuns: 150 },
  );
});
