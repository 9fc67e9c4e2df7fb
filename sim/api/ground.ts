// What code stands on: which process of which world it belongs to. It follows the code through
// promises and call-backs, whoever settles or calls them, so that programs that share a promise
// are still told apart.

import { AsyncLocalStorage } from 'node:async_hooks';
import type { ProbeId } from '../../src/base/probe.ts';
import type { MonoUs } from '../../src/base/units.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Life } from '../world/process.ts';
import type { ProgramTimers } from './program-timers.ts';

/** A run, as its code reaches it from anywhere. */
export interface GroundWorld {
  /** Code of this name used what it must not; fails the run, and gives what is to be thrown. */
  refuse(ground: Ground, what: string): Error;
  /** A program, or a call-back of it, threw and nobody caught it. */
  onUncaught(ground: Ground, error: unknown): void;
  /** A rare state of the product was reached. */
  onProbe(id: ProbeId): void;
  /** A program logged this: what is to be printed before it, null for nothing at all. */
  onLog(ground: Ground, text: string): string | null;
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
  /** When this life began, by its clock. */
  readonly startedUs: MonoUs;
  readonly startedWallMs: number;
  /** A whole number from 0 to 2^32 - 1. */
  readonly u32: () => number;
  /** How often a clock was read at one instant. */
  readonly readings: { count: number; atUs: number };
  /** Whether the usual globals are those of the process. */
  readonly isVirtual: boolean;
}

/** Undefined outside of all worlds. */
export const grounds = new AsyncLocalStorage<Ground>();
