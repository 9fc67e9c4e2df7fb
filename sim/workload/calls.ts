// Every call of the client library that has not settled, and what it may settle with. The library
// says of each call how long it takes at most and which errors it has; both are promises.

import { HoldfastError } from '../../src/base/error.ts';
import type { ErrorCode } from '../../src/base/error.ts';
import type { LOSS_CODES } from '../../src/client/loss.ts';
import type { Verdict } from '../oracle/verdict.ts';
import type { Life } from '../world/process.ts';

/** With what a wait ends that the workload itself gave up. */
export const GIVEN_UP = new Error('given up by the workload');

/**
 * With what whoever waits on a session is rejected when that is over: the cluster told of its end,
 * or the own lease ran out while the process stood still. (UNAVAILABLE and CLOSED are common.)
 */
export const SESSION_OVER_CODES = [
  'SESSION_GONE',
  'SESSION_EXPIRED',
  'SESSION_ENDED',
  'EVENT_LOOP_BLOCKED',
] as const satisfies readonly (typeof LOSS_CODES)[number][];

/** A call that is under way. */
export interface Call {
  /** Who called what, for messages: `c1: acquire k1`. */
  readonly what: string;
  readonly life: Pick<Life, 'isAlive'>;
  /** True time. */
  readonly startedUs: number;
  /** After so much time of the caller's clock it settles, whatever happens. */
  readonly limitMs: number;
}

/** What the calls of one kind may be rejected with, beyond their common codes. */
export interface Calling extends Omit<Call, 'startedUs'> {
  readonly codes: readonly ErrorCode[];
}

// No leader answers, or the caller itself has ended.
const COMMON_CODES: readonly ErrorCode[] = ['UNAVAILABLE', 'CLOSED', 'OVERLOADED'];

/** The calls of all clients. */
export class Calls {
  private readonly verdict: Verdict;
  private readonly nowUs: () => number;
  // At most one for each operation, and each is over with its process.
  private readonly open = new Set<Call>();

  constructor(verdict: Verdict, nowUs: () => number) {
    this.verdict = verdict;
    this.nowUs = nowUs;
  }

  /** Those that have not settled, of processes that live. */
  outstanding(): readonly Call[] {
    for (const call of this.open) if (!call.life.isAlive) this.open.delete(call);
    return [...this.open];
  }

  /** Keeps the call in the books until it settles, and judges what it is rejected with. */
  async track<T>({ codes, ...calling }: Calling, call: () => Promise<T>): Promise<T> {
    const entry = { ...calling, startedUs: this.nowUs() };
    this.open.add(entry);
    try {
      return await call();
    } catch (error) {
      this.judge(error, { what: calling.what, codes });
      throw error;
    } finally {
      this.open.delete(entry);
    }
  }

  /** For what is no single call: whether it may be rejected like this. */
  judge(error: unknown, { what, codes }: Pick<Calling, 'what' | 'codes'>): void {
    if (error === GIVEN_UP) return;
    const isKnown = HoldfastError.is(error) && [...COMMON_CODES, ...codes].includes(error.code);
    if (!isKnown) this.verdict.report('API', `${what} was rejected: ${textOf(error)}`);
  }

  /** The library let somebody use a lock for longer than its maxHoldMs. */
  onHeldTooLong(client: string, name: string): void {
    this.verdict.report('API', `${client} may use ${name} for longer than maxHoldMs`);
  }

  /** For whatever comes out of a program of a client in the end. */
  onProgramError(what: string, error: unknown): void {
    // Errors of the library were judged where they arose.
    if (error === GIVEN_UP || HoldfastError.is(error)) return;
    this.verdict.report('API', `${what}: ${textOf(error)}`);
  }
}

function textOf(error: unknown): string {
  if (HoldfastError.is(error)) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
