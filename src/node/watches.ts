import { probes } from '../base/probe.ts';
import type { ErrorCode } from '../base/error.ts';
import type { Index, Revision } from '../base/units.ts';
import type { LockEvent } from '../locks/outcomes.ts';
import type { WatchEvent, WatchTarget } from '../wire/client-messages.ts';
import type { WatchListener } from './host-types.ts';
import type { ReadHandler } from './reads.ts';
import { asNamed, namesOf, watchEventOf } from './watch-event-of.ts';
import { WatchIndex } from './watch-index.ts';
import type { WatchLog, WatchedEntry } from './watch-log.ts';
import { WatchProgress } from './watch-progress.ts';
import type { Follower } from './watch-progress.ts';

/** Events of the past that one turn of the loop looks at, for all watchers together. */
const REPLAYED_PER_TURN_MAX = 4_096;

export interface WatchesOptions {
  readonly log: WatchLog;
  readonly soon: (callback: () => void) => void;
  readonly appliedIndex: () => Index;
  /** Asks a quorum whether this node leads, and waits until it has applied what was committed. */
  readonly confirm: (done: ReadHandler) => void;
}

interface Watcher extends Follower {
  readonly target: WatchTarget;
  readonly after: Revision | null;
  readonly listener: WatchListener;
  /** Those that share a round with it. */
  readonly batch: Set<Watcher>;
  /** Everything up to here was told, or is none of its business. */
  cursor: Revision;
  isLive: boolean;
  isOver: boolean;
}

/**
 * Who watches the locks of a leader. A watch begins with a quorum round: what it begins at is not
 * older than the question, so no revision is told twice or left out when a client comes from
 * another leader. Then it replays what the log still has, a bounded amount a turn, and from where
 * that ends on it hears of everything as it is applied.
 */
export class Watches {
  private readonly options: WatchesOptions;
  private readonly live = new WatchIndex<Watcher>();
  private readonly progress: WatchProgress;
  /** Those that began, live or not. Bounded by the doors. */
  private readonly begun = new Set<Watcher>();
  private readonly replaying = new Set<Watcher>();
  /** Those that came in this turn, and share a round. */
  private gathering = new Set<Watcher>();
  private isScheduled = false;
  private isStopped = false;

  constructor(options: WatchesOptions) {
    this.options = options;
    this.progress = new WatchProgress(options.log);
  }

  /** Begins a watch, soon. Nothing is told any more after the function that it returns. */
  add(target: WatchTarget, after: Revision | null, listener: WatchListener): () => void {
    const batch = this.gathering;
    const state = { cursor: 0, told: 0, isLive: false, isOver: false };
    const watcher = { target, after, listener, batch, ...state };
    if (batch.size === 0) this.options.soon(() => this.confirmGathered());
    batch.add(watcher);
    return () => this.remove(watcher);
  }

  /** An entry was applied, here as on every node. Costs a push when nobody watches. */
  publish(revision: Revision, events: readonly LockEvent[]): void {
    this.options.log.push(revision, events);
    if (this.live.size > 0) this.tellLive(revision, events);
    this.progress.onPublished(revision, this.begun);
    if (this.progress.isDue) this.schedule();
  }

  /**
   * The state became another one, as of this revision: nobody knows what happened on the way. Only
   * where nobody watches, for only a leader is watched, and its state grows by entries alone.
   */
  restart(revision: Revision): void {
    this.options.log.restart(revision);
  }

  private tellLive(revision: Revision, events: readonly LockEvent[]): void {
    const told = new Map<Watcher, WatchEvent[]>();
    for (const each of events) {
      const event = asNamed(each);
      if (event === null) continue;
      for (const name of namesOf(event)) {
        let view: WatchEvent | null = null;
        for (const watcher of this.live.of(name)) {
          view ??= watchEventOf(event, name);
          const list = told.get(watcher);
          if (list === undefined) told.set(watcher, [view]);
          else list.push(view);
        }
      }
    }
    for (const [watcher, list] of told) {
      if (watcher.isOver) continue;
      watcher.told = revision;
      watcher.listener.onEvents(revision, list);
    }
  }

  /** The office is lost: the next leader goes on where each of them stopped. */
  stepDown(): void {
    this.endAll('NOT_LEADER', 'this node does not lead any more');
  }

