// What one session holds and waits for.

import type { HoldfastError } from '../base/error.ts';
import { NumberMap } from '../base/number-map.ts';
import type { Token } from '../base/units.ts';
import type { Grant } from './grant.ts';
import type { Loss } from './loss.ts';

/** An acquire that has no answer, or waits in the queue. */
export interface Waiting {
  /** For Holdings: where it stands among those that have no number yet; 0: not there. */
  turn: number;
  onOpen(): void;
  /** `slots` as in GRANTED. */
  onGranted(token: Token, slots: readonly (readonly number[])[]): void;
  /** Taken out of the queue, or granted and broken before this client learnt of it. */
  onOver(cause: 'withdrawn' | 'broken', reason: string): void;
  onRefused(error: HoldfastError): void;
  onLost(loss: Loss): void;
  /** Rejects with this reason, and takes back what was sent. */
  giveUp(reason: unknown): void;
  /** The link to the leader is a new one, or news are late: ask again under the same number. */
  askAgain(): void;
}

/** A grant that nobody has released. */
export interface Held {
  readonly names: readonly string[];
  /** One that stands for it, among the handles that were not released. */
  handle(): Grant | undefined;
  onLost(loss: Loss): void;
  /** Ends the belief with this loss, and sends the lock back. */
  giveBack(loss: Loss): void;
}

/**
 * Who waits and who holds in one session. Invariant: an acquire is in here from its call to its
 * end, so that the end of the session is its end, whatever was sent of it.
 */
export class Holdings {
  // Not sent yet: the session is not open, or no leader is known. Bounded by the requests that a
  // client may have waiting.
  private readonly unsent = new NumberMap<Waiting>();
  private turns = 0;
  // Bounded by the cluster's limit of holdings per session.
  private readonly waiting = new NumberMap<Waiting>();
  private readonly held = new NumberMap<Held>();
  private onIdle: (() => void) | null = null;

  /** From now on it waits, with no number yet. */
  join(waiting: Waiting): void {
    this.turns += 1;
    waiting.turn = this.turns;
    this.unsent.set(waiting.turn, waiting);
  }

  /** Those who have no number yet. */
  joined(): readonly Waiting[] {
    return this.unsent.values();
  }

  /** Is sent under this number. */
  expect(acquireSeq: number, waiting: Waiting): void {
    this.unsent.delete(waiting.turn);
    this.waiting.set(acquireSeq, waiting);
  }

  /** Waits no more. True when it was the last one that had no number yet. */
  forget(acquireSeq: number, waiting: Waiting): boolean {
    this.waiting.delete(acquireSeq);
    return this.unsent.delete(waiting.turn) && this.unsent.size === 0;
  }

  hold(acquireSeq: number, held: Held): void {
    this.held.set(acquireSeq, held);
  }

  /** Is held no more. */
  letGo(acquireSeq: number): void {
    if (this.held.delete(acquireSeq) && this.held.size === 0) this.tellIdle();
  }

  waitingFor(acquireSeq: number): Waiting | undefined {
    return this.waiting.get(acquireSeq);
  }

  heldBy(acquireSeq: number): Held | undefined {
    return this.held.get(acquireSeq);
  }

  askAgain(): void {
    for (const waiting of this.waiting.values()) waiting.askAgain();
  }

  giveUpWaiting(reason: HoldfastError): void {
    for (const waiting of [...this.unsent.values(), ...this.waiting.values()])
      waiting.giveUp(reason);
  }

  /** Every grant with the number of its acquire. */
  grants(): readonly (readonly [number, Held])[] {
    return this.held.entries();
  }

  /** Calls back when nothing is held. */
  whenIdle(callback: () => void): void {
    if (this.held.size === 0) callback();
    else this.onIdle = callback;
  }

  /** All is over: forgets everything, then tells everybody. */
  lose(loss: Loss): void {
    const all = new Set<Waiting | Held>([
      ...this.unsent.values(),
      ...this.waiting.values(),
      ...this.held.values(),
    ]);
    this.unsent.clear();
    this.waiting.clear();
    this.held.clear();
    for (const each of all) each.onLost(loss);
    this.tellIdle();
  }

  private tellIdle(): void {
    const callback = this.onIdle;
    this.onIdle = null;
    callback?.();
  }
}
