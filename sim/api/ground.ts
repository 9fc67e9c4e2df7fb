// What code stands on: which process of which world it belongs to. It follows the code through
// promises and call-backs, whoever settles or calls them, so that programs that share a promise
// are still told apart.

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../../src/ports/clock.ts';
import type { Life } from '../world/process.ts';
import type { ProgramTimers } from './program-timers.ts';

/** A run, as its code reaches it from anywhere. */
export interface GroundWorld {
  /** Code of this name used what it must not; fails the run, and gives what is to be thrown. */
  refuse(ground: Ground, what: string): Error;
  /** A program, or a call-back of it, threw and nobody caught it. */
  onUncaught(ground: Ground, error: unknown): void;
  /** What a program logged. */
  onLog(ground: Ground, text: string): boolean;
}

/** Where code stands: in a process, or (without `own`) in the world itself. */
export interface Ground {
  readonly world: GroundWorld;
  readonly name: string;
  readonly own: OwnGround | null;
}

/** What a process has for itself. */
export interface OwnGround {
  readonly life: Life;
  readonly clock: Clock;
  readonly timers: ProgramTimers;
  /** A whole number from 0 to 2^32 - 1. */
  readonly u32: () => number;
  /** Whether the usual globals are those of the process. */
  readonly isVirtual: boolean;
}

/** Undefined outside of all worlds. */
export const grounds = new AsyncLocalStorage<Ground>();
