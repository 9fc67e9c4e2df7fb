import type { Index, NodeId } from '../base/units.ts';
import type { RaftEvent } from '../raft/events.ts';
import type {
  MembershipChange,
  MembershipRefusal,
  TransferRefusal,
} from '../raft/membership-change.ts';
import type { DecisionEffect } from './engine.ts';

/** What became of a change: appended at `index`, or refused, and then nothing happened. */
export interface ConfigDecision {
  readonly index: Index;
  readonly refusal: MembershipRefusal | null;
}

type Handler =
  | { readonly kind: 'config'; readonly done: (decision: ConfigDecision) => void }
  | { readonly kind: 'transfer'; readonly done: (refusal: TransferRefusal | null) => void };

/**
 * What was asked of the core and is decided by it later: each question has a number, and gets one
 * answer. Bounded by whoever asks: operators one at a time, a stopping node once.
 */
export class Decisions {
  private readonly step: (event: RaftEvent) => void;
  private readonly waiting = new Map<number, Handler>();
  private lastId = 0;

  constructor(step: (event: RaftEvent) => void) {
    this.step = step;
  }

  /** Leader only. `done` possibly within the call. */
  changeConfig(
    ask: { readonly change: MembershipChange; readonly expectedIndex: Index | null },
    done: (decision: ConfigDecision) => void,
  ): void {
    const id = this.add({ kind: 'config', done });
    this.step({ type: 'changeConfig', id, ...ask });
  }

  /** Hands leadership over, null: to the best of the others. `done` possibly within the call. */
  transfer(to: NodeId | null, done: (refusal: TransferRefusal | null) => void): void {
    const id = this.add({ kind: 'transfer', done });
    this.step({ type: 'transfer', id, to });
  }

  settle(effect: DecisionEffect): void {
    const handler = this.waiting.get(effect.id);
    this.waiting.delete(effect.id);
    if (effect.type === 'configDecided' && handler?.kind === 'config') handler.done(effect);
    if (effect.type === 'transferDecided' && handler?.kind === 'transfer') {
      handler.done(effect.refusal);
    }
  }

  private add(handler: Handler): number {
    this.lastId += 1;
    this.waiting.set(this.lastId, handler);
    return this.lastId;
  }
}
