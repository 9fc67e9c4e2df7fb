// Texts that carry a grant or a session to another process. They are checked field by field, for
// they come from wherever their owner kept them. Whoever has one can act in the session it names.

import { HoldfastError } from '../base/error.ts';
import type { SessionId, Token } from '../base/units.ts';
import type { LockMode } from '../locks/commands.ts';
import { DecodeError } from '../wire/decode-error.ts';
import { MODES } from '../wire/modes.ts';
import { Reader, textItem } from '../wire/reader.ts';
import { readSlots } from '../wire/slot-lists.ts';
import type { GrantStart } from './hold.ts';
import type { Session } from './session.ts';

/** Of a grant's text: 2, since it has a mode for each name. */
const VERSIONS = { 'holdfast-grant': 2, 'holdfast-session': 1 } as const;
type Kind = keyof typeof VERSIONS;
const TEXT_LENGTH_MAX = 262_144;

/** A grant on its way to another process. */
export interface HandedGrant {
  readonly clusterId: string;
  readonly session: SessionId;
  readonly acquireSeq: number;
  readonly token: Token;
  readonly names: readonly string[];
  readonly mode: LockMode;
  readonly modes: readonly LockMode[] | null;
  readonly slots: readonly (readonly number[])[];
}

/** A session on its way to the next life of its process. */
export interface SavedSession {
  readonly clusterId: string;
  readonly session: SessionId;
  readonly ttlMs: number | null;
}

/** What Client.takeOver understands. */
export function grantText({ id, parts }: Session, grant: GrantStart): string {
  const { acquireSeq, token, names, mode, modes, slots } = grant;
  const { clusterId } = parts.links;
  const numbers = modes?.map((each) => MODES.indexOf(each)) ?? null;
  const fields = [clusterId, id, acquireSeq, token, names, MODES.indexOf(mode), numbers, slots];
  return JSON.stringify(['holdfast-grant', VERSIONS['holdfast-grant'], ...fields]);
}

/** Throws HoldfastError INVALID. */
export function readGrantText(text: unknown): HandedGrant {
  return readText('a text of Grant.handOver', 'holdfast-grant', text, (read) => {
    const grant = {
      clusterId: read.text('clusterId'),
      session: read.text('session'),
      acquireSeq: read.integer('acquireSeq', 1),
      token: read.integer('token', 1),
      names: read.list('names', textItem),
      mode: read.choice('mode', MODES),
      modes: read.nullable('modes', readModes),
      slots: read.list('slots', readSlots),
    };
    const { names, modes, slots } = grant;
    if (names.length === 0) throw new DecodeError('it names no lock');
    if (modes !== null && modes.length !== 0 && modes.length !== names.length) {
      throw new DecodeError(`it has modes for ${modes.length} of ${names.length} names`);
    }
    if (slots.length === 0 || slots.length === names.length) return grant;
    throw new DecodeError(`it has slots for ${slots.length} of ${names.length} names`);
  });
}

/** What ClientOptions.resume understands. */
export function sessionText(saved: SavedSession): string {
  const { clusterId, session, ttlMs } = saved;
  return JSON.stringify([
    'holdfast-session',
    VERSIONS['holdfast-session'],
    clusterId,
    session,
    ttlMs,
  ]);
}

/** Throws HoldfastError INVALID. */
export function readSessionText(text: unknown): SavedSession {
  return readText('a text of ClientSession.save', 'holdfast-session', text, (read) => ({
    clusterId: read.text('clusterId'),
    session: read.text('session'),
    ttlMs: read.integerOrNull('ttlMs', 1),
  }));
}

function readModes(value: unknown, what: string): readonly LockMode[] {
  if (!Array.isArray(value)) throw new DecodeError(`${what} must be an array`);
  const read = new Reader(value, what);
  return read.done(value.map((_, at) => read.choice(String(at), MODES)));
}

function readText<T>(what: string, kind: Kind, text: unknown, content: (read: Reader) => T): T {
  try {
    if (typeof text !== 'string') throw new DecodeError('it is no text');
    if (text.length > TEXT_LENGTH_MAX) throw new DecodeError('it is too long');
    const read = new Reader(parse(text), what);
    if (read.text('kind') !== kind) throw new DecodeError(`it does not begin with ${kind}`);
    read.integer('version', VERSIONS[kind], VERSIONS[kind]);
    return read.done(content(read));
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new HoldfastError('INVALID', `${what} was expected: ${error.message}`, { cause: error });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new DecodeError('it is no JSON', { cause });
  }
}
