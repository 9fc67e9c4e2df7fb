// Reads a script from a file: checks everything, and says where it is wrong, what was expected and
// what came.

import { HoldfastError, describeValue } from '../../src/base/error.ts';
import * as ranges from './ranges.ts';
import type { Range } from './ranges.ts';
import { CLOCK_BOUNDS, FAULT_KINDS, OP_KINDS } from './types.ts';
import type { Clocks, Fault, Knobs, Net, Op, Past, Script, Shape } from './types.ts';

const PPM: Range = { min: -900_000, max: 900_000 };
const COUNT: Range = { min: 0, max: 1_000_000_000 };
const NODES = [1, 3, 5] as const;
const THREADS: Range = { min: 0, max: ranges.SHAPE.clients.max };

/** The script that a parsed JSON value is. Throws HoldfastError INVALID when it is none. */
export function readScript(value: unknown): Script {
  const script = new Fields('script', value);
  const read: Script = {
    horizonMs: script.whole('horizonMs', ranges.HORIZON_MS),
    faults: script.list('faults', ranges.FAULTS_MAX, readFault),
    ops: script.list('ops', ranges.OPS_MAX, readOp),
    shape: readShape(script.fields('shape')),
    past: script.has('past') ? readPast(script.fields('past')) : ranges.NO_PAST,
    knobs: readKnobs(script.fields('knobs')),
    net: readNet(script.fields('net')),
    clocks: readClocks(script.fields('clocks')),
    hasHoles: script.flag('hasHoles'),
    noise: script.whole('noise', ranges.NOISE),
  };
  return script.end(read);
}

function readFault(value: unknown, path: string): Fault {
  const fault = new Fields(path, value);
  return fault.end({
    kind: fault.oneOf('kind', FAULT_KINDS),
    target: fault.whole('target', ranges.FAULT.target),
    atMs: fault.whole('atMs', ranges.FAULT.atMs),
    forMs: fault.whole('forMs', ranges.FAULT.forMs),
    arg: fault.whole('arg', ranges.FAULT.arg),
  });
}

function readOp(value: unknown, path: string): Op {
  const op = new Fields(path, value);
  return op.end({
    id: op.whole('id', ranges.OP.id),
    client: op.whole('client', ranges.OP.client),
    kind: op.oneOf('kind', OP_KINDS),
    key: op.whole('key', ranges.OP.key),
    atMs: op.whole('atMs', ranges.OP.atMs),
    holdMs: op.whole('holdMs', ranges.OP.holdMs),
    arg: op.whole('arg', ranges.OP.arg),
  });
}

function readShape(shape: Fields): Shape {
  return shape.end({
    nodes: shape.oneOf('nodes', NODES),
    clients: shape.whole('clients', ranges.SHAPE.clients),
    keys: shape.whole('keys', ranges.SHAPE.keys),
  });
}

function readPast(past: Fields): Past {
  return past.end({
    restores: past.oneOf('restores', ranges.PAST.restores),
    deadMs: past.whole('deadMs', COUNT),
    raisedMs: past.whole('raisedMs', { min: 0, max: 10_000 }),
  });
}

function readKnobs(knobs: Fields): Knobs {
  return knobs.end({
    electionMs: knobs.whole('electionMs', { min: 50, max: 10_000 }),
    heartbeatMs: knobs.whole('heartbeatMs', { min: 1, max: 1_000 }),
    ttlMs: knobs.oneOf('ttlMs', ranges.KNOBS.ttlMs),
    marginMs: knobs.whole('marginMs', { min: 0, max: 500 }),
    lockDelayMs: knobs.since('lockDelayMs', { min: 0, max: 60_000 }),
    threads: knobs.since('threads', THREADS),
    requestMs: knobs.whole('requestMs', { min: 1, max: 60_000 }),
    appendBytes: knobs.whole('appendBytes', COUNT),
    inflightAppends: knobs.whole('inflightAppends', COUNT),
    uncommittedBytes: knobs.whole('uncommittedBytes', COUNT),
    persistBytes: knobs.whole('persistBytes', COUNT),
    tailBytes: knobs.whole('tailBytes', COUNT),
    window: knobs.whole('window', { min: 1, max: 4_096 }),
    holdings: knobs.since('holdings', COUNT),
    watchEvents: knobs.since('watchEvents', COUNT),
    checkpointRows: knobs.since('checkpointRows', COUNT),
    trailingEntries: knobs.since('trailingEntries', COUNT),
    partBytes: knobs.since('partBytes', COUNT),
    scrubMs: knobs.since('scrubMs', COUNT),
  });
}

