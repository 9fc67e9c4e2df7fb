// What a session has, as positional arrays.

import type { HoldingView, SessionHoldings } from '../locks/outcomes.ts';
import { MODES } from './modes.ts';
import { Reader, choiceOf, textItem } from './reader.ts';
import { readSlots } from './slot-lists.ts';

/** The holdings as a positional array. */
export function holdingsFields({ holdings, hasMore, nextSeq }: SessionHoldings): unknown[] {
  return [holdings.map(holdingFields), hasMore, nextSeq];
}

/** Throws DecodeError. */
export function readHoldings(value: unknown, what: string): SessionHoldings {
  const read = new Reader(value, what);
  return read.done({
    holdings: read.list('holdings', readHolding),
    hasMore: read.flag('hasMore'),
    nextSeq: read.integer('nextSeq', 1),
  });
}

function holdingFields(view: HoldingView): unknown[] {
  const { acquireSeq, token, names, mode, slots, value } = view;
  return [acquireSeq, token, names, choiceOf(MODES, mode), slots, value];
}

function readHolding(value: unknown, what: string): HoldingView {
  const read = new Reader(value, what);
  return read.done({
    acquireSeq: read.integer('acquireSeq', 1),
    token: read.integer('token'),
    names: read.list('names', textItem),
    mode: read.choice('mode', MODES),
    slots: read.list('slots', readSlots),
    value: read.textOrNull('value'),
  });
}
