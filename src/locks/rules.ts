// What is in force for all sessions and locks: the replicated limits, and the embargo of a restore.

import { compareUtf8 } from '../base/name.ts';
import type { ReplicatedLimits } from './commands.ts';
import { areSame, highestOf, limitsRow } from './limits.ts';
import type { Embargo, RowValue } from './machine-types.ts';
import { StateRow } from './rows.ts';
import type { RowLedger } from './rows.ts';

/** The key of the only row that is not of a session or a ghost. */
export const RULES_KEY = 'rules';

/** A cluster that is as it was founded has no row of it. */
export class Rules extends StateRow {
  /** Of the founding record; what is stored is what differs from them. */
  private readonly founded: ReplicatedLimits;
  limits: ReplicatedLimits;
  /** null: grants are made. */
  embargo: Embargo | null = null;
  /**
   * The highest that each limit ever was. What began under a limit outlives it: beliefs in locks,
   * what a session holds and may give back, how far ahead a client may number its requests.
   */
  highest: ReplicatedLimits;

  constructor(founded: ReplicatedLimits) {
    super();
    this.founded = founded;
    this.limits = founded;
    this.highest = founded;
  }

  /** Whether a name may be granted: what asks for several needs all of them (RAFT.md §13). */
  allow(name: string): boolean {
    if (this.embargo === null) return true;
    const { cursor } = this.embargo;
    return cursor !== null && compareUtf8(name, cursor) <= 0;
  }

  /** From now on, for what comes later: nothing that is there is measured again. */
  setLimits(limits: ReplicatedLimits, rows: RowLedger): void {
    this.limits = limits;
    this.highest = highestOf(this.highest, limits);
    this.account(rows);
  }

  /** null ends it. */
  setEmbargo(embargo: Embargo | null, rows: RowLedger): void {
    this.embargo = embargo;
    this.account(rows);
  }

  /** Whether anything differs from what the founding record says. */
  isStored(): boolean {
    const { founded, limits, embargo, highest } = this;
    return embargo !== null || !areSame(limits, founded) || !areSame(highest, founded);
  }

  override rowKey(): string {
    return RULES_KEY;
  }

  override rowValue(): RowValue {
    const { limits, highest, embargo } = this;
    const held = embargo === null ? null : [embargo.embargoMs, embargo.cursor];
    return [limitsRow(limits), limitsRow(highest), held];
  }

  private account(rows: RowLedger): void {
    if (this.isStored()) rows.touch(this);
    else rows.drop(this);
  }
}
