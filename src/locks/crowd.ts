// Those who have a lock together: shared holders, holders of a semaphore's permits, and the ghosts
// of a lock-delay, which count as holders. It answers in logarithmic time whether one more may
// join, however many there are. A lock with a lone holder has no crowd and pays for none.

import { OrderedSet } from '../base/ordered-set.ts';
import type { Index, Token } from '../base/units.ts';
import type { LockMode } from './commands.ts';
import type { Ghost, GhostPlace } from './ghost.ts';
import type { Need } from './need.ts';
import { SlotPool } from './slot-pool.ts';
import type { Claim } from './state.ts';

/** Where a holder stands: by token, then by index of its acquire. */
interface HolderPlace {
  readonly request: { readonly token: Token; readonly index: Index };
}

const NO_SLOTS: readonly number[] = [];

/** All of one kind: its first member decides which, until the last one has left. */
export class Crowd {
  readonly mode: LockMode;
  /** null: a lock, not a semaphore. */
  readonly slots: SlotPool | null;
  readonly holders = new OrderedSet<Claim, HolderPlace>(compareHolders);
  /** null until the first one comes. */
  private ghostsByPlace: OrderedSet<Ghost, GhostPlace> | null = null;
  /** The slots of each holder; null: not a semaphore. */
  private readonly slotsByClaim: Map<Claim, readonly number[]> | null;

  constructor({ mode, permits }: Need) {
    this.mode = mode;
    this.slots = permits === null ? null : new SlotPool(permits[1]);
    this.slotsByClaim = permits === null ? null : new Map();
  }

  isEmpty(): boolean {
    return this.holders.size === 0 && (this.ghostsByPlace?.size ?? 0) === 0;
  }

  /** Whether a need of the same kind (lock, or semaphore of as many) is compatible with all. */
  isOpenTo({ mode, permits }: Need): boolean {
    if (this.slots !== null) return permits !== null && permits[0] <= this.slots.free;
    return mode === 'shared' && this.mode === 'shared';
  }

  /** The caller knows that it is open to this claim. */
  addHolder(claim: Claim): void {
    this.holders.add(claim);
    if (this.slots === null || claim.need.permits === null) return;
    this.slotsByClaim?.set(claim, this.slots.take(claim.need.permits[0]));
  }

  /** Like addHolder, with the slots that its row tells; false if it cannot have them. */
  admitHolder(claim: Claim, slots: readonly number[]): boolean {
    this.slotsByClaim?.set(claim, slots);
    return this.holders.add(claim) && this.admitSlots(claim.need, slots);
  }

  removeHolder(claim: Claim): void {
    this.slots?.giveBack(this.slotsOf(claim));
    this.forget(claim);
  }

  /** A ghost takes the place of a holder, and keeps its slots. */
  replace(claim: Claim, ghost: Ghost): void {
    this.forget(claim);
    this.addGhost(ghost);
  }

  /** A ghost comes with its slots as its row tells; false if it cannot have them. */
  admitGhost(ghost: Ghost): boolean {
    return this.addGhost(ghost) && this.admitSlots(ghost.need, ghost.slots);
  }

  removeGhost(ghost: Ghost): void {
    this.ghostsByPlace?.delete(ghost);
    this.slots?.giveBack(ghost.slots);
  }

  /** Slot numbers of a holder, ascending; empty unless this is a semaphore. */
  slotsOf(claim: Claim): readonly number[] {
    return this.slotsByClaim?.get(claim) ?? NO_SLOTS;
  }

  /** Holders with this token, oldest acquire first; looks at no others. */
  holdersWith(token: Token): readonly Claim[] {
    const found: Claim[] = [];
    for (const holder of this.holders.valuesFrom({ request: { token, index: 0 } })) {
      if (holder.request.token !== token) break;
      found.push(holder);
    }
    return found;
  }

  /** The first ghosts, by the entries that made them, then by session and acquire. */
  ghosts(limit: number): readonly Ghost[] {
    return this.ghostsByPlace?.head(limit) ?? [];
  }

  /** The ghosts that one expiry left here; looks at no others. */
  ghostsOf(closedAt: Index): readonly Ghost[] {
    const found: Ghost[] = [];
    const first = { grant: { closedAt, opened: 0, acquireSeq: 0 } };
    for (const ghost of this.ghostsByPlace?.valuesFrom(first) ?? []) {
      if (ghost.grant.closedAt !== closedAt) break;
      found.push(ghost);
    }
    return found;
  }

  private addGhost(ghost: Ghost): boolean {
    this.ghostsByPlace ??= new OrderedSet<Ghost, GhostPlace>(compareGhosts);
    return this.ghostsByPlace.add(ghost);
  }

  private admitSlots({ permits }: Need, slots: readonly number[]): boolean {
    if (slots.length !== (permits?.[0] ?? 0)) return false;
    return this.slots === null || this.slots.takeThese(slots);
  }

  private forget(claim: Claim): void {
    this.holders.delete(claim);
    this.slotsByClaim?.delete(claim);
  }
}

function compareHolders({ request: left }: HolderPlace, { request: right }: HolderPlace): number {
  return left.token - right.token || left.index - right.index;
}

function compareGhosts({ grant: left }: GhostPlace, { grant: right }: GhostPlace): number {
  return (
    left.closedAt - right.closedAt ||
    left.opened - right.opened ||
    left.acquireSeq - right.acquireSeq
  );
}
