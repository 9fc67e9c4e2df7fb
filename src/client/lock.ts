import { HoldfastError } from '../base/error.ts';
import type { LockMode } from '../locks/commands.ts';
import { Acquisition } from './acquisition.ts';
import type { AcquireRequest, Wanted } from './acquisition.ts';
import { SessionGrant } from './grant.ts';
import type { Grant } from './grant.ts';
import type { GrantStart } from './hold.ts';
import { checkItems, checkMode, requestItems } from './items.ts';
import type { CheckedItem, LockItem } from './items.ts';
import { checkKnown, checkMaxHoldMs, checkMeta, checkWaitMs, invalid } from './options.ts';
import type { Meta } from './options.ts';
import type { Session } from './session.ts';
import { SHOWN, shown } from './shown.ts';

/** How to take a lock. */
export interface AcquireOptions {
  /**
   * How long to wait in the queue, from the call on; the client's waitMs unless given. Infinity
   * waits without limit. It does not limit how long the lock is held.
   */
  readonly waitMs?: number;
  /** Aborting it gives up the wait; the request is taken out of the queue. */
  readonly signal?: AbortSignal;
  /** For others to see while this waits or holds, at most 4 KiB as JSON text. */
  readonly meta?: Meta;
  /**
   * `shared` grants exclude exclusive ones only, and who waits exclusively stops later ones from
   * passing. Default `exclusive`. Counts for locks that lockAll gave no mode of their own.
   */
  readonly mode?: LockMode;
  /** How long it is held at most; the client's maxHoldMs unless given. See there. */
  readonly maxHoldMs?: number;
}

/**
 * A lock, or several that are taken together. Holding a lock never makes a resource safe by
 * itself: see Grant.
 */
export interface Lock {
  /** What is locked; several for lockAll. */
  readonly names: readonly string[];
  /**
   * Waits its turn and takes it. Rejects with LOCK_BUSY (waitMs 0), WAIT_OVER, the reason of the
   * signal, UNAVAILABLE (no node answered within waitMs or requestMs, whichever is longer: never a
   * sign that it is free or busy), BROKEN (it was granted, and broken by an operator before this
   * client learnt of it), OVERLOADED, INVALID, CLOSED, CLUSTER_CHANGED. When the session that it
   * was sent in is over during the wait: as the cluster told, SESSION_EXPIRED, SESSION_ENDED or
   * SESSION_GONE; by the own clock UNAVAILABLE or EVENT_LOOP_BLOCKED, with that loss as `cause`.
   * What was not sent yet goes on in a new session. After any rejection nothing is held, and the
   * queue forgets the request, with its session at the latest.
   */
  acquire(options?: AcquireOptions): Promise<Grant>;
  /** Takes it if it is free now, else null. Rejects like acquire, except for LOCK_BUSY. */
  tryAcquire(options?: Omit<AcquireOptions, 'waitMs'>): Promise<Grant | null>;
  /**
   * Runs `fn` while holding it, and releases it whatever happens. Without a grant `fn` does not
   * run and this rejects like acquire. Rejects with LOCK_LOST if the lease ended under `fn`; then
   * `details` has its `result` or its `error`. Otherwise settles as `fn` did.
   */
  do<T>(fn: Body<T>): Promise<T>;
  /** The same, with options. */
  do<T>(options: AcquireOptions, fn: Body<T>): Promise<T>;
}

const ACQUIRE_OPTIONS: readonly string[] = [
  'waitMs',
  'signal',
  'meta',
  'mode',
  'maxHoldMs',
] satisfies readonly (keyof AcquireOptions)[];

// Of a wait that never is nobody may believe that it happens.
const TRY_OPTIONS = ACQUIRE_OPTIONS.filter((option) => option !== 'waitMs');

/** What a lock needs of its client. */
export interface LockHome {
  readonly waitMs: number;
  /** The session to acquire in: a new one after a loss. Throws CLOSED or CLUSTER_CHANGED. */
  liveSession(): Session;
  warn(message: string): void;
}

/** What runs while a lock is held. */
export type Body<T> = (grant: Grant) => T | Promise<T>;

/** The locks of one name or several; has no state but what it is for. */
export class ClientLock implements Lock {
  readonly names: readonly string[];
  private readonly home: LockHome;
  private readonly items: readonly CheckedItem[];
  /** Of an acquire that says no mode. */
  private readonly wanted: Wanted;

  /** Throws HoldfastError INVALID unless these are 1 to 64 items with different names. */
  constructor(home: LockHome, items: readonly LockItem[]) {
    this.items = checkItems(items);
    // Every grant has the same list.
    this.names = Object.freeze(this.items.map((item) => item.name));
    this.wanted = this.wantedAs('exclusive');
    this.home = home;
  }

