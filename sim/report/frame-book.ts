// Every frame of a run, from when it is sent to when it is taken in. Frames are read when they are
// told of; large ones at once, so that not much memory is kept.

import type { FrameWatch, FrameWay } from '../world/frame-watch.ts';
import { Bounded } from './bounded.ts';
import { FrameReader } from './frame-text.ts';
import type { FrameText, Talk } from './frame-text.ts';

/** Where a frame is in time, and of which events it is part. */
export interface Moment {
  readonly atUs: number;
  readonly seq: number;
}

/** A frame as it was seen. */
export interface SeenFrame {
  readonly way: FrameWay;
  readonly sent: Moment;
  /** The first time. */
  readonly heard: Moment | null;
  readonly isStale: boolean;
  readonly text: FrameText;
}

interface Entry {
  readonly way: FrameWay;
  readonly sent: Moment;
  readonly talk: Talk;
  content: Uint8Array | FrameText;
  heard: Moment | null;
  isStale: boolean;
}

const FRAMES_MAX = 40_000;
const KEPT_BYTES_MAX = 1_024;

/** See the head of this file. */
export class FrameBook implements FrameWatch {
  private readonly now: () => Moment;
  private readonly isNode: (name: string) => boolean;
  private readonly entries = new Bounded<Entry>(FRAMES_MAX);
  private readonly byBytes = new WeakMap<Uint8Array, Entry>();
  /** The newest link that delivered, by who speaks to whom and who had dialled. */
  private readonly newest = new Map<string, number>();
  /** Between nodes, of which something was heard. */
  private readonly links = new Set<number>();
  private readonly reader = new FrameReader();

  constructor(now: () => Moment, isNode: (name: string) => boolean) {
    this.now = now;
    this.isNode = isNode;
  }

  /** Frames that were let go. */
  get dropped(): number {
    return this.entries.dropped;
  }

  sent(bytes: Uint8Array, way: FrameWay): void {
    const talk = this.talkOf(way);
    // The first frame of a link between nodes is a handshake, which tells how to read the others.
    const isFirst = way.isPeer && !this.links.has(way.link);
    if (isFirst) this.links.add(way.link);
    const isRead = isFirst || bytes.length > KEPT_BYTES_MAX;
    const content = isRead ? this.reader.read(bytes, talk) : bytes;
    const entry = { way, sent: this.now(), talk, content, heard: null, isStale: false };
    this.entries.add(entry);
    this.byBytes.set(bytes, entry);
  }

  heard(bytes: Uint8Array): void {
    const entry = this.byBytes.get(bytes);
    if (entry === undefined || entry.heard !== null) return;
    const { from, to, dialledBy, link } = entry.way;
    const key = `${from} ${to} ${dialledBy}`;
    const newest = this.newest.get(key) ?? 0;
    entry.heard = this.now();
    entry.isStale = link < newest;
    this.newest.set(key, Math.max(newest, link));
  }

  /** In the order in which they were sent. */
  frames(): readonly SeenFrame[] {
    return this.entries.items().map(({ way, sent, heard, isStale, content, talk }) => {
      const text = content instanceof Uint8Array ? this.reader.read(content, talk) : content;
      return { way, sent, heard, isStale, text };
    });
  }

  private talkOf({ isPeer, from }: FrameWay): Talk {
    if (isPeer) return 'peer';
    return this.isNode(from) ? 'node' : 'client';
  }
}
