// Faults in words.

import { rateOf, spanOf } from '../script/describe-names.ts';
import { DISK_MS, SLOW_US, WALL_STEPS_MS } from '../script/fault-steps.ts';
import { CLOCK_PPM, LAG_MS, isOdd, lingerMs, step } from './fault-variants.ts';
import type { Strike, WorldFault, WorldFaultKind } from './world-fault.ts';

type Words = (it: string, fault: WorldFault) => string;

const WORDS: Readonly<Record<WorldFaultKind, Words>> = {
  pause: (it) => `${it} stands still`,
  suspend: (it) => `the machine of ${it} sleeps`,
  crash: (it, fault) => `${it} ${isOdd(fault) ? 'loses power, and is down' : 'is dead'}`,
  isolate: (it) => `${it} is cut off`,
  isolateIn: (it) => `${it} hears nobody`,
  isolateOut: (it) => `${it} is heard by nobody`,
  split: (it) => `the network is split in two around ${it}`,
  lag: (it, fault) => `frames of ${it} take ${spanOf(step(LAG_MS, fault))} longer`,
  slow: (it, fault) => `each act of ${it} costs ${spanOf(step(SLOW_US, fault) / 1_000)}`,
  reset: (it) => `the connections of ${it} break`,
  clockRate: (it, fault) => `the clock of ${it} runs at ${rateOf(step(CLOCK_PPM, fault))}`,
  wallJump: (it, fault) => `the wall clock of ${it} is off by ${step(WALL_STEPS_MS, fault)} ms`,
  slowDisk: (it, fault) => `the disk of ${it} takes ${spanOf(step(DISK_MS, fault))} longer`,
};

const ROLES: Readonly<Record<string, string>> = {
  holder: 'whoever holds a lock',
  leader: 'the leader of the cluster',
};

/** A line such as "at 1.2 s whoever holds a lock stands still for 16 s". */
export function describeWorldFault(fault: WorldFault): string {
  const { target, atMs } = fault;
  const name = typeof target === 'number' ? `process ${target}` : target;
  const it = ROLES[name] ?? name;
  const laterMs = lingerMs(fault);
  const later = laterMs === 0 ? '' : `, ${spanOf(laterMs)} later,`;
  return `at ${spanOf(atMs)}${later} ${clause(it, fault)}`;
}

/** A clause such as "worker-1, who holds a lock, stands still for 16 s". */
export function describeStrike({ fault, target }: Strike): string {
  const role = { holder: ', who holds a lock,', leader: ', who leads,' };
  const { target: meant } = fault;
  const suffix = meant === 'holder' || meant === 'leader' ? role[meant] : '';
  return clause(`${target}${suffix}`, fault);
}

function clause(it: string, fault: WorldFault): string {
  const words = WORDS[fault.kind](it, fault);
  return fault.kind === 'reset' ? words : `${words} for ${spanOf(fault.forMs)}`;
}
