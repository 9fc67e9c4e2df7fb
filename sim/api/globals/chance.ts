// Randomness of the process that asks: the same in each run of the same seed.

import crypto from 'node:crypto';
import type { OwnGround } from '../ground.ts';
import { dispatching, isCallable, refusing } from './dispatch.ts';
import type { Replacement } from './dispatch.ts';

const WHOLE = 0x1_0000_0000;
const HIGH = 2 ** 26;
const BITS_53 = 2 ** 53;
const HINT = 'it takes real time or chance: do it before the simulation';

/** From 0 to 1, with 53 bits. */
function fraction({ u32 }: OwnGround): number {
  return ((u32() >>> 5) * HIGH + (u32() >>> 6)) / BITS_53;
}

function fill(own: OwnGround, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; at++) bytes[at] = own.u32() & 0xff;
}

function bytesOf(own: OwnGround, size: unknown): Buffer {
  const bytes = Buffer.alloc(Number(size));
  fill(own, bytes);
  return bytes;
}

function bytesIn(view: unknown): Uint8Array | null {
  if (view instanceof ArrayBuffer) return new Uint8Array(view);
  if (!ArrayBuffer.isView(view)) return null;
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

function uuid(own: OwnGround): string {
  const bytes = bytesOf(own, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}

/** Calls back as Node does, or returns, if nobody is to be called. */
function answer(own: OwnGround, callback: unknown, value: unknown): unknown {
  if (!isCallable(callback)) return value;
  own.life.soon(() => callback(null, value));
  return undefined;
}

function integer(own: OwnGround, given: readonly unknown[]): unknown {
  const numbers = given.filter((each) => typeof each === 'number');
  const [low = 0, high = 0] = numbers.length === 1 ? [0, ...numbers] : numbers;
  const drawn = low + Math.floor(fraction(own) * (high - low));
  return answer(own, given.at(-1), drawn);
}

/** Of what view, from where, how many bytes. */
function part([view, from = 0, count]: readonly unknown[]): Uint8Array {
  const bytes = bytesIn(view) ?? new Uint8Array(0);
  const isSaid = typeof from === 'number';
  const start = isSaid ? from : 0;
  const end = isSaid && typeof count === 'number' ? start + count : bytes.length;
  return bytes.subarray(start, end);
}

function values(own: OwnGround, [view]: readonly unknown[]): unknown {
  fill(own, bytesIn(view) ?? new Uint8Array(0));
  return view;
}

const SLOW = ['generateKey', 'generateKeySync', 'generateKeyPair', 'generateKeyPairSync'];
const PRIMES = ['generatePrime', 'generatePrimeSync', 'checkPrime', 'scrypt', 'pbkdf2', 'hkdf'];
const SUBTLE = ['digest', 'encrypt', 'decrypt', 'sign', 'verify', 'deriveBits', 'deriveKey'];
const SUBTLE_KEYS = ['generateKey', 'importKey', 'exportKey', 'wrapKey', 'unwrapKey'];

/** Chance, wherever Node has it. */
export const CHANCE: readonly Replacement[] = [
  { target: Math, name: 'random', make: dispatching('Math.random', fraction) },
  ...[crypto, crypto.webcrypto].flatMap((target) => [
    { target, name: 'randomUUID', make: dispatching('crypto.randomUUID', uuid) },
    { target, name: 'getRandomValues', make: dispatching('crypto.getRandomValues', values) },
  ]),
  {
    target: crypto,
    name: 'randomBytes',
    make: dispatching('crypto.randomBytes', (own, [size, callback]) =>
      answer(own, callback, bytesOf(own, size)),
    ),
  },
  { target: crypto, name: 'randomInt', make: dispatching('crypto.randomInt', integer) },
  {
    target: crypto,
    name: 'randomFillSync',
    make: dispatching('crypto.randomFillSync', (own, given) => {
      fill(own, part(given));
      return given[0];
    }),
  },
  {
    target: crypto,
    name: 'randomFill',
    make: dispatching('crypto.randomFill', (own, given) => {
      fill(own, part(given.slice(0, -1)));
      return answer(own, given.at(-1), given[0]);
    }),
  },
  ...[...SLOW, ...PRIMES].map((name) => {
    return { target: crypto, name, make: refusing(`crypto.${name}`, HINT) };
  }),
  ...[...SUBTLE, ...SUBTLE_KEYS].map((name) => {
    return { target: crypto.webcrypto.subtle, name, make: refusing(`crypto.subtle.${name}`, HINT) };
  }),
];

/** From 0 to 1, as a program is given it. */
export function chanceOf({ u32 }: Pick<OwnGround, 'u32'>): number {
  return u32() / WHOLE;
}
