import type { Index } from '../base/units.ts';
import type { Command } from '../locks/commands.ts';
import type { Entry } from '../raft/entry.ts';
import { decodePayload } from '../wire/command.ts';
import { DecodeError } from '../wire/msgpack.ts';
import { UsualCommands } from '../wire/usual-commands.ts';
import type { Checkpointer } from './checkpointer.ts';
import type { HostWatch } from './host-types.ts';
import type { LockState } from './lock-state.ts';
import type { News } from './news.ts';
import type { Office } from './office.ts';
import type { Proposals } from './proposals.ts';
import type { Watches } from './watches.ts';

/** What applying feeds: the machine, and what follows from its events. */
export interface ApplierOptions {
  readonly state: LockState;
  readonly checkpointer: Pick<Checkpointer, 'look' | 'mustPause'>;
  readonly office: Office;
  readonly proposals: Proposals;
  readonly news: News;
  readonly watches: Watches;
  readonly watch: HostWatch | undefined;
  /** State hashes are told at entries whose index is a multiple of this. */
  readonly hashEvery: number;
  readonly onStateHash: (index: Index, hash: string) => void;
  /** In another turn of the loop. */
  readonly soon: (callback: () => void) => void;
  /** Everything that was given up to there is applied. */
  readonly onApplied: (index: Index) => void;
}

/** Entries that are applied before other work of the loop passes: some milliseconds. */
const ENTRIES_PER_TURN = 1_024;

/**
 * The one place where a committed entry becomes state, and state an answer, a lease and news.
 * The same on every node; only the leader has somebody to answer, and deadlines that count.
 */
export class Applier {
  private readonly options: ApplierOptions;
  /** Committed entries that wait, for a checkpoint or for the next turn; a page at most. */
  private waiting: readonly Entry[] = [];
  /** Entries that may still be applied before this one lets other work pass. */
  private left = ENTRIES_PER_TURN;
  private readonly usual = new UsualCommands();

  constructor(options: ApplierOptions) {
    this.options = options;
  }

  /** Applies entries in order; the last of them possibly later, by `resume`. */
  apply(entries: readonly Entry[]): void {
    const { checkpointer, state, onApplied } = this.options;
    let count = 0;
    while (count < entries.length && this.left > 0 && !checkpointer.mustPause()) {
      const entry = entries[count];
      if (entry !== undefined) this.applyEntry(entry);
      count += 1;
      this.left -= 1;
    }
    this.waiting = entries.slice(count);
    if (count > 0 && this.left === 0) this.letPass();
    if (count > 0) onApplied(state.appliedIndex);
    checkpointer.look();
  }

  /** Goes on with what had to wait, if it need not wait any more. */
  resume(): void {
    if (this.waiting.length > 0) this.apply(this.waiting);
  }

  private letPass(): void {
    this.options.soon(() => {
      this.left = ENTRIES_PER_TURN;
      this.resume();
    });
  }

  private applyEntry(entry: Entry): void {
    const { state, watch, hashEvery, onStateHash } = this.options;
    state.advance(entry.index);
    if (entry.type === 'command') this.applyCommand(entry);
    else watch?.applied(entry, null, null);
    if (entry.index % hashEvery === 0) onStateHash(entry.index, state.machine.stateHash());
  }

  private applyCommand(entry: Entry): void {
    const { state, office, proposals, news, watches, watch } = this.options;
    const command = this.usual.read(entry.payload) ?? readCommand(entry.payload);
    if (command === null) {
      watch?.applied(entry, null, null);
      const message = 'this version does not understand the command';
      proposals.settle(entry, { code: 'INVALID', message });
      return;
    }
    const applied = state.machine.apply(entry.index, entry.term, command);
    watch?.applied(entry, command, applied);
    const { outcome, events } = applied;
    for (const event of events) office.observe(event);
    if (command.op === 'expireSession') office.leases.spared(command.session);
    proposals.settle(entry, outcome);
    for (const event of events) news.publish(event, command, entry.index);
    if (events.length > 0) watches.publish(entry.index, events);
  }
}

/** Null for bytes that this version cannot read: the same on every node of this version. */
function readCommand(payload: Uint8Array): Command | null {
  try {
    return decodePayload(payload);
  } catch (error) {
    if (error instanceof DecodeError) return null;
    throw error;
  }
}
