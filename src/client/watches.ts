// Subscriptions of a client to events of locks: each follows the leader, over every reconnect.

import { ERROR_CODES, HoldfastError } from '../base/error.ts';
import { probes } from '../base/probe.ts';
import type { Revision } from '../base/units.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import type { ClientMessage, NodeMessage } from '../wire/client-messages.ts';
import type { WatchEvent, WatchTarget } from '../wire/watch-messages.ts';
import { Backoff } from './backoff.ts';
import type { NodeLink } from './link.ts';
import type { Links } from './links.ts';

/** Watches and observed elections of one client at the same time. */
const WATCHES_MAX = 1_000;
const PAUSE_FIRST_US = 10_000;
const PAUSE_CAP_US = 1_000_000;

/** Who hears the events. */
export interface FeedOwner {
  /** Events of later revisions follow, with none left out. Again after each reconnect. */
  onBegun(revision: Revision): void;
  /** All of one entry that concern the target, in their order. Empty: nothing up to there. */
  onEvents(revision: Revision, events: readonly WatchEvent[]): void;
  /** Events up to this revision are no longer known. */
  onGap(revision: Revision): void;
  /** The last call: no more will come. */
  onFailed(error: HoldfastError): void;
}

/** One subscription. `seen`: all events up to there were told; null before it began. */
interface Feed {
  readonly target: WatchTarget;
  readonly owner: FeedOwner;
  seen: Revision | null;
  /** Where it is subscribed under `watchId`; null: nowhere now. */
  link: NodeLink | null;
  watchId: number;
  /** Events of an entry whose last ones have not arrived. Bounded by what one entry can cause. */
  partial: WatchEvent[];
}

type WatchMessages = Extract<
  NodeMessage,
  { readonly type: 'watching' | 'watchEvents' | 'watchOver' }
>;

/**
 * Invariant: a feed hears each revision once, in order, or of a gap in between, however often its
 * link ends: every subscription asks for what follows the last complete revision, under an id of
 * its own, so that what is late of an earlier one does not count.
 */
export class Watches {
  private readonly clock: Clock;
  private readonly links: Links;
  private readonly backoff: Backoff;
  // All, and by id those that are subscribed now; at most WATCHES_MAX.
  private readonly feeds = new Set<Feed>();
  private readonly subscribed = new Map<number, Feed>();
  private nextId = 1;
  private isDue = false;
  private pause: Timer | null = null;
  private failure: HoldfastError | null = null;

  constructor(ports: { readonly clock: Clock; readonly random: Random }, links: Links) {
    this.clock = ports.clock;
    this.links = links;
    this.backoff = new Backoff(ports.random, PAUSE_FIRST_US, PAUSE_CAP_US);
  }

  /**
   * Subscribes to events of revisions after `after`, or from now on (null). Calls its owner only
   * after this call. Returns the way to stop. Throws OVERLOADED.
   */
  open(target: WatchTarget, after: Revision | null, owner: FeedOwner): () => void {
    if (this.feeds.size >= WATCHES_MAX) {
      const text = `a client may have ${WATCHES_MAX} watches at a time; close some`;
      throw new HoldfastError('OVERLOADED', text);
    }
    const feed: Feed = { target, owner, seen: after, link: null, watchId: 0, partial: [] };
    this.feeds.add(feed);
    this.subscribeSoon();
    return () => this.end(feed);
  }

  /** The leader's link may be another one, or ready again. */
  onChange(): void {
    this.endPause();
    this.subscribeSoon();
  }

  onDown(link: NodeLink): void {
    for (const feed of this.feeds) if (feed.link === link) this.detach(feed);
  }

  onMessage(link: NodeLink, message: WatchMessages): void {
    const feed = this.subscribed.get(message.watchId);
    if (feed === undefined || feed.link !== link) return;
    if (message.type === 'watching') this.onWatching(feed, message);
    else if (message.type === 'watchEvents') onEvents(feed, message);
    else this.onOver(feed, message);
  }

  /** Ends all, now and from now on. */
  failAll(error: HoldfastError): void {
    this.failure ??= error;
    this.endPause();
    this.subscribeSoon();
  }

  private onWatching(feed: Feed, message: Extract<WatchMessages, { type: 'watching' }>): void {
    this.backoff.reset();
    feed.seen = message.revision;
    if (!message.isComplete) {
      probes.reach('watch-has-gap');
      feed.owner.onGap(message.revision);
    }
    feed.owner.onBegun(message.revision);
  }

  // A node that does not lead may be the last to learn it: it is asked again after a pause, unless
  // the news of another leader come first.
  private onOver(feed: Feed, message: Extract<WatchMessages, { type: 'watchOver' }>): void {
    this.detach(feed);
    const { code } = message;
    if (ERROR_CODES[code].retryable) {
      this.pause ??= this.clock.after(this.backoff.take(), () => this.onChange());
      return;
    }
    this.feeds.delete(feed);
    feed.owner.onFailed(new HoldfastError(code, message.message));
  }

  private endPause(): void {
    this.pause?.cancel();
    this.pause = null;
  }

  // Once for all that begin in one turn.
  private subscribeSoon(): void {
    if (this.isDue || this.feeds.size === 0) return;
    this.isDue = true;
    this.clock.soon(() => {
      this.isDue = false;
      if (this.failure === null) this.subscribe();
      else this.tellFailure(this.failure);
    });
  }

  private subscribe(): void {
    const leader = this.links.leader();
    if (leader === null || this.pause !== null) return;
    const frame: ClientMessage[] = [];
    for (const feed of this.feeds) {
      if (feed.link === leader) continue;
      this.leave(feed);
      feed.link = leader;
      feed.watchId = this.nextId++;
      this.subscribed.set(feed.watchId, feed);
      const { watchId, target, seen } = feed;
      frame.push({ type: 'watch', watchId, target, after: seen });
    }
    if (frame.length > 0) leader.send(frame, true);
  }

  private tellFailure(error: HoldfastError): void {
    for (const feed of [...this.feeds]) {
      this.detach(feed);
      this.feeds.delete(feed);
      feed.owner.onFailed(error);
    }
  }

  private end(feed: Feed): void {
    if (this.feeds.delete(feed)) this.leave(feed);
  }

  private leave(feed: Feed): void {
    const { link, watchId } = feed;
    this.detach(feed);
    link?.send([{ type: 'unwatch', watchId }], false);
  }

  private detach(feed: Feed): void {
    this.subscribed.delete(feed.watchId);
    feed.link = null;
    feed.partial = [];
  }
}

function onEvents(feed: Feed, message: Extract<WatchMessages, { type: 'watchEvents' }>): void {
  const { revision, events, hasMore } = message;
  if (feed.seen !== null && revision <= feed.seen) return;
  feed.partial.push(...events);
  if (hasMore) return;
  const all = feed.partial;
  feed.partial = [];
  feed.seen = revision;
  feed.owner.onEvents(revision, all);
}
