// Writes under way on a simulated disk. Those of one lane happen one after the other, lanes are
// independent. A test may withhold writes and let each one land or be answered by hand, so that it
// can crash between any two of them (RAFT.md §18).

import { InvariantError, present } from '../../src/base/assert.ts';
import type { Undo } from './direction.ts';

/** One write: what it does to the disk, and what it then tells its caller. */
export interface DiskWrite {
  /** What it is called in `waiting`. */
  readonly name: string;
  readonly land: () => void;
  readonly answer: () => void;
}

interface Lane {
  readonly queue: DiskWrite[];
  hasHeadLanded: boolean;
  /** Stops the write at the head; null while that is withheld, or while there is none. */
  stop: (() => void) | null;
}

const QUEUE_MAX = 10_000;
const LANES_MAX = 1_000;

/** Runs writes; `start` calls back when the device is done, and returns the way to stop that. */
export class WriteLanes {
  private readonly lanes = new Map<string, Lane>();
  private readonly start: (write: DiskWrite, done: () => void) => () => void;
  private untilHold = Infinity;
  private readonly stalls = new Set<Undo>();
  /** What goes on when the stall is over. At most the reads of one life. */
  private held: (() => void)[] = [];

  constructor(start: (write: DiskWrite, done: () => void) => () => void) {
    this.start = start;
  }

  /** Names of the writes that are under way, one of each lane. */
  get waiting(): readonly string[] {
    return this.heads().map((lane) => present(lane.queue[0], 'a head').name);
  }

  /** A lane of this name, or beside it, in which nothing is under way. */
  idleLane(name: string): string {
    for (let number = 1; number <= LANES_MAX; number++) {
      const lane = number === 1 ? name : `${name} beside ${number}`;
      if ((this.lanes.get(lane)?.queue.length ?? 0) === 0) return lane;
    }
    throw new InvariantError(`more than ${LANES_MAX} writes under way: ${name}`);
  }

  submit(laneName: string, write: DiskWrite): void {
    const lane = this.lane(laneName);
    if (lane.queue.length >= QUEUE_MAX)
      throw new InvariantError(`the disk falls behind: ${laneName}`);
    lane.queue.push(write);
    if (lane.queue.length === 1) this.begin(lane);
  }

  /** From now on, after `count` more writes have begun, writes stay under way. */
  holdAfter(count: number): void {
    this.untilHold = count;
  }

  /** Lets everything go on by itself again. */
  release(): void {
    this.untilHold = Infinity;
    for (const lane of this.heads()) if (lane.stop === null) this.begin(lane);
  }

  /** From now on no write ends, not even those that have begun, until that is undone. */
  stall(): Undo {
    const undo = (): void => {
      if (!this.stalls.delete(undo) || this.stalls.size > 0) return;
      for (const lane of this.heads()) if (lane.stop === null) this.begin(lane);
      const { held } = this;
      this.held = [];
      for (const goOn of held) goOn();
    };
    this.stalls.add(undo);
    for (const lane of this.heads()) {
      lane.stop?.();
      lane.stop = null;
    }
    return undo;
  }

  /** For reads: at once, or when no stall is left; never if everything is abandoned before. */
  onceFlowing(goOn: () => void): void {
    if (this.stalls.size === 0) goOn();
    else this.held.push(goOn);
  }

  /** The write at this place of `waiting` happens, and its caller does not hear of it. */
  land(at = 0): void {
    this.landHead(this.headAt(at));
  }

  /** The write at this place of `waiting` happens and is answered. */
  finish(at = 0): void {
    this.finishHead(this.headAt(at));
  }

  /** Ends everything that is under way; a write happens if `isLanded` says so for it. */
  abandon(isLanded: (write: DiskWrite) => boolean): void {
    for (const lane of this.heads()) {
      lane.stop?.();
      // In order: what came later did not happen if what came before did not.
      while (lane.queue[0] !== undefined) {
        if (!lane.hasHeadLanded && !isLanded(lane.queue[0])) break;
        this.landHead(lane);
        lane.queue.shift();
        lane.hasHeadLanded = false;
      }
    }
    this.lanes.clear();
    this.held = [];
    this.untilHold = Infinity;
  }

  private begin(lane: Lane): void {
    const head = present(lane.queue[0], 'a write to begin');
    if (this.untilHold <= 0 || this.stalls.size > 0) return;
    this.untilHold -= 1;
    lane.stop = this.start(head, () => this.finishHead(lane));
  }

  private landHead(lane: Lane): void {
    if (lane.hasHeadLanded) return;
    lane.hasHeadLanded = true;
    present(lane.queue[0], 'a write to land').land();
  }

  private finishHead(lane: Lane): void {
    this.landHead(lane);
    const head = present(lane.queue.shift(), 'a write to finish');
    lane.hasHeadLanded = false;
    lane.stop = null;
    if (lane.queue.length > 0) this.begin(lane);
    head.answer();
  }

  private heads(): readonly Lane[] {
    return [...this.lanes.values()].filter((lane) => lane.queue.length > 0);
  }

  private headAt(at: number): Lane {
    const lane = present(this.heads()[at], `a write under way at place ${at}`);
    lane.stop?.();
    lane.stop = null;
    return lane;
  }

  private lane(name: string): Lane {
    const known = this.lanes.get(name);
    if (known !== undefined) return known;
    const lane: Lane = { queue: [], hasHeadLanded: false, stop: null };
    this.lanes.set(name, lane);
    return lane;
  }
}