  // Not async: what an async function returns costs it three turns of the queue of promises.
  acquire(options: AcquireOptions = {}): Promise<Grant> {
    try {
      return this.request(this.checked(options));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async tryAcquire(options: Omit<AcquireOptions, 'waitMs'> = {}): Promise<Grant | null> {
    checkKnown(options, TRY_OPTIONS);
    try {
      return await this.request({ ...this.checked(options), waitMs: 0 });
    } catch (error) {
      if (HoldfastError.is(error) && error.code === 'LOCK_BUSY') return null;
      throw error;
    }
  }

  async do<T>(options: AcquireOptions | Body<T>, fn?: Body<T>): Promise<T> {
    const body = typeof options === 'function' ? options : fn;
    if (typeof body !== 'function') throw invalid('fn', 'a function', fn);
    const grant = await this.acquire(typeof options === 'function' ? {} : options);
    let ending: Ending<T>;
    try {
      ending = { isError: false, result: await body(grant) };
    } catch (error) {
      ending = { isError: true, error };
    }
    const problem = await this.giveBack(grant);
    if (problem !== null) throw withEnding(problem, ending);
    if (ending.isError) throw ending.error;
    return ending.result;
  }

  // The loss of the lease is an error; a release that nobody confirmed is not: the body ran under
  // the lock, and the release goes on until it is decided.
  private async giveBack(grant: Grant): Promise<HoldfastError | null> {
    try {
      await grant.release();
      return null;
    } catch (error) {
      if (isHandedOver(grant)) return null; // by the body itself
      if (HoldfastError.is(error) && error.code === 'LOCK_LOST') return error;
      this.home.warn(error instanceof Error ? error.message : String(error));
      return null;
    }
  }

  [SHOWN](): string {
    return shown('Lock', { names: this.names });
  }

  private request(request: AcquireRequest): Promise<Grant> {
    return acquireIn(this.home, request, makeGrant);
  }

  private checked(options: AcquireOptions): AcquireRequest {
    checkKnown(options, ACQUIRE_OPTIONS);
    const { mode } = options;
    const wanted = mode === undefined ? this.wanted : this.wantedAs(checkMode(mode));
    return acquireRequest(this.home, wanted, options);
  }

  private wantedAs(mode: LockMode): Wanted {
    return { items: requestItems(this.items, mode), names: this.names, value: null };
  }
}

/** With the part of an acquire's options that every form has. Throws HoldfastError INVALID. */
export function acquireRequest(
  home: Pick<LockHome, 'waitMs'>,
  { items, names, value }: Wanted,
  options: Pick<AcquireOptions, 'waitMs' | 'signal' | 'meta' | 'maxHoldMs'>,
): AcquireRequest {
  const waitMs = options.waitMs === undefined ? home.waitMs : checkWaitMs(options.waitMs);
  const maxHoldMs = options.maxHoldMs === undefined ? null : checkMaxHoldMs(options.maxHoldMs);
  const signal = checkSignal(options.signal);
  return { items, names, value, waitMs, maxHoldMs, meta: checkMeta(options.meta), signal };
}

/** An AbortSignal, or null for none. Throws HoldfastError INVALID. */
export function checkSignal(signal: AbortSignal | undefined): AbortSignal | null {
  if (signal === undefined) return null;
  if (typeof signal === 'object' && typeof signal?.addEventListener === 'function') return signal;
  throw invalid('signal', 'an AbortSignal', signal);
}

function makeGrant(session: Session, start: GrantStart): Grant {
  return new SessionGrant(session, start);
}

/** Acquires in the present session of the client; `make` makes the grant. */
export function acquireIn<G extends Grant>(
  home: LockHome,
  request: AcquireRequest,
  make: (session: Session, start: GrantStart) => G,
): Promise<G> {
  const { signal } = request;
  if (signal?.aborted === true) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    new Acquisition<G>(home, request, { make, resolve, reject }).start();
  });
}

function isHandedOver({ signal }: Grant): boolean {
  return HoldfastError.is(signal.reason) && signal.reason.code === 'HANDED_OVER';
}

type Ending<T> =
  | { readonly isError: false; readonly result: T }
  | { readonly isError: true; readonly error: unknown };

function withEnding(lost: HoldfastError, ending: Ending<unknown>): HoldfastError {
  const did = ending.isError ? { error: ending.error } : { result: ending.result };
  const message = lost.message.slice(lost.code.length + 2);
  const details = { ...lost.details, ...did };
  return new HoldfastError('LOCK_LOST', message, { details, cause: lost.cause });
}
