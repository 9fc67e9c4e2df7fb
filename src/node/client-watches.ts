import { NAME_BYTES_MAX } from '../base/name.ts';
import type { NodeMessage } from '../wire/client-messages.ts';
import type { WatchEvent, WatchTarget } from '../wire/client-messages.ts';
import type { Revision } from '../base/units.ts';
import type { Host, WatchListener } from './host-types.ts';

/** Watches of one link: 64 links may have 65,536, and a client may ask for prefixes instead. */
const WATCHES_MAX = 1_024;
/** Events in one message, by estimate; an entry may end 10,000 grants. */
const PART_BYTES = 64 * 1024;

/** Who serves the watches, and the way to the client. */
export interface ClientWatchesOptions {
  readonly host: Pick<Host, 'watch'>;
  readonly push: (message: NodeMessage) => void;
}

/** What one client watches, by the numbers that it gave. */
export class ClientWatches {
  private readonly options: ClientWatchesOptions;
  private readonly stops = new Map<number, () => void>();

  constructor(options: ClientWatchesOptions) {
    this.options = options;
  }

  /** A number that is in use begins anew. */
  watch(watchId: number, target: WatchTarget, after: Revision | null): void {
    const { host, push } = this.options;
    this.unwatch(watchId);
    if (isTooLong(target)) {
      const message = `a name has at most ${NAME_BYTES_MAX} bytes; what is watched has more`;
      return push({ type: 'watchOver', watchId, code: 'INVALID', message });
    }
    if (this.stops.size >= WATCHES_MAX) {
      const message = `a link may have at most ${WATCHES_MAX} watches`;
      return push({ type: 'watchOver', watchId, code: 'OVERLOADED', message });
    }
    this.stops.set(watchId, host.watch(target, after, this.listener(watchId)));
  }

  unwatch(watchId: number): void {
    this.stops.get(watchId)?.();
    this.stops.delete(watchId);
  }

  /** The link is gone. */
  stop(): void {
    for (const stop of this.stops.values()) stop();
    this.stops.clear();
  }

  private listener(watchId: number): WatchListener {
    const { push } = this.options;
    return {
      onStart: (revision, isComplete) => push({ type: 'watching', watchId, revision, isComplete }),
      onEvents: (revision, events) => {
        const parts = partsOf(events);
        parts.forEach((part, at) => {
          const hasMore = at < parts.length - 1;
          push({ type: 'watchEvents', watchId, revision, events: part, hasMore });
        });
      },
      onOver: (code, message) => {
        this.stops.delete(watchId);
        push({ type: 'watchOver', watchId, code, message });
      },
    };
  }
}

// A watch is kept with its text; no more of it are than WATCHES_MAX, so each must be small.
function isTooLong({ name, prefix }: WatchTarget): boolean {
  return Math.max(name?.length ?? 0, prefix.length) > NAME_BYTES_MAX;
}

/** Cuts the events of one entry so that each part fits a frame; one part at least. */
function partsOf(events: readonly WatchEvent[]): WatchEvent[][] {
  const parts: WatchEvent[][] = [[]];
  let bytes = 0;
  for (const event of events) {
    const size = watchEventBytes(event);
    if (bytes > 0 && bytes + size > PART_BYTES) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(event);
    bytes += size;
  }
  return parts;
}

/** An upper estimate of an event's encoded size. */
function watchEventBytes({ name, session, value, reason }: WatchEvent): number {
  return 64 + 3 * (name.length + session.length + (value?.length ?? 0) + reason.length);
}
