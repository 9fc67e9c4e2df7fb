// Decides when a child must go, so that it is gone before another can hold the lock:
//
//     |<------------------------- lease ------------------------->|
//     |   renewed again and again ...   |<--- grace --->|<-margin->|
//                                       SIGTERM         SIGKILL    over
//
// The renewals go on until the last moment, but once SIGTERM is sent the child is told to stop,
// and a late renewal does not unsay it.

import { HoldfastError } from '../base/error.ts';
import { errorSentence } from './error-json.ts';

/** The part of a grant that tells how long it certainly lasts. */
export interface Lease {
  /** Of the lock. */
  readonly name: string;
  /** Aborts when the grant is lost or may be; its reason is a HoldfastError. */
  readonly signal: AbortSignal;
  /** Milliseconds until the lease may be over; Infinity for a lease without end. */
  remainingMs(): number;
}

export interface StopPlan {
  /** Wanted time between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /** Time that SIGKILL and what follows it may take. */
  readonly marginMs: number;
  /** What a lease must leave beyond both for the child to begin: time for the next renewal. */
  readonly reserveMs: number;
}

export interface Loss {
  /** Time between SIGTERM and SIGKILL that is left; 0: SIGKILL at once. */
  readonly graceMs: number;
  /** In a sentence that names the lock, for stderr. */
  readonly reason: string;
}

/** The longest grace for a lease: beyond half of it an ordinary renewal could come too late. */
export function graceMsMax(ttlMs: number): number {
  return Math.floor(ttlMs / 2);
}

/** The grace when none is asked for: 5 s, or a third of a short lease. */
export function defaultGraceMs(ttlMs: number): number {
  return Math.min(5_000, Math.floor(ttlMs / 3));
}

/** How the end of a lease of `ttlMs` is shared out; Infinity: it ends by being broken only. */
export function stopPlan(ttlMs: number, graceMs: number): StopPlan {
  const tenthMs = Math.floor(ttlMs / 10);
  return { graceMs, marginMs: Math.min(500, tenthMs), reserveMs: Math.min(5_000, tenthMs) };
}

/**
 * Resolves when a child may begin. A lock that was waited for may come when most of the lease is
 * over: a child that began then would be told to stop at once. Rejects with UNAVAILABLE when the
 * lease was not renewed enough until the moment when it would have been over, with the reason of
 * the lease's signal when it is lost, or with that of `interrupted`.
 */
export async function untilWorkable(
  lease: Lease,
  plan: StopPlan,
  interrupted: AbortSignal,
): Promise<void> {
  const neededMs = plan.graceMs + plan.marginMs + plan.reserveMs;
  const endMs = performance.now() + lease.remainingMs();
  const ending = AbortSignal.any([interrupted, lease.signal]);
  for (;;) {
    ending.throwIfAborted();
    if (lease.remainingMs() > neededMs) return;
    if (performance.now() >= endMs) throw tooLate(lease);
    await pause(LOOK_MS, ending);
  }
}

function tooLate({ name }: Lease): HoldfastError {
  const text = `the lock "${name}" was granted, but its lease could not be renewed in time`;
  return new HoldfastError('UNAVAILABLE', `${text}; the command was not started`);
}

/** How soon a renewal is noticed; grants do not tell of each. */
const LOOK_MS = 50;

function pause(ms: number, ending: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      ending.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    ending.addEventListener('abort', finish);
  });
}

/** Calls back once, when the child must be stopped. Returns the way to stop watching. */
export function watchLease(lease: Lease, plan: StopPlan, onLoss: (loss: Loss) => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const finish = (): void => {
    clearTimeout(timer);
    lease.signal.removeEventListener('abort', onAbort);
  };
  const lose = (loss: Loss): void => {
    finish();
    onLoss(loss);
  };
  const onAbort = (): void => {
    lose(lossOf(lease, plan));
  };
  const check = (): void => {
    const spareMs = lease.remainingMs() - plan.graceMs - plan.marginMs;
    if (spareMs <= 0) {
      const leftMs = Math.max(0, Math.round(lease.remainingMs()));
      const what = `the lease of the lock "${lease.name}" could not be renewed`;
      const reason = `${what} and is over in ${leftMs} ms`;
      lose({ graceMs: remainingGraceMs(lease, plan), reason });
    } else timer = setTimeout(check, Math.min(spareMs, CHECK_MS_MAX));
  };
  lease.signal.addEventListener('abort', onAbort);
  if (lease.signal.aborted) onAbort();
  else check();
  return finish;
}

// setTimeout holds 31 bits, and would fire at once for Infinity.
const CHECK_MS_MAX = 60_000;

// An operator who breaks a lock or ends a session waives the rule that the old holder is gone
// first; its child may still end in good order. After every other loss the lease's own end is the
// limit.
function lossOf(lease: Lease, plan: StopPlan): Loss {
  const { reason } = lease.signal;
  const code = HoldfastError.is(reason) ? reason.code : null;
  const isWaived = code === 'BROKEN' || code === 'SESSION_ENDED';
  return {
    graceMs: isWaived ? plan.graceMs : remainingGraceMs(lease, plan),
    reason: errorSentence(reason),
  };
}

function remainingGraceMs(lease: Lease, plan: StopPlan): number {
  return Math.max(0, Math.min(plan.graceMs, lease.remainingMs() - plan.marginMs));
}
