import type { NodeId } from '../../base/units.ts';
import type { Command } from '../../locks/commands.ts';
import type { Applied, LockEvent } from '../../locks/outcomes.ts';
import type { HostWatch } from '../../node/host-types.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Entry } from '../../raft/entry.ts';
import type { RaftEffect, RaftEvent } from '../../raft/events.ts';
import { IndexTimes } from './index-times.ts';

const US_PER_S = 1_000_000;

/** How often each of some kinds of things happened. */
class Counts {
  private readonly numbers = new Map<string, number>();

  add(kind: string): void {
    this.numbers.set(kind, (this.numbers.get(kind) ?? 0) + 1);
  }

  entries(): Iterable<readonly [string, number]> {
    return this.numbers;
  }
}

/** What a tally needs. */
export interface TallyOptions {
  readonly clock: Pick<Clock, 'monoUs'>;
  /** A grant is over; this leader saw it for so many seconds. */
  readonly onHeld: (seconds: number) => void;
}

/**
 * Counts what a node does, over its shoulder: plain numbers, read when somebody asks. What follows
 * from applying is counted by whoever leads, so that the sum over all nodes is the cluster's.
 */
export class Tally implements HostWatch {
  grants = 0;
  queued = 0;
  sessionsOpened = 0;
  readonly freed = new Counts();
  readonly left = new Counts();
  readonly sessionsEnded = new Counts();
  readonly outcomes = new Counts();
  readonly refusals = new Counts();
  readonly keepAlives = new Counts();
  elections = 0;
  campaigns = 0;
  leaderChanges = 0;
  appendedEntries = 0;
  appendedBytes = 0;
  private readonly options: TallyOptions;
  private readonly times = new IndexTimes();
  private isLeading = false;
  private leaderId: NodeId | null = null;
  private nowUs = 0;

  constructor(options: TallyOptions) {
    this.options = options;
  }

  started(): void {}

  installed(): void {}

  refused(code: string): void {
    this.refusals.add(code);
  }

  keptAlive(code: string): void {
    this.keepAlives.add(code);
  }

  stepped(_event: RaftEvent, effects: readonly RaftEffect[]): void {
    for (const effect of effects) {
      if (effect.type === 'persist') this.onPersist(effect.entries);
      else if (effect.type === 'apply') this.onApply(effect.entries);
      else if (effect.type === 'role') this.onRole(effect);
    }
  }

  applied(_entry: Entry, _command: Command | null, applied: Applied | null): void {
    if (!this.isLeading || applied === null) return;
    this.outcomes.add(applied.outcome.code);
    for (const event of applied.events) this.onEvent(event);
  }

  private onEvent(event: LockEvent): void {
    switch (event.type) {
      case 'granted':
        this.grants += 1;
        return;
      case 'freed':
        this.freed.add(event.cause);
        return this.options.onHeld(this.times.ageUs(event.token, this.nowUs) / US_PER_S);
      case 'queued':
        this.queued += 1;
        return;
      case 'left':
        return this.left.add(event.cause);
      case 'sessionOpened':
        this.sessionsOpened += 1;
        return;
      case 'sessionEnded':
        return this.sessionsEnded.add(event.cause);
      default:
    }
  }

  private onPersist(entries: readonly Entry[]): void {
    this.appendedEntries += entries.length;
    for (const entry of entries) {
      if (entry.type === 'command') this.appendedBytes += entry.payload.length;
    }
  }

  /** The clock is read once for all of them, not for each. */
  private onApply(entries: readonly Entry[]): void {
    const last = entries.at(-1);
    if (last === undefined) return;
    this.nowUs = this.options.clock.monoUs();
    this.times.note(last.index, this.nowUs);
  }

  private onRole({ role, leaderId }: Extract<RaftEffect, { readonly type: 'role' }>): void {
    if (role === 'leader' && !this.isLeading) this.elections += 1;
    if (role === 'preCandidate') this.campaigns += 1;
    if (leaderId !== null && leaderId !== this.leaderId) {
      this.leaderChanges += 1;
      this.leaderId = leaderId;
    }
    this.isLeading = role === 'leader';
  }
}
