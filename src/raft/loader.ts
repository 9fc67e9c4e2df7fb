// Entries that left memory, on their way back from the disk. They are used in the step in which
// they arrive, or not at all: whoever still needs them asks again.

import { probes } from '../base/probe.ts';
import type { Index, Term } from '../base/units.ts';
import type { Entry } from './entry.ts';
import type { Log } from './log.ts';
import { entryBytes } from './log.ts';

/** Reads out at one time: one per slow follower and one for applying. */
const LOADS_MAX = 16;

/** A read that the host shall do. */
export interface LoadRequest {
  readonly from: Index;
  readonly maxBytes: number;
}

/** One stretch of the log that somebody wants, both ends included. */
export interface Stretch {
  readonly from: Index;
  readonly last: Index;
  readonly bytesMax: number;
}

/** Reads entries from memory, or from what was loaded, or asks for a load. */
export class Loader {
  private readonly log: Log;
  private readonly waiting = new Set<Index>();
  private arrived: readonly Entry[] = [];
  private requests: LoadRequest[] = [];

  constructor(log: Log) {
    this.log = log;
  }

  /** A contiguous part of the stretch from its beginning; null when it must be waited for. */
  read(stretch: Stretch): readonly Entry[] | null {
    const inMemory = this.log.slice(stretch.from, stretch.last, stretch.bytesMax);
    if (inMemory !== null) return inMemory;
    if (this.arrived[0]?.index === stretch.from) return within(this.arrived, stretch);
    if (!this.waiting.has(stretch.from) && this.waiting.size < LOADS_MAX) {
      probes.reach('entries-loaded-from-disk');
      this.waiting.add(stretch.from);
      this.requests.push({ from: stretch.from, maxBytes: stretch.bytesMax });
    }
    return null;
  }

  /** The answer to a load. Entries that were cut meanwhile are told by their terms (INV-3). */
  onLoaded(from: Index, entries: readonly Entry[]): void {
    this.waiting.delete(from);
    let valid = 0;
    for (const entry of entries) {
      if (entry.index !== from + valid || this.termAt(entry.index) !== entry.term) break;
      valid++;
    }
    this.arrived = valid === entries.length ? entries : entries.slice(0, valid);
  }

  /** Ends a step: what arrived is let go, what was asked for is handed out. */
  endStep(): readonly LoadRequest[] {
    this.arrived = [];
    const requests = this.requests;
    if (requests.length > 0) this.requests = [];
    return requests;
  }

  private termAt(index: Index): Term | null {
    return index > this.log.anchorIndex ? this.log.termAt(index) : null;
  }
}

function within(entries: readonly Entry[], stretch: Stretch): readonly Entry[] {
  let bytes = 0;
  let count = 0;
  for (const entry of entries) {
    bytes += entryBytes(entry);
    if (entry.index > stretch.last || (count > 0 && bytes > stretch.bytesMax)) break;
    count++;
  }
  return count === entries.length ? entries : entries.slice(0, count);
}
