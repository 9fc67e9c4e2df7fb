// Faults in words: what happens to whom, and for how long.

import { changeLingerUs, changeMeant, lingerUs } from './ambush.ts';
import { boundDrift } from './cluster-options.ts';
import { listOf, nameOf, rateOf, spanOf } from './describe-names.ts';
import { CLIENT_TARGETS, clientsNear } from './fault-groups.ts';
import * as steps from './fault-steps.ts';
import type { Fault, FaultKind, Script } from './types.ts';

/** Who takes part, by name. */
interface Cast {
  /** The target. */
  readonly it: string;
  /** The second party, where there is one. */
  readonly other: string;
  readonly script: Script;
  readonly fault: Fault;
}

type Words = (cast: Cast) => string;

const MOMENTARY: ReadonlySet<FaultKind> = new Set<FaultKind>([
  'reset',
  'resetAll',
  'clientReset',
  'clientThread',
  'writeError',
  'slotError',
  'rotLog',
  'rotState',
  'rotSlot',
]);

const WORDS: Readonly<Record<FaultKind, Words>> = {
  crash: ({ it, fault }) => `${it} crashes${inTheAct(fault)}`,
  powerLoss: ({ it, fault }) => `${it} loses power${inTheAct(fault)}`,
  crashAll: ({ fault }) => `all nodes crash${inTheAct(fault)}`,
  powerLossAll: ({ fault }) => `all nodes lose power${inTheAct(fault)}`,
  pause: ({ it }) => `${it} stands still`,
  suspend: ({ it }) => `the machine of ${it} sleeps`,
  slowNode: ({ it, fault }) => `each act of ${it} costs ${micros(steps.SLOW_US, fault)}`,
  wallJump: ({ it, fault }) => `the wall clock of ${it} is off by ${wall(fault)}`,
  clockRate: ({ it, script, fault }) => `the clock of ${it} runs at ${rate(script, fault)}`,
  isolate: ({ it, fault }) => `${it} is cut off from the other nodes${clientsToo(fault)}`,
  isolateIn: ({ it, fault }) => `${it} hears no other node${clientsToo(fault)}`,
  isolateOut: ({ it, fault }) => `${it} is heard by no other node${clientsToo(fault)}`,
  cutPair: ({ it, other }) => `${it} and ${other} are cut off from each other`,
  cutOneWay: ({ it, other, fault }) =>
    ((fault.arg >> 1) & 1) === 1 ? `${it} does not hear ${other}` : `${other} does not hear ${it}`,
  halves: ({ it, script, fault }) => `${it}${company(script, fault)} is cut off from the rest`,
  bridge: ({ it }) => `only ${it} sees all nodes`,
  ring: ({ it }) => `nodes see only their neighbours, counted from ${it}`,
  flap: ({ it, fault }) =>
    `${it} is cut off and back every ${spanOf(steps.step(steps.FLAP_MS, fault))}`,
  swizzle: () => 'nodes are cut off one by one, and come back in another order',
  reset: ({ it, other }) => `the links between ${it} and ${other} break`,
  resetAll: () => 'all links between nodes break',
  stale: ({ it, other }) => `what is under way between ${it} and ${other} stands still`,
  blackHole: ({ it, other }) => `what the links between ${it} and ${other} carry vanishes`,
  refuse: ({ it }) => `dials between ${it} and the other nodes are refused`,
  hang: ({ it }) => `dials between ${it} and the other nodes hang`,
  slowLink: ({ it, fault }) =>
    `links of ${it} carry ${steps.step(steps.BANDWIDTHS, fault)} bytes per second`,
  spike: ({ it, fault }) =>
    `frames of ${it} take ${spanOf(steps.step(steps.SPIKE_MS, fault))} longer`,
  loss: ({ it, fault }) => `${frames(fault)} between ${it} and the other nodes are lost`,
  duplicate: ({ it, fault }) => `${frames(fault)} between ${it} and the others come twice`,
  reorder: ({ it, fault }) => `${frames(fault)} between ${it} and the others are overtaken`,
  clientCrash: ({ it, fault }) => `${it} ${fault.arg % 2 === 1 ? 'loses power' : 'crashes'}`,
  clientPause: ({ it }) => `${it} stands still`,
  clientSuspend: ({ it }) => `the machine of ${it} sleeps`,
  clientBlock: ({ it }) => `the main loop of ${it} runs nothing`,
  clientThread: ({ it }) => `the thread of ${it} fails`,
  clientSlow: ({ it, fault }) => `each act of ${it} costs ${micros(steps.SLOW_US, fault)}`,
  clientWallJump: ({ it, fault }) => `the wall clock of ${it} is off by ${wall(fault)}`,
  clientClockRate: ({ it, script, fault }) => `the clock of ${it} runs at ${rate(script, fault)}`,
  clientIsolate: ({ it }) => `${it} is cut off from all nodes`,
  clientIsolateIn: ({ it }) => `${it} hears no node`,
  clientIsolateOut: ({ it }) => `${it} is heard by no node`,
  clientsOnly: ({ it }) => `no client reaches ${it}`,
  clientReset: ({ it }) => `the links of ${it} break`,
  clientStale: ({ it }) => `what is under way between ${it} and the nodes stands still`,
  slowDisk: ({ it, fault }) =>
    `the disk of ${it} takes ${spanOf(steps.step(steps.DISK_MS, fault))} longer`,
  stallDisk: ({ it }) => `the disk of ${it} finishes nothing`,
  fullDisk: ({ it, fault }) => `the disk of ${it} is ${fault.arg % 2 === 1 ? 'nearly ' : ''}full`,
  writeError: ({ it }) => `the next write to the log of ${it} fails`,
  slotError: ({ it }) => `the next write of the hard state of ${it} fails`,
  tornSlot: ({ it }) => `${it} loses power while it writes its hard state`,
  rotLog: ({ it, fault }) => `the log of ${it} rots${whileDown(fault)}`,
  rotState: ({ it, fault }) => `the checkpoint of ${it} rots${whileDown(fault)}`,
  rotSlot: ({ it, fault }) => `the hard state of ${it} rots${whileDown(fault)}`,
};