function readNet(net: Fields): Net {
  const perMille: Range = { min: 0, max: 1_000 };
  return net.end({
    latencyUs: net.whole('latencyUs', COUNT),
    jitterUs: net.whole('jitterUs', COUNT),
    tailOneIn: net.whole('tailOneIn', COUNT),
    lossPerMille: net.whole('lossPerMille', perMille),
    duplicatePerMille: net.whole('duplicatePerMille', perMille),
    reorderPerMille: net.whole('reorderPerMille', perMille),
    shuffleTies: net.flag('shuffleTies'),
  });
}

function readClocks(clocks: Fields): Clocks {
  return clocks.end({
    bound: clocks.oneOf('bound', CLOCK_BOUNDS),
    driftPpm: clocks.list('driftPpm', ranges.MACHINES_MAX, (value, path) =>
      whole(value, path, PPM),
    ),
    latenessUs: clocks.whole('latenessUs', COUNT),
    earlyUs: clocks.whole('earlyUs', COUNT),
  });
}

/** The members of one object, each of which is to be read once. */
class Fields {
  private readonly path: string;
  private readonly left: Map<string, unknown>;

  constructor(path: string, value: unknown) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw invalid(path, 'an object', value);
    }
    this.path = path;
    this.left = new Map(Object.entries(value));
  }

  has(name: string): boolean {
    return this.left.has(name);
  }

  /** A number that older scripts do not have: 0 is what they meant. */
  since(name: string, range: Range): number {
    return this.has(name) ? this.whole(name, range) : 0;
  }

  whole(name: string, range: Range): number {
    return whole(this.take(name), this.pathOf(name), range);
  }

  flag(name: string): boolean {
    const value = this.take(name);
    if (typeof value === 'boolean') return value;
    throw invalid(this.pathOf(name), 'true or false', value);
  }

  oneOf<T extends string | number>(name: string, choices: readonly T[]): T {
    const value = this.take(name);
    const found = choices.find((choice) => choice === value);
    if (found !== undefined) return found;
    throw invalid(this.pathOf(name), `one of ${choices.join(', ')}`, value);
  }

  list<T>(name: string, most: number, read: (value: unknown, path: string) => T): readonly T[] {
    const value = this.take(name);
    const path = this.pathOf(name);
    if (!Array.isArray(value)) throw invalid(path, 'a list', value);
    if (value.length > most) throw invalid(path, `a list of at most ${most}`, value.length);
    const items: readonly unknown[] = value;
    return items.map((item, place) => read(item, `${path}[${place}]`));
  }

  fields(name: string): Fields {
    return new Fields(this.pathOf(name), this.take(name));
  }

  /** Gives back what was read; refuses what nobody asked for. */
  end<T>(read: T): T {
    const [name] = this.left.keys();
    if (name === undefined) return read;
    throw invalid(this.pathOf(name), 'absent: there is no such part', this.left.get(name));
  }

  private take(name: string): unknown {
    const value = this.left.get(name);
    this.left.delete(name);
    return value;
  }

  private pathOf(name: string): string {
    return `${this.path}.${name}`;
  }
}

function whole(value: unknown, path: string, { min, max }: Range): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) {
    if (value >= min && value <= max) return value;
  }
  throw invalid(path, `a whole number from ${min} to ${max}`, value);
}

function invalid(path: string, expected: string, value: unknown): HoldfastError {
  return new HoldfastError('INVALID', `${path} must be ${expected} (got ${describeValue(value)})`);
}
