// A command as bytes. The client encodes its part once and repeats those bytes on every retry; the
// leader puts a stamp before them. So the hash of the body tells a retry from another request.

import { hash53 } from '../base/hash.ts';
import type { Command } from '../locks/commands.ts';
import type { Place } from './binary.ts';
import { putSafeInteger, takeSafeInteger, viewOf } from './binary.ts';
import { bodyFields, readBody } from './command-fields.ts';
import { DecodeError } from './decode-error.ts';
import { pack, unpack } from './msgpack.ts';
import { Reader } from './reader.ts';

/** What the client itself says: a command without what leader and node add to it. */
export type CommandBody = Command extends infer Each
  ? Each extends Command
    ? Omit<Each, 'bodyHash' | 'ackedBelow' | 'stampMs'>
    : never
  : never;

/** What travels beside the body. */
export interface CommandStamp {
  /** The client knows the answers of all requests below. */
  readonly ackedBelow: number;
  /** Wall time of the leader, milliseconds since 1970. */
  readonly stampMs: number;
}

/** First byte of a payload. */
export const STAMP_VERSION = 1;
/** What stands before the client's bytes. */
export const STAMP_BYTES = 17;

/** Deterministic. Throws HoldfastError INVALID for a text that is not well-formed Unicode. */
export function encodeBody(command: CommandBody): Uint8Array {
  return pack(bodyFields(command));
}

/**
 * Throws DecodeError unless the bytes are a command whose fields have their types. Whether they
 * are within the cluster's limits is for the lock machine, which can answer INVALID.
 */
export function decodeBody(body: Uint8Array): CommandBody {
  const read = new Reader(unpack(body), 'command');
  return read.done(readBody(read));
}

/**
 * Payload of a `command` entry: version (u8), ackedBelow and stampMs (u64, little-endian), then
 * the client's bytes, unchanged.
 */
export function encodePayload(body: Uint8Array, stamp: CommandStamp): Uint8Array {
  const payload = new Uint8Array(STAMP_BYTES + body.length);
  putPayload({ bytes: payload, view: viewOf(payload), at: 0 }, body, stamp);
  return payload;
}

/** Writes there what `encodePayload` gives. */
export function putPayload(place: Place, body: Uint8Array, stamp: CommandStamp): void {
  const { bytes, view, at } = place;
  view.setUint8(at, STAMP_VERSION);
  putSafeInteger(view, at + 1, stamp.ackedBelow);
  putSafeInteger(view, at + 9, stamp.stampMs);
  bytes.set(body, at + STAMP_BYTES);
}

/** Throws DecodeError. The same payload gives the same command on every node. */
export function decodePayload(payload: Uint8Array): Command {
  if (payload.length < STAMP_BYTES || payload[0] !== STAMP_VERSION) {
    throw new DecodeError(
      `payload: expected version ${STAMP_VERSION} and ${STAMP_BYTES} bytes or more, ` +
        `got version ${payload[0] ?? 'none'} and ${payload.length} bytes`,
    );
  }
  const view = viewOf(payload);
  const body = payload.subarray(STAMP_BYTES);
  const ackedBelow = takeSafeInteger(view, 1, 'payload.ackedBelow');
  const stampMs = takeSafeInteger(view, 9, 'payload.stampMs');
  const bodyHash = hash53(payload, STAMP_BYTES);
  return completeCommand(decodeBody(body), { ackedBelow, stampMs, bodyHash });
}

// The body was made by our caller and nobody else has it, so it is completed in place: a spread
// of it costs 2.6 µs, three times what decoding does.
function completeCommand(
  body: CommandBody,
  extra: CommandStamp & { readonly bodyHash: number },
): Command {
  const { ackedBelow, stampMs, bodyHash } = extra;
  switch (body.op) {
    case 'openSession':
      return Object.assign(body, { stampMs });
    case 'acquire':
      return Object.assign(body, { ackedBelow, bodyHash, stampMs });
    case 'cancel':
    case 'release':
    case 'proclaim':
    case 'closeSession':
      return Object.assign(body, { ackedBelow, bodyHash });
    default:
      return body;
  }
}