/** A clause such as "n2 is cut off from the other nodes for 900 ms". */
export function describeFault(script: Script, fault: Fault): string {
  const words = WORDS[fault.kind](castOf(script, fault));
  const isOverAtOnce = MOMENTARY.has(fault.kind) && !isDown(fault);
  const all = isOverAtOnce ? words : `${words} for ${spanOf(fault.forMs)}`;
  return `${all}${uponChange(fault)}`;
}

function uponChange(fault: Fault): string {
  const change = changeMeant(fault);
  if (change === null) return '';
  const afterMs = changeLingerUs(fault) / 1_000;
  const when = afterMs === 0 ? 'as soon as' : `${afterMs} ms after`;
  return change === 'joint'
    ? `, ${when} a configuration is joint`
    : `, ${when} a configuration is not committed yet`;
}

function castOf(script: Script, fault: Fault): Cast {
  const { nodes, clients } = script.shape;
  const { kind, target, arg } = fault;
  if (CLIENT_TARGETS.has(kind)) {
    return { it: nameOf('c', target, clients), other: 'a node', script, fault };
  }
  if (target === 0) return { it: 'the leader', other: 'another node', script, fault };
  const place = (target - 1) % nodes;
  const others = Array.from({ length: nodes }, (_, at) => at).filter((at) => at !== place);
  const other = others[arg % others.length];
  const it = nameOf('n', place, nodes);
  return { it, other: other === undefined ? 'no other' : nameOf('n', other, nodes), script, fault };
}

function company({ shape }: Script, { target, arg }: Fault): string {
  const place = target === 0 ? -1 : (target - 1) % shape.nodes;
  const others = Array.from({ length: shape.nodes }, (_, at) => at).filter((at) => at !== place);
  const near = others.filter((_, bit) => ((arg >> bit) & 1) === 1);
  const nodes = near.map((at) => nameOf('n', at, shape.nodes));
  const clients = clientsNear(arg, shape.clients).map((at) => nameOf('c', at, shape.clients));
  const some = near.length === 0 ? [] : ['some others'];
  const names = [...(target === 0 ? some : nodes), ...clients];
  return names.length === 0 ? '' : ` with ${listOf(names)}`;
}

function inTheAct(fault: Fault): string {
  if (fault.arg % 2 === 0) return '';
  const afterUs = lingerUs(fault);
  return afterUs === 0 ? ' during a write' : ` ${afterUs / 1_000} ms after a write began`;
}

function whileDown(fault: Fault): string {
  return isDown(fault) ? ' while it is down' : '';
}

function isDown({ kind, arg }: Fault): boolean {
  return ['rotLog', 'rotState', 'rotSlot'].includes(kind) && arg % 2 === 1;
}

function clientsToo({ arg }: Fault): string {
  return arg % 2 === 1 ? ' and the clients' : '';
}

function micros(list: readonly number[], fault: Fault): string {
  return spanOf(steps.step(list, fault) / 1_000);
}

function wall(fault: Fault): string {
  const byMs = steps.step(steps.WALL_STEPS_MS, fault);
  return `${byMs < 0 ? '−' : '+'}${Math.abs(byMs) / 1_000} s`;
}

function rate({ clocks }: Script, fault: Fault): string {
  return rateOf(boundDrift(clocks, steps.step(steps.PPM_STEPS, fault)));
}

function frames(fault: Fault): string {
  return `${steps.step(steps.PER_MILLE, fault) / 10} % of the frames`;
}
