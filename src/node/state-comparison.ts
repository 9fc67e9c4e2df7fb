import type { Index } from '../base/units.ts';
import type { Logger } from '../ports/logger.ts';
import type { Member } from '../raft/config.ts';
import type { Identity } from '../raft/configurations.ts';
import type { Sender } from '../raft/messages.ts';
import type { StateHashMessage } from '../wire/peer-messages.ts';
import type { Alarms } from './alarms.ts';
import { stateDiffers } from './host-exits.ts';
import type { HostExit } from './host-types.ts';
import { StateHashes } from './state-hashes.ts';
import type { Verdict } from './state-hashes.ts';

/** Whom to compare with, and where the verdict goes. */
export interface StateComparisonOptions {
  readonly self: Identity;
  readonly voters: () => readonly Member[];
  readonly alarms: Alarms;
  readonly logger: Logger;
  readonly broadcast: (message: StateHashMessage) => void;
  readonly onFailed: (exit: HostExit) => void;
}

/**
 * Tells the others what this node's state hashes to now and then, and hears the same of them. A
 * node that differs from a majority ends: it must neither serve nor vote with what it has. What
 * the rest can see of it is an alarm (RAFT.md §15.5).
 */
export class StateComparison {
  private readonly options: StateComparisonOptions;
  private readonly hashes: StateHashes;

  constructor(options: StateComparisonOptions) {
    this.options = options;
    this.hashes = new StateHashes(options.self.storeId);
  }

  /** This node applied the entry. */
  onOwn(index: Index, hash: string): void {
    const { self, voters, broadcast } = this.options;
    broadcast({ type: 'stateHash', index, hash });
    this.conclude(this.hashes.note({ index, storeId: self.storeId, hash }, voters()));
  }

  /** Another one did. */
  onPeer({ storeId }: Sender, { index, hash }: StateHashMessage): void {
    this.conclude(this.hashes.note({ index, storeId, hash }, this.options.voters()));
  }

  private conclude(verdict: Verdict): void {
    const { onFailed } = this.options;
    switch (verdict.kind) {
      case 'equal':
        return;
      case 'differs':
        return onFailed(stateDiffers(verdict.index));
      case 'strange':
        // Before the last voter was heard, nobody could tell.
        this.options.alarms.clear('states');
        for (const nodeId of verdict.nodes) {
          const text =
            `The state of ${nodeId} differed from that of the majority at entry ` +
            `${verdict.index}: it is damaged, and stops itself. Replace it by a new node.`;
          this.raise(`state of ${nodeId}`, text, verdict.index);
        }
        return;
      case 'undecided': {
        const text =
          `The nodes had different states at entry ${verdict.index}, and no majority agrees: ` +
          'nobody can tell which is right. Stop handing out work, keep all directories, take ' +
          'a backup of each, and compare what the nodes list.';
        return this.raise('states', text, verdict.index);
      }
    }
  }

  private raise(topic: string, text: string, index: Index): void {
    if (this.options.alarms.raise(topic, text)) this.options.logger.error(text, { index });
  }
}
