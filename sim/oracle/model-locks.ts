// Who has what and who waits for it, by lock: the granting rule of RAFT.md §13 told once more.

import { compareUtf8 } from '../../src/base/name.ts';
import type { Index, SessionId, Token } from '../../src/base/units.ts';
import type { RequestItem } from '../../src/locks/commands.ts';
import type { ModelEmbargo } from './model-embargo.ts';
import type { ModelClaim, ModelGhost, ModelLock, ModelRequest } from './model-state.ts';

/** The claim that a request cannot be together with; null: only its place in a queue is. */
export interface InTheWay {
  readonly name: string;
  readonly holder: ModelClaim | null;
  readonly ghost: ModelGhost | null;
  readonly waiter: ModelClaim | null;
}

/** Which grants, or what is left of them, are meant; null is whichever. */
export interface Meant {
  readonly name: string;
  readonly token: Token;
  readonly session: SessionId | null;
  readonly acquireSeq: number | null;
}

/** See the head of this file. A lock of which nothing is to be said is not there. */
export class ModelLocks {
  private readonly locks = new Map<string, ModelLock>();

  find(name: string): ModelLock | null {
    return this.locks.get(name) ?? null;
  }

  /** Everybody who is there agrees whether it is a lock or a semaphore, and of how many. */
  agrees({ name, permits }: RequestItem): boolean {
    const lock = this.locks.get(name);
    const other = lock?.holders[0] ?? lock?.ghosts[0] ?? lock?.queue[0];
    return other === undefined || totalOf(other) === (permits?.[1] ?? null);
  }

  /** Why what is asked for now cannot be had at once: at the first name where it is so. */
  inTheWay(items: readonly RequestItem[]): InTheWay | null {
    for (const item of items) {
      const lock = this.locks.get(item.name);
      if (lock === undefined) continue;
      const { name } = item;
      if (!fits(item, lock)) {
        const [holder = null] = lock.holders;
        const ghost = holder === null ? (lock.ghosts[0] ?? null) : null;
        return { name, holder, ghost, waiter: null };
      }
      const [waiter] = lock.queue;
      if (waiter !== undefined) return { name, holder: null, ghost: null, waiter };
    }
    return null;
  }

  join(request: ModelRequest): void {
    for (const claim of request.claims) this.obtain(claim.name).queue.push(claim);
  }

  /** From a waiter, who heads all its queues or waits in none yet, to a holder. */
  take(request: ModelRequest, token: Token): void {
    request.token = token;
    for (const claim of request.claims) {
      const lock = this.obtain(claim.name);
      remove(lock.queue, claim);
      claim.slots = lowestFree(claim, lock);
      lock.holders.push(claim);
    }
  }

  leave(request: ModelRequest): void {
    for (const claim of request.claims) {
      const lock = this.obtain(claim.name);
      remove(request.token > 0 ? lock.holders : lock.queue, claim);
      this.forget(claim.name, lock);
    }
  }

  /** What is left of a grant that expired. */
  haunt(claim: ModelClaim, closedAt: Index): void {
    const { ghosts } = this.obtain(claim.name);
    ghosts.push({ ...claim, closedAt });
    const placeOf = ({ request }: ModelGhost) => [
      Number.parseInt(request.session.id, 10),
      request.seq,
    ];
    ghosts.sort((left, right) => {
      const [[opened = 0, seq = 0], [other = 0, otherSeq = 0]] = [placeOf(left), placeOf(right)];
      return left.closedAt - right.closedAt || opened - other || seq - otherSeq;
    });
  }

  lift(ghost: ModelGhost): void {
    const lock = this.obtain(ghost.name);
    remove(lock.ghosts, ghost);
    this.forget(ghost.name, lock);
  }

  /** Grants that are meant, in the order in which they were granted. */
  grantsOf(meant: Meant): readonly ModelRequest[] {
    const holders = this.find(meant.name)?.holders ?? [];
    return holders.filter((claim) => isMeant(claim, meant)).map(({ request }) => request);
  }

  /** The same of what is left of grants, at all their names. */
  ghostsOf(meant: Meant): readonly ModelGhost[] {
    const found = (this.find(meant.name)?.ghosts ?? []).filter((ghost) => isMeant(ghost, meant));
    return found.flatMap(({ request }) =>
      request.names.flatMap((name) => {
        const ghosts = this.find(name)?.ghosts ?? [];
        return ghosts.filter((ghost) => ghost.request === request);
      }),
    );
  }

  /** All of which there is anything, in no order. */
  names(): Iterable<string> {
    return this.locks.keys();
  }

  /** All names in byte order, and how many wait at each. */
  queues(): readonly (readonly [name: string, waiters: number])[] {
    return [...this.locks]
      .map(([name, { queue }]) => [name, queue.length] as const)
      .sort(([left], [right]) => compareUtf8(left, right));
  }

  /** The first of the waiters at these names that can be granted now, if the embargo lets it. */
  nextAt(names: Iterable<string>, embargo: ModelEmbargo): ModelRequest | null {
    let next: ModelRequest | null = null;
    for (const name of names) {
      const request = this.locks.get(name)?.queue[0]?.request;
      if (request === undefined || (next !== null && next.index <= request.index)) continue;
      if (embargo.admits(request.names) && this.isGrantable(request)) next = request;
    }
    return next;
  }

  /** How many wait before it, in the longest of its queues. */
  ahead({ claims }: ModelRequest): number {
    return Math.max(...claims.map((claim) => this.obtain(claim.name).queue.indexOf(claim)));
  }

  private isGrantable({ claims }: ModelRequest): boolean {
    return claims.every((claim) => {
      const lock = this.obtain(claim.name);
      return lock.queue[0] === claim && fits(claim, lock);
    });
  }

  private obtain(name: string): ModelLock {
    const known = this.locks.get(name);
    if (known !== undefined) return known;
    const fresh: ModelLock = { holders: [], ghosts: [], queue: [] };
    this.locks.set(name, fresh);
    return fresh;
  }

  private forget(name: string, { holders, ghosts, queue }: ModelLock): void {
    const isEmpty = holders.length === 0 && ghosts.length === 0 && queue.length === 0;
    if (isEmpty) this.locks.delete(name);
  }
}

/** Whether it can be held together with all that is held, or closed, by others. */
export function fits({ mode, permits }: RequestItem, { holders, ghosts }: ModelLock): boolean {
  if (permits !== null) {
    let taken = permits[0];
    for (const other of holders) taken += other.permits?.[0] ?? 0;
    for (const other of ghosts) taken += other.permits?.[0] ?? 0;
    return taken <= permits[1];
  }
  if (mode === 'exclusive') return holders.length === 0 && ghosts.length === 0;
  return [...holders, ...ghosts].every((other) => other.mode === 'shared');
}

function lowestFree({ permits }: RequestItem, { holders, ghosts }: ModelLock): readonly number[] {
  if (permits === null) return [];
  const used = new Set([...holders, ...ghosts].flatMap(({ slots }) => slots));
  const free: number[] = [];
  for (let slot = 0; free.length < permits[0]; slot++) if (!used.has(slot)) free.push(slot);
  return free;
}

function isMeant({ request }: ModelClaim, { token, session, acquireSeq }: Meant): boolean {
  return (
    request.token === token &&
    (session === null || request.session.id === session) &&
    (acquireSeq === null || request.seq === acquireSeq)
  );
}

function totalOf({ permits }: RequestItem): number | null {
  return permits?.[1] ?? null;
}

function remove<T>(list: T[], item: T): void {
  const at = list.indexOf(item);
  if (at >= 0) list.splice(at, 1);
}
