import { probes } from '../base/probe.ts';
import type { Revision } from '../base/units.ts';
import type { WatchListener } from './host-types.ts';
import type { WatchLog } from './watch-log.ts';

/** Watchers told of progress in one turn of the loop. */
const TOLD_PER_TURN_MAX = 4_096;

/** A watcher, as far as progress is concerned. */
export interface Follower {
  readonly listener: Pick<WatchListener, 'onEvents'>;
  /** It hears of everything as it is applied. */
  readonly isLive: boolean;
  /** The last revision that it was told. */
  told: Revision;
}

/**
 * Keeps watchers of whom nothing happens from falling behind what the log remembers: else one that
 * comes back would learn of a gap on a busy cluster though it missed nothing. Each time the log has
 * filled by another quarter, those who heard nothing since the time before are told how far they
 * are. So a watcher lags by half a log at most, and an event costs the watchers' share of it.
 */
export class WatchProgress {
  private readonly log: WatchLog;
  /** How far the log had filled at the last round, and what was published then. */
  private quarters = 0;
  private roundAt: Revision = 0;
  private latest: Revision = 0;
  /** Still to be told in this round. Bounded by the watchers. */
  private readonly quiet = new Set<Follower>();

  constructor(log: WatchLog) {
    this.log = log;
  }

  /** Whether somebody is to be told soon. */
  get isDue(): boolean {
    return this.quiet.size > 0;
  }

  /** All live ones of `followers` have heard of this revision if it concerns them. */
  onPublished(revision: Revision, followers: Iterable<Follower>): void {
    this.latest = revision;
    if (this.log.quarters === this.quarters) return;
    // The floor may be above: one entry can be more than the log holds.
    const behindAt = Math.max(this.roundAt, this.log.floor);
    for (const each of followers) {
      if (each.isLive && each.told <= behindAt) this.quiet.add(each);
    }
    this.quarters = this.log.quarters;
    this.roundAt = revision;
  }

  /** It watches no more. */
  forget(follower: Follower): void {
    this.quiet.delete(follower);
  }

  /** Tells some of those that are behind. */
  tellSome(): void {
    let left = TOLD_PER_TURN_MAX;
    for (const each of this.quiet) {
      if (left-- === 0) return;
      this.quiet.delete(each);
      this.tell(each, this.latest);
    }
  }

  /** Everything up to this revision was told, or is none of its business. */
  tell(follower: Follower, revision: Revision): void {
    if (follower.told >= revision) return;
    probes.reach('quiet-watch-told-of-progress');
    follower.told = revision;
    follower.listener.onEvents(revision, []);
  }
}
