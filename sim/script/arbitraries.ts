// Scripts as fast-check values. Every part can shrink a value that it did not draw itself, so that
// a script from a file, or one drawn by `drawScript`, shrinks like one from here: no chain, no map,
// no filter (SIMULATOR.md §4.10). The order of the fields is the order of shrinking.

import * as fc from 'fast-check';
import * as ranges from './ranges.ts';
import { CLOCK_BOUNDS, FAULT_KINDS, OP_KINDS } from './types.ts';
import type { Clocks, Fault, Knobs, Net, Op, Past, Script, Shape } from './types.ts';

/** Any script. It shrinks towards fewer and milder faults, fewer operations and defaults. */
export function scriptArbitrary(): fc.Arbitrary<Script> {
  return fc.record({
    horizonMs: fc.integer(ranges.HORIZON_MS),
    faults: fc.array(fault(), { maxLength: ranges.FAULTS_MAX }),
    ops: fc.array(op(), { maxLength: ranges.OPS_MAX }),
    shape: shape(),
    past: past(),
    knobs: knobs(),
    net: net(),
    clocks: clocks(),
    hasHoles: fc.constantFrom(false, true),
    noise: fc.noShrink(fc.integer(ranges.NOISE)),
  });
}

function fault(): fc.Arbitrary<Fault> {
  return fc.record({
    kind: fc.constantFrom(...FAULT_KINDS),
    target: fc.integer(ranges.FAULT.target),
    atMs: fc.integer(ranges.FAULT.atMs),
    forMs: fc.integer(ranges.FAULT.forMs),
    arg: fc.integer(ranges.FAULT.arg),
  });
}

function op(): fc.Arbitrary<Op> {
  return fc.record({
    // Its luck hangs on it.
    id: fc.noShrink(fc.integer(ranges.OP.id)),
    client: fc.integer(ranges.OP.client),
    kind: fc.constantFrom(...OP_KINDS),
    key: fc.integer(ranges.OP.key),
    atMs: fc.integer(ranges.OP.atMs),
    holdMs: fc.integer(ranges.OP.holdMs),
    arg: fc.integer(ranges.OP.arg),
  });
}

function shape(): fc.Arbitrary<Shape> {
  return fc.record({
    nodes: fc.constantFrom(...ranges.SHAPE.nodes),
    clients: fc.integer(ranges.SHAPE.clients),
    keys: fc.integer(ranges.SHAPE.keys),
  });
}

function past(): fc.Arbitrary<Past> {
  return fc.record({
    restores: fc.constantFrom(...ranges.PAST.restores),
    deadMs: fc.constantFrom(...ranges.PAST.deadMs),
    raisedMs: fc.constantFrom(...ranges.PAST.raisedMs),
  });
}

function knobs(): fc.Arbitrary<Knobs> {
  return fc.record({
    electionMs: fc.constantFrom(...ranges.KNOBS.electionMs),
    heartbeatMs: fc.constantFrom(...ranges.KNOBS.heartbeatMs),
    ttlMs: fc.constantFrom(...ranges.KNOBS.ttlMs),
    marginMs: fc.constantFrom(...ranges.KNOBS.marginMs),
    lockDelayMs: fc.constantFrom(...ranges.KNOBS.lockDelayMs),
    requestMs: fc.constantFrom(...ranges.KNOBS.requestMs),
    appendBytes: fc.constantFrom(...ranges.KNOBS.appendBytes),
    inflightAppends: fc.constantFrom(...ranges.KNOBS.inflightAppends),
    uncommittedBytes: fc.constantFrom(...ranges.KNOBS.uncommittedBytes),
    persistBytes: fc.constantFrom(...ranges.KNOBS.persistBytes),
    tailBytes: fc.constantFrom(...ranges.KNOBS.tailBytes),
    window: fc.constantFrom(...ranges.KNOBS.window),
    holdings: fc.constantFrom(...ranges.KNOBS.holdings),
    watchEvents: fc.constantFrom(...ranges.KNOBS.watchEvents),
    threads: fc.constantFrom(...ranges.KNOBS.threads),
    checkpointRows: fc.constantFrom(...ranges.KNOBS.checkpointRows),
    trailingEntries: fc.constantFrom(...ranges.KNOBS.trailingEntries),
    partBytes: fc.constantFrom(...ranges.KNOBS.partBytes),
    scrubMs: fc.constantFrom(...ranges.KNOBS.scrubMs),
  });
}

function net(): fc.Arbitrary<Net> {
  return fc.record({
    latencyUs: fc.constantFrom(...ranges.NET.latencyUs),
    jitterUs: fc.constantFrom(...ranges.NET.jitterUs),
    tailOneIn: fc.constantFrom(...ranges.NET.tailOneIn),
    lossPerMille: fc.constantFrom(...ranges.NET.lossPerMille),
    duplicatePerMille: fc.constantFrom(...ranges.NET.duplicatePerMille),
    reorderPerMille: fc.constantFrom(...ranges.NET.reorderPerMille),
    shuffleTies: fc.constantFrom(false, true),
  });
}

function clocks(): fc.Arbitrary<Clocks> {
  return fc.record({
    bound: fc.constantFrom(...CLOCK_BOUNDS),
    driftPpm: fc.array(fc.constantFrom(...ranges.CLOCKS.driftPpm), {
      maxLength: ranges.MACHINES_MAX,
    }),
    latenessUs: fc.constantFrom(...ranges.CLOCKS.latenessUs),
    earlyUs: fc.constantFrom(...ranges.CLOCKS.earlyUs),
  });
}
