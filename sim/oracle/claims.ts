// What a grant has of each of its locks, and which of that cannot be had together (RAFT.md §13).

import type { SessionId, Token } from '../../src/base/units.ts';
import type { Acquire, LockMode } from '../../src/locks/commands.ts';
import type { LockEvent } from '../../src/locks/outcomes.ts';

/** One lock of a grant, alone or shared, or some slots of a semaphore. */
export interface Claim {
  readonly name: string;
  readonly mode: LockMode;
  /** null: it is a lock. */
  readonly slots: readonly number[] | null;
}

/** A grant that is not just of locks of its own, as the log has it. */
interface Special {
  readonly names: readonly string[];
  readonly claims: readonly Claim[];
}

type Granted = Extract<LockEvent, { readonly type: 'granted' }>;

/** Whether two grants cannot be held at once because of these. */
export function areInConflict(left: Claim, right: Claim): boolean {
  if (left.name !== right.name) return false;
  if (left.slots === null || right.slots === null) {
    return left.mode === 'exclusive' || right.mode === 'exclusive';
  }
  return left.slots.some((slot) => right.slots?.includes(slot) === true);
}

/** Locks of one's own: what most grants are of. */
export function exclusiveClaims(names: readonly string[]): readonly Claim[] {
  return names.map((name) => ({ name, mode: 'exclusive', slots: null }));
}

/**
 * Reads along in the log what was asked for, and tells what a grant is of: its event does not say
 * all. Remembers nothing of plain locks. Ends with the run.
 */
export class ClaimBook {
  private readonly asked = new Map<string, Acquire>();
  private readonly granted = new Map<string, Special[]>();

  /** To be told of each acquire in the log before its events. */
  asks(command: Acquire): void {
    const isPlain = command.items.every((item) => item.mode === 'exclusive' && !item.permits);
    if (!isPlain) this.asked.set(`${command.session} ${command.seq}`, command);
  }

  /** What the log granted by this. */
  grants({ session, acquireSeq, token, names, slots }: Granted): readonly Claim[] {
    const command = this.asked.get(`${session} ${acquireSeq}`);
    if (command === undefined) return exclusiveClaims(names);
    const claims = command.items.map(({ name, mode, permits }, at) => {
      return { name, mode, slots: permits === null ? null : (slots[at] ?? []) };
    });
    const key = `${session} ${token}`;
    this.granted.set(key, [...(this.granted.get(key) ?? []), { names, claims }]);
    return claims;
  }

  /** The claims of all grants of these names with this token that are of more than plain locks. */
  find(
    { session, token }: { readonly session: SessionId; readonly token: Token },
    names: readonly string[],
  ): readonly (readonly Claim[])[] {
    const found = this.granted.get(`${session} ${token}`) ?? [];
    return found.filter((each) => each.names.join() === names.join()).map(({ claims }) => claims);
  }
}
