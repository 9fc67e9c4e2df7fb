import type { Index } from '../base/units.ts';
import type { Command } from '../locks/commands.ts';
import type { LockMachine } from '../locks/machine-types.ts';
import type { Entry } from '../raft/entry.ts';
import { decodePayload } from '../wire/command.ts';
import { DecodeError } from '../wire/msgpack.ts';
import type { HostWatch } from './host-types.ts';
import type { News } from './news.ts';
import type { Office } from './office.ts';
import type { Proposals } from './proposals.ts';
import type { Watches } from './watches.ts';

/** What applying feeds: the machine, and what follows from its events. */
export interface ApplierOptions {
  readonly machine: LockMachine;
  readonly office: Office;
  readonly proposals: Proposals;
  readonly news: News;
  readonly watches: Watches;
  readonly watch: HostWatch | undefined;
}

/**
 * The one place where a committed entry becomes state, and state an answer, a lease and news.
 * The same on every node; only the leader has somebody to answer, and deadlines that count.
 */
export class Applier {
  private readonly options: ApplierOptions;
  private applied: Index;

  constructor(options: ApplierOptions, applied: Index) {
    this.options = options;
    this.applied = applied;
  }

  /** Index of the last entry that the machine contains. */
  get appliedIndex(): Index {
    return this.applied;
  }

  apply(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.applied = entry.index;
      if (entry.type === 'command') this.applyCommand(entry);
      else this.options.watch?.applied(entry, null, null);
    }
  }

  private applyCommand(entry: Entry): void {
    const { machine, office, proposals, news, watches, watch } = this.options;
    const command = readCommand(entry.payload);
    if (command === null) {
      watch?.applied(entry, null, null);
      const message = 'this version does not understand the command';
      proposals.settle(entry, { code: 'INVALID', message });
      return;
    }
    const applied = machine.apply(entry.index, entry.term, command);
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
