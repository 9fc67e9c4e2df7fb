import { HoldfastError } from '../base/error.ts';
import { nameProblem } from '../base/name.ts';
import type { LockMode } from '../locks/commands.ts';
import { Acquisition } from './acquisition.ts';
import type { AcquireRequest } from './acquisition.ts';
import type { Grant } from './grant.ts';
import { nameList } from './loss.ts';
import { checkKnown, checkMeta, checkWaitMs, invalid } from './options.ts';
import type { Meta } from './options.ts';
import type { Session } from './session.ts';

/** Names in one request (replicated limit, DESIGN.md §5). */
const NAMES_MAX = 64;

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
  /** `shared` grants exclude exclusive ones only. Default `exclusive`. */
  readonly mode?: LockMode;
}

/**
 * A lock, or several that are taken together. Holding a lock never makes a resource safe by
 * itself: see Grant.
 */
export interface Lock {
  readonly names: readonly string[];
  /**
   * Waits its turn and takes it. Rejects with LOCK_BUSY (waitMs 0), WAIT_OVER, the reason of the
   * signal, UNAVAILABLE (no node answered within waitMs or requestMs, whichever is longer: never a
   * sign that it is free or busy), SESSION_GONE (the session ended during the wait), BROKEN (it was
   * granted, and broken by an operator before this client learnt of it), OVERLOADED, INVALID,
   * CLOSED. After any rejection nothing is held, and the queue forgets the request.
   */
  acquire(options?: AcquireOptions): Promise<Grant>;
  /** Takes it if it is free now, else null. Rejects like acquire, except for LOCK_BUSY. */
  tryAcquire(options?: Omit<AcquireOptions, 'waitMs'>): Promise<Grant | null>;
  /**
   * Runs `fn` while holding it, and releases it whatever happens. Without a grant `fn` does not
   * run and this rejects like acquire. Rejects with LOCK_LOST if the lease ended under `fn`; then
   * `details` has its `result` or its `error`. Otherwise settles as `fn` did.
   */
  do<T>(fn: (grant: Grant) => T | Promise<T>): Promise<T>;
  do<T>(options: AcquireOptions, fn: (grant: Grant) => T | Promise<T>): Promise<T>;
}

/** What a lock needs of its client. */
export interface LockHome {
  readonly waitMs: number;
  /** The session to acquire in: a new one after a loss. Throws CLOSED or CLUSTER_CHANGED. */
  liveSession(): Session;
  warn(message: string): void;
}

type Body<T> = (grant: Grant) => T | Promise<T>;

/** The locks of one name or several; has no state but its names. */
export class ClientLock implements Lock {
  readonly names: readonly string[];
  private readonly home: LockHome;

  /** Throws HoldfastError INVALID unless these are 1 to 64 different lock names. */
  constructor(home: LockHome, names: readonly string[]) {
    checkNames(names);
    this.names = [...names];
    this.home = home;
  }

  async acquire(options: AcquireOptions = {}): Promise<Grant> {
    return this.request(this.checked(options));
  }

  async tryAcquire(options: Omit<AcquireOptions, 'waitMs'> = {}): Promise<Grant | null> {
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
      if (HoldfastError.is(error) && error.code === 'LOCK_LOST') return error;
      this.home.warn(error instanceof Error ? error.message : String(error));
      return null;
    }
  }

  private request(request: AcquireRequest): Promise<Grant> {
    const { signal } = request;
    if (signal?.aborted === true) throw signal.reason;
    const session = this.home.liveSession();
    return new Promise((resolve, reject) => {
      const owner = { onGranted: resolve, onFailed: reject };
      new Acquisition(session, request, owner).start();
    });
  }

  private checked(options: AcquireOptions): AcquireRequest {
    checkKnown(options, ['waitMs', 'signal', 'meta', 'mode']);
    const { signal = null, mode = 'exclusive' } = options;
    if (mode !== 'exclusive' && mode !== 'shared') {
      throw invalid('mode', '"exclusive" or "shared"', mode);
    }
    if (signal !== null && typeof signal.addEventListener !== 'function') {
      throw invalid('signal', 'an AbortSignal', signal);
    }
    const waitMs = options.waitMs === undefined ? this.home.waitMs : checkWaitMs(options.waitMs);
    return { names: this.names, mode, waitMs, meta: checkMeta(options.meta), signal };
  }
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

function checkNames(names: readonly string[]): void {
  if (!Array.isArray(names) || names.length < 1 || names.length > NAMES_MAX) {
    throw invalid('names', `1 to ${NAMES_MAX} lock names`, names);
  }
  for (const name of names) {
    if (typeof name !== 'string') throw invalid('name', 'a string', name);
    const problem = nameProblem(name);
    if (problem !== null) throw new HoldfastError('INVALID', problem);
  }
  if (new Set(names).size === names.length) return;
  throw new HoldfastError('INVALID', `the names must differ (got ${nameList(names)})`);
}
