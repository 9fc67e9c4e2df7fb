// Watches over HTTP, as server-sent events. A stream lives while this node leads, its caller is
// there and reads; whatever ends it, its caller goes on elsewhere from the last id that it has.
//
//     event: watching  | gap       once, at the beginning; the id is where the stream begins
//     event: granted, released …   one for each event of each entry, in the order of the log
//     (an id alone)                nothing happened up to there; no event for the reader
//     : (a comment)                every 15 s, so that neither side waits for the dead
//     event: over                  last of all, when this node ends the stream
//
// Only the last event of an entry carries an id, its revision. 1. An entry has two events. 2. The
// connection ends between them. 3. Had the first one carried the id, the caller would go on after
// the second one without having seen it. As it is, it sees the first one twice.

import { HoldfastError } from '../base/error.ts';
import type { ErrorCode } from '../base/error.ts';
import type { Revision } from '../base/units.ts';
import { US_PER_MS } from '../base/units.ts';
import type { Host, WatchListener } from '../node/host-types.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import type { WatchEvent, WatchTarget } from '../wire/client-messages.ts';
import { watchEventJson } from './views.ts';

/** Bounds of all streams of a node. */
export interface WatchLimits {
  /** Open at once; more are refused with OVERLOADED. */
  readonly openMax: number;
  /** A stream for whose reader so much waits already is cut instead of being told more. */
  readonly unreadBytesMax: number;
}

/** What a caller wants to see. */
export interface WatchRequest {
  readonly target: WatchTarget;
  /** Events of later revisions; null: from now on. */
  readonly after: Revision | null;
}

/** The connection that a stream is written to. */
export interface WatchReader {
  /** Ends it without a word: its caller does not read. */
  cut(): void;
}

/** What streams work with. */
export interface WatchStreamsPorts {
  readonly host: Host;
  readonly clock: Clock;
}

type Bytes = Uint8Array<ArrayBuffer>;

const HEARTBEAT_US = 15_000 * US_PER_MS;

/** All open streams of a node. */
export class WatchStreams {
  private readonly ports: WatchStreamsPorts;
  private readonly limits: WatchLimits;
  private openCount = 0;

  constructor(ports: WatchStreamsPorts, limits: WatchLimits) {
    this.ports = ports;
    this.limits = limits;
  }

  /** How many are open. */
  get size(): number {
    return this.openCount;
  }

  /**
   * Resolves with the stream once the watch has begun; whoever does not read it must cancel it.
   * Rejects with NOT_LEADER on other nodes, and with OVERLOADED when too many are open.
   */
  open(request: WatchRequest, reader: WatchReader): Promise<ReadableStream<Bytes>> {
    const { openMax, unreadBytesMax } = this.limits;
    if (this.openCount >= openMax) {
      const text = `${openMax} watches are open, as many as this node serves; try again later`;
      return Promise.reject(new HoldfastError('OVERLOADED', text));
    }
    this.openCount++;
    return new Promise((resolve, reject) => {
      const stream = new WatchStream(this.ports.clock, {
        unreadBytesMax,
        after: request.after,
        cut: () => reader.cut(),
        onStart: () => resolve(stream.body),
        onRefused: reject,
        onEnd: () => {
          this.openCount--;
          unwatch();
        },
      });
      // The host never calls back from within, so that it is there when the stream ends.
      const unwatch = this.ports.host.watch(request.target, request.after, stream);
    });
  }
}

interface WatchStreamOptions {
  readonly unreadBytesMax: number;
  readonly after: Revision | null;
  readonly cut: () => void;
  readonly onStart: () => void;
  readonly onRefused: (error: HoldfastError) => void;
  /** Once, whatever ended it. */
  readonly onEnd: () => void;
}

class WatchStream implements WatchListener {
  readonly body: ReadableStream<Bytes>;
  private readonly clock: Clock;
  private readonly options: WatchStreamOptions;
  private readonly encoder = new TextEncoder();
  private controller: ReadableStreamDefaultController<Bytes> | null = null;
  private heartbeat: Timer | null = null;
  private hasStarted = false;
  private hasEnded = false;

  constructor(clock: Clock, options: WatchStreamOptions) {
    this.clock = clock;
    this.options = options;
    this.body = new ReadableStream<Bytes>(
      {
        start: (controller) => {
          this.controller = controller;
        },
        cancel: () => this.end(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: options.unreadBytesMax }),
    );
  }

  onStart(revision: Revision, isComplete: boolean): void {
    if (this.hasEnded) return;
    this.hasStarted = true;
    const { after } = this.options;
    if (isComplete) this.write(block('watching', { revision }, revision));
    else this.write(block('gap', { after, revision }, revision));
    this.beatLater();
    this.options.onStart();
  }

  onEvents(revision: Revision, events: readonly WatchEvent[]): void {
    if (events.length === 0) return this.write(`id: ${revision}\n\n`);
    const last = events.length - 1;
    const blocks = events.map((event, at) =>
      block(event.type, watchEventJson(event, revision), at === last ? revision : null),
    );
    this.write(blocks.join(''));
  }

  onOver(code: ErrorCode, message: string): void {
    if (this.hasEnded) return;
    if (this.hasStarted) {
      this.write(block('over', { code, detail: message }, null));
      if (!this.hasEnded) this.controller?.close();
    } else this.options.onRefused(new HoldfastError(code, message));
    this.end();
  }

  private write(text: string): void {
    const { controller } = this;
    if (this.hasEnded || controller === null) return;
    // Looked at before the write: whoever has read all so far gets the events of one entry, however
    // many they are. Cut for its size alone, it would come again and be cut again.
    if ((controller.desiredSize ?? 0) > 0) return controller.enqueue(this.encoder.encode(text));
    this.end();
    this.options.cut();
  }

  private beatLater(): void {
    if (this.hasEnded) return;
    this.heartbeat = this.clock.after(HEARTBEAT_US, () => {
      this.write(':\n\n');
      this.beatLater();
    });
  }

  private end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.heartbeat?.cancel();
    this.options.onEnd();
  }
}

// JSON has no line ends of its own, so one data line carries it.
function block(type: string, data: object, id: Revision | null): string {
  const idLine = id === null ? '' : `id: ${id}\n`;
  return `${idLine}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}
