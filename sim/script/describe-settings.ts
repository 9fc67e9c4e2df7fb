import { boundDrift } from './cluster-options.ts';
import { nameOf, rateOf, spanOf } from './describe-names.ts';
import { CLOCKS, KNOBS, NET } from './ranges.ts';
import type { Past, Script } from './types.ts';

/** One line for what runs, and one for what differs from the defaults, if anything does. */
export function describeSettings(script: Script): readonly string[] {
  const { shape, hasHoles, noise } = script;
  const counts = [
    counted(shape.nodes, 'node'),
    counted(shape.clients, 'client'),
    counted(shape.keys, 'lock'),
  ];
  const { shuffleTies, ...net } = script.net;
  const { bound, driftPpm, ...clocks } = script.clocks;
  const special = [
    ...describePast(script.past),
    ...differences(script.knobs, KNOBS),
    ...differences(net, NET),
    ...differences(clocks, CLOCKS),
    ...(shuffleTies ? ['what is simultaneous runs in a drawn order'] : []),
    ...(hasHoles ? ['disks lose unsynced batches before later ones'] : []),
    ...(bound === 'beyond' ? ['clocks may leave the bound that leases need'] : []),
    ...driftPpm.flatMap((ppm, place) => describeDrift(script, ppm, place)),
  ];
  const first = `${counts.join(', ')}; luck ${noise}`;
  return special.length === 0 ? [first] : [first, `with ${special.join(', ')}`];
}

function describePast({ restores, deadMs, raisedMs }: Past): readonly string[] {
  if (restores === 0) return [];
  const times = restores === 1 ? '' : ', which was restored itself';
  return [
    `a cluster that is made of a backup of another one${times}`,
    ...(deadMs === 0 ? [] : [`which is dead for ${spanOf(deadMs)}`]),
    ...(raisedMs === 0 ? [] : [`a maximum TTL of ${spanOf(raisedMs)} that came after the backup`]),
  ];
}

function describeDrift({ shape, clocks }: Script, ppm: number, place: number): readonly string[] {
  const rate = boundDrift(clocks, ppm);
  const machines = shape.nodes + shape.clients;
  if (rate === 0 || place >= machines) return [];
  const isNode = place < shape.nodes;
  const name = isNode
    ? nameOf('n', place, shape.nodes)
    : nameOf('c', place - shape.nodes, shape.clients);
  return [`the clock of ${name} at ${rateOf(rate)}`];
}

/** The first choice of each is the default. */
function differences(
  values: object,
  choices: Readonly<Record<string, readonly number[]>>,
): readonly string[] {
  const given: readonly (readonly [string, unknown])[] = Object.entries(values);
  return given
    .filter(([name, value]) => choices[name]?.[0] !== value)
    .map(([name, value]) => `${name} ${String(value)}`);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
