import { describe, expect, test } from 'vitest';
import type { Command } from '../../src/locks/commands.ts';
import { decodeBody, decodePayload, encodeBody, encodePayload } from '../../src/wire/command.ts';
import { pack } from '../../src/wire/msgpack.ts';
import { BODIES, SESSION } from './samples.ts';

const MINUS_ZERO = [0xcb, 0x80, 0, 0, 0, 0, 0, 0, 0];
const stamp = { ackedBelow: 2 ** 40, stampMs: 1_790_000_000_000 };

function hashOf(body: Uint8Array, withStamp = stamp): number {
  const command = decodePayload(encodePayload(body, withStamp));
  if (!('bodyHash' in command)) throw new Error('a command without a hash');
  return command.bodyHash;
}

/** What the leader's stamp and the hash add to each command; no more and no less. */
const ADDED: { readonly [Op in Command['op']]: readonly string[] } = {
  openSession: ['stampMs'],
  acquire: ['ackedBelow', 'bodyHash', 'stampMs'],
  cancel: ['ackedBelow', 'bodyHash'],
  release: ['ackedBelow', 'bodyHash'],
  closeSession: ['ackedBelow', 'bodyHash'],
  endSession: [],
  break: [],
  expireSession: [],
  withdraw: [],
  proclaim: ['ackedBelow', 'bodyHash'],
  liftDelay: [],
  liftEmbargo: [],
  setLimits: [],
};

describe('a payload', () => {
  test.each(Object.values(BODIES))('gives back the command $op with its stamp', (body) => {
    const command = decodePayload(encodePayload(encodeBody(body), stamp));
    const whole: Record<string, unknown> = { ...stamp, bodyHash: expect.any(Number) };
    const added = Object.fromEntries(ADDED[body.op].map((field) => [field, whole[field]]));
    expect(command).toEqual({ ...body, ...added });
  });

  test('ends with the bytes of the client, unchanged', () => {
    const body = encodeBody(BODIES.acquire);
    expect(encodePayload(body, stamp).slice(-body.length)).toEqual(body);
  });

  test('hashes the same body to the same number, whatever the stamp', () => {
    const body = encodeBody(BODIES.acquire);
    expect(hashOf(body)).toBe(hashOf(body, { ackedBelow: 1, stampMs: 1 }));
    expect(Number.isSafeInteger(hashOf(body))).toBe(true);
  });

  test('hashes another body to another number', () => {
    const other = encodeBody({ op: 'cancel', session: SESSION, seq: 3, acquireSeq: 1 });
    expect(hashOf(other)).not.toBe(hashOf(encodeBody(BODIES.cancel)));
  });

  test('of an unknown version is refused', () => {
    const payload = encodePayload(encodeBody(BODIES.cancel), stamp);
    payload[0] = 2;
    expect(() => decodePayload(payload)).toThrow(/expected version 1/);
  });
});

describe('a body', () => {
  test.each([
    ['no array', 1, /command: expected an array, got 1, a number/],
    ['an unknown op', [99], /command.op: expected a number for one of openSession, acquire/],
    ['a negative seq', [4, 's', -1], /command.seq: expected a whole number from 1 to/],
    ['a fraction', [4, 's', 1.5], /command.seq: .* got 1.5, a number/],
    ['a seq of 2^53', [4, 's', 2 ** 53], /command.seq/],
    ['a number for a text', [4, 7, 1], /command.session: expected a text, got 7, a number/],
    ['a field too few', [4, 's'], /command.seq: expected a value, got undefined/],
    ['a field too many', [4, 's', 1, null], /command: expected 3 fields, got 4/],
    ['token 0', [3, 's', 1, 'a', null, 0], /command.token/],
    ['an unknown mode', [1, 's', 1, [['a', 2, null]], 0, '', null], /items\[0\].mode/],
    ['a lift of nothing', [10, 'a', 0, 1], /command.closedAt/],
    ['a proclaimed value of null', [9, 's', 1, 'a', null, 7, null], /command.value/],
    ['a cursor that is no text', [11, 1, 5], /command.afterName/],
    ['too few limits', [12, [1_000], 'ops'], /command.limits.ttlMsMax/],
    ['half a permit', [1, 's', 1, [['a', 0, [1]]], 0, '', null], /items\[0\].permits.total/],
  ])('with %s is refused, and the message names the field', (_name, value, message) => {
    expect(() => decodeBody(pack(value))).toThrow(message);
  });

  test('that names a text with a lone surrogate is never sent', () => {
    const body = { op: 'endSession', session: SESSION, by: '\udc00', reason: '' } as const;
    expect(() => encodeBody(body)).toThrow(/INVALID/);
  });

  test('never gives a negative zero', () => {
    const bytes = Uint8Array.from([...pack([0, 'n']).subarray(0, 4), ...MINUS_ZERO, 0, 0xa0, 0xa0]);
    bytes[0] = 0x96; // six fields
    const body = decodeBody(bytes);
    expect(body.op === 'openSession' && Object.is(body.ttlMs, 0)).toBe(true);
  });
});
