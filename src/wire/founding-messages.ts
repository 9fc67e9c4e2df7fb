// What `holdfast init` and `holdfast restore` say to nodes (DESIGN.md §4.12, RAFT.md §15.7).

import type { Index, Term } from '../base/units.ts';
import type { FoundingRecord } from './founding-record.ts';

/** blank: the node belongs to no cluster yet. */
export type FoundingState = 'blank' | 'founded';

/** Steps of `holdfast init` (DESIGN.md §4.12). */
export type FoundingStep =
  | { readonly step: 'ask' }
  /** Sent to the first node of the file only: make and persist the record. */
  | {
      readonly step: 'mint';
      readonly clusterName: string;
      readonly members: FoundingRecord['members'];
      readonly limits: FoundingRecord['limits'];
      /** null: from the clock; tests give 0. */
      readonly origin: Index | null;
    }
  | { readonly step: 'found'; readonly record: FoundingRecord }
  /**
   * Sent to the first node of the file only, for a restore: make the record and keep it in mind.
   * The origin is above all that the backup implies, the clock and `tokenFloor` (RAFT.md §15.7).
   */
  | {
      readonly step: 'mintRestored';
      readonly clusterName: string;
      readonly members: FoundingRecord['members'];
      readonly limits: FoundingRecord['limits'];
      readonly backup: { readonly index: Index; readonly term: Term };
      readonly tokenFloor: Index | null;
    }
  /** Pieces of the restored state, in order: meta, rows, end (wire/checkpoint.ts). */
  | {
      readonly step: 'restorePart';
      readonly sequence: number;
      readonly isLast: boolean;
      readonly content: Uint8Array;
    };

/** One step of founding; the answer carries its requestId. */
export interface FoundingMessage {
  readonly type: 'founding';
  readonly requestId: number;
  readonly step: FoundingStep;
}
