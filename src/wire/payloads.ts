// The payloads of several requests in one memory, each behind room for the head of its record
// (record.ts). From a client's frame to the frames for the peers and to the disk, its bytes are
// copied here and nowhere else.

import { viewOf } from './binary.ts';
import { STAMP_BYTES, putPayload } from './command.ts';
import { RECORD_HEADER_BYTES } from './record.ts';

/** What a client asks for. */
export interface CommandRequest {
  /** From encodeBody. */
  readonly body: Uint8Array;
  /** As in CommandStamp. */
  readonly ackedBelow: number;
}

/** Payloads as encodePayload makes them, in the order of the requests. */
export interface Payloads {
  readonly payloads: readonly Uint8Array[];
  /** The memory of all, for Entry.record. */
  readonly record: Uint8Array;
}

/** `stampMs` as in CommandStamp. */
export function encodePayloads(requests: readonly CommandRequest[], stampMs: number): Payloads {
  let length = 0;
  for (const { body } of requests) length += RECORD_HEADER_BYTES + STAMP_BYTES + body.length;
  const record = new Uint8Array(length);
  const view = viewOf(record);
  const payloads: Uint8Array[] = [];
  let at = 0;
  for (const { body, ackedBelow } of requests) {
    at += RECORD_HEADER_BYTES;
    putPayload({ bytes: record, view, at }, body, { ackedBelow, stampMs });
    const payloadBytes = STAMP_BYTES + body.length;
    payloads.push(new Uint8Array(record.buffer, at, payloadBytes));
    at += payloadBytes;
  }
  return { payloads, record };
}