  /** Nobody is served any more. */
  stop(): void {
    this.isStopped = true;
    this.endAll('UNAVAILABLE', 'the node is stopping');
  }

  private endAll(code: ErrorCode, message: string): void {
    for (const watcher of [...this.begun]) this.end(watcher, code, message);
  }

  private end(watcher: Watcher, code: ErrorCode, message: string): void {
    if (watcher.isOver) return;
    this.remove(watcher);
    watcher.listener.onOver(code, message);
  }

  private remove(watcher: Watcher): void {
    if (watcher.isOver) return;
    watcher.isOver = true;
    watcher.batch.delete(watcher);
    this.replaying.delete(watcher);
    this.progress.forget(watcher);
    if (this.begun.delete(watcher)) this.live.delete(watcher.target, watcher);
  }

  private confirmGathered(): void {
    const batch = this.gathering;
    if (batch.size === 0) return;
    this.gathering = new Set();
    this.options.confirm((isConfirmed) => {
      for (const watcher of [...batch]) {
        if (isConfirmed) this.begin(watcher);
        else if (this.isStopped) this.end(watcher, 'UNAVAILABLE', 'the node is stopping');
        else this.end(watcher, 'NOT_LEADER', 'this node does not lead');
      }
    });
  }

  private begin(watcher: Watcher): void {
    if (watcher.isOver) return;
    const { after, listener, batch } = watcher;
    batch.delete(watcher);
    const applied = this.options.appliedIndex();
    this.begun.add(watcher);
    if (after === null || after === applied) {
      watcher.told = applied;
      listener.onStart(applied, true);
      return this.goLive(watcher);
    }
    // A revision that is not reached yet is of another history: what is known ends nowhere here.
    if (after > applied || after < this.options.log.floor) {
      probes.reach('watch-begins-with-gap');
      watcher.told = applied;
      listener.onStart(applied, false);
      return this.goLive(watcher);
    }
    probes.reach('watch-resumes');
    watcher.cursor = after;
    watcher.told = after;
    listener.onStart(after, true);
    if (watcher.isOver) return;
    this.replaying.add(watcher);
    this.schedule();
  }

  // In the same turn as the last look into the log, so that nothing is applied in between.
  private goLive(watcher: Watcher): void {
    this.replaying.delete(watcher);
    if (watcher.isOver) return;
    watcher.isLive = true;
    this.live.add(watcher.target, watcher);
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    this.options.soon(() => this.turn());
  }

  private turn(): void {
    this.isScheduled = false;
    this.progress.tellSome();
    let left = REPLAYED_PER_TURN_MAX;
    for (const watcher of this.replaying) {
      left = this.replay(watcher, left);
      if (left <= 0) break;
    }
    if (this.replaying.size > 0 || this.progress.isDue) this.schedule();
  }

  /** Tells one watcher of at most so many events; how many may still be told in this turn. */
  private replay(watcher: Watcher, budget: number): number {
    const { log } = this.options;
    let left = budget;
    while (left > 0 && !watcher.isOver) {
      if (watcher.cursor < log.floor) {
        this.end(watcher, 'OVERLOADED', 'locks changed faster than the past could be told');
        return left;
      }
      const entry = log.next(watcher.cursor);
      if (entry === null) {
        this.progress.tell(watcher, watcher.cursor);
        this.goLive(watcher);
        return left;
      }
      left -= entry.events.length;
      watcher.cursor = entry.revision;
      this.tell(watcher, entry);
    }
    // The others first, next time.
    if (this.replaying.delete(watcher)) this.replaying.add(watcher);
    return left;
  }

  private tell(watcher: Watcher, { revision, events }: WatchedEntry): void {
    const { target, listener } = watcher;
    const list: WatchEvent[] = [];
    for (const each of events) {
      const event = asNamed(each);
      if (event === null) continue;
      for (const name of namesOf(event)) {
        if (isAbout(target, name)) list.push(watchEventOf(event, name));
      }
    }
    if (list.length === 0) return;
    watcher.told = revision;
    listener.onEvents(revision, list);
  }
}

function isAbout({ name, prefix }: WatchTarget, changed: string): boolean {
  return name === null ? changed.startsWith(prefix) : changed === name;
}
