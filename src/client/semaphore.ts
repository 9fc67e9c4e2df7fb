import type { Grant } from './grant.ts';
import { checkName, checkTaken, checkTotal } from './items.ts';
import { ClientLock } from './lock.ts';
import type { AcquireOptions, Body, Lock, LockHome } from './lock.ts';
import { checkKnown, invalid } from './options.ts';
import { SHOWN, shown } from './shown.ts';

/** How to take permits of a semaphore. */
export interface SemaphoreOptions extends Omit<AcquireOptions, 'mode'> {
  /** How many, 1 (default) to 1,024, at most the total. All of them or none are granted. */
  readonly permits?: number;
}

/**
 * A lock that so many may hold at once as there are permits. Its grant has the numbers of the
 * slots that it took, `grant.slots`: the lowest that were free, from 0. First come, first served:
 * who waits for many permits is not passed by those who want few.
 */
export interface Semaphore {
  /** What it is called. */
  readonly name: string;
  /** The same name, as a lock has it. */
  readonly names: readonly string[];
  /** All permits. Must be the same for all who hold or wait; else acquire rejects with INVALID. */
  readonly total: number;
  /** See Lock.acquire. */
  acquire(options?: SemaphoreOptions): Promise<Grant>;
  /** See Lock.tryAcquire. */
  tryAcquire(options?: Omit<SemaphoreOptions, 'waitMs'>): Promise<Grant | null>;
  /** See Lock.do. */
  do<T>(fn: Body<T>): Promise<T>;
  /** The same, with options. */
  do<T>(options: SemaphoreOptions, fn: Body<T>): Promise<T>;
}

const OPTION_NAMES: readonly string[] = [
  'waitMs',
  'signal',
  'meta',
  'maxHoldMs',
  'permits',
] satisfies readonly (keyof SemaphoreOptions)[];

/** The semaphore of one name; has no state but what it is for. */
export class ClientSemaphore implements Semaphore {
  readonly name: string;
  readonly names: readonly string[];
  readonly total: number;
  private readonly home: LockHome;

  /** Throws HoldfastError INVALID for what cannot be a name, or a total out of range. */
  constructor(home: LockHome, name: string, total: number) {
    this.name = checkName(name);
    this.names = [name];
    this.total = checkTotal(total);
    this.home = home;
  }

  async acquire(options: SemaphoreOptions = {}): Promise<Grant> {
    const { lock, rest } = this.taking(options);
    return lock.acquire(rest);
  }

  async tryAcquire(options: Omit<SemaphoreOptions, 'waitMs'> = {}): Promise<Grant | null> {
    const { lock, rest } = this.taking(options);
    return lock.tryAcquire(rest);
  }

  async do<T>(options: SemaphoreOptions | Body<T>, fn?: Body<T>): Promise<T> {
    if (typeof options === 'function') return this.taking({}).lock.do(options);
    const { lock, rest } = this.taking(options);
    if (typeof fn !== 'function') throw invalid('fn', 'a function', fn);
    return lock.do(rest, fn);
  }

  [SHOWN](): string {
    return shown('Semaphore', { name: this.name, total: this.total });
  }

  private taking(options: SemaphoreOptions): { lock: Lock; rest: AcquireOptions } {
    checkKnown(options, OPTION_NAMES);
    const { permits = 1, ...rest } = options;
    const item = {
      name: this.name,
      permits: [checkTaken(permits, this.total), this.total],
    } as const;
    return { lock: new ClientLock(this.home, [item]), rest };
  }
}
