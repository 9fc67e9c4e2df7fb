// Nearly all that a busy client hears is that an acquire was granted or queued, or that a release
// is done. Frames of nothing else are read straight from the bytes here, in a fifth of the time
// that arrays of their fields take. As in usual-commands.ts, whatever is not in exactly that form
// is left to the reader of all forms, frame by frame.

import type { Outcome } from '../locks/outcomes.ts';
import type { Reply } from './client-messages.ts';
import { REPLY_TYPES } from './client-replies.ts';
import { OUTCOME_CODES } from './outcome.ts';
import { PlainReader } from './plain-reader.ts';
import { choiceOf } from './reader.ts';

const REPLY = choiceOf(REPLY_TYPES, 'reply');
const REPLY_FIELDS = 4;
const GRANTED = choiceOf(OUTCOME_CODES, 'GRANTED');
const QUEUED = choiceOf(OUTCOME_CODES, 'QUEUED');
const DONE = choiceOf(OUTCOME_CODES, 'DONE');

const DONE_OUTCOME: Outcome = { code: 'DONE' };
const NO_SLOTS: readonly (readonly number[])[] = [];

/** The messages of a frame of a node, if all are usual replies; null for any other frame. */
export function usualReplies(frame: Uint8Array): readonly Reply[] | null {
  const from = new PlainReader();
  from.begin(frame, 0);
  const replies: Reply[] = [];
  for (let left = from.array(); left > 0; left--) {
    from.expectArray(REPLY_FIELDS);
    if (from.byte() !== REPLY) return null;
    const requestId = from.integer(0);
    const revision = from.integer(0);
    const outcome = usualOutcome(from);
    if (outcome === null || !from.isPlain) return null;
    replies.push({ type: 'reply', requestId, revision, outcome });
  }
  return from.isWhole() ? replies : null;
}

function usualOutcome(from: PlainReader): Outcome | null {
  const fields = from.array();
  const code = from.byte();
  if (code === DONE && fields === 1) return DONE_OUTCOME;
  if (code === QUEUED && fields === 2) return { code: 'QUEUED', ahead: from.integer(0) };
  if (code !== GRANTED || fields !== 3) return null;
  const token = from.integer(1);
  from.expectArray(0);
  return { code: 'GRANTED', token, slots: NO_SLOTS };
}
