import { present } from '../../src/base/assert.ts';
import { describe, expect, test } from 'vitest';
import { Hasher } from '../../src/base/hash.ts';
import { probes } from '../../src/base/probe.ts';
import type { NodeId } from '../../src/base/units.ts';
import type { HostExit } from '../../src/node/host-types.ts';
import type { ClientProgram, SimClient } from '../../sim/cluster-client.ts';
import { createSimCluster } from '../../sim/cluster.ts';
import type { SimCluster } from '../../sim/cluster.ts';
import { FoundedImages } from '../../sim/founded-images.ts';
import { watchSlots } from './slot-watch.ts';
import { clientClock, clientOptions, clusterOptions } from '../../sim/script/cluster-options.ts';
import { drawScript } from '../../sim/script/draw.ts';
import { KNOBS, NO_PAST } from '../../sim/script/ranges.ts';
import { scheduleFaults } from '../../sim/script/faults.ts';
import type { Faults } from '../../sim/script/faults.ts';
import { FAULT_KINDS } from '../../sim/script/types.ts';
import type { Fault, FaultKind, Script } from '../../sim/script/types.ts';
import type { Trace } from '../../sim/world/trace.ts';
import { HARD_ARGS } from './hard-args.ts';

const IMAGES = new FoundedImages();
const HORIZON_MS = 2_600;
/** Slots are written once a second at most. */
const OFTEN = { atMs: 100, forMs: 2_200 };

interface Played {
  readonly cluster: SimCluster;
  readonly clients: readonly SimClient[];
  readonly faults: Faults;
  readonly exits: readonly { readonly id: NodeId; readonly exit: HostExit }[];
}

/** Two clients take the same locks in turn until they are killed. */
async function toil(own: ClientProgram): Promise<void> {
  for (let round = 0; ; round++) {
    const grant = await own.client
      .lock(`k${round % 3}`)
      .acquire({ waitMs: 500 })
      .catch(() => null);
    await own.sleep(10);
    await grant?.release().catch(() => null);
  }
}

/** A script with these faults and otherwise as mild as can be; the first client has a thread. */
function scriptOf(faults: readonly Fault[], nodes: 1 | 3 | 5 = 3): Script {
  const { net, clocks } = MILD;
  const knobs = { ...MILD.knobs, threads: 1 };
  const shape = { nodes, clients: 2, keys: 3 };
  const calm = { ops: [], past: NO_PAST, hasHoles: false, noise: 5 };
  return { horizonMs: HORIZON_MS, faults, shape, knobs, net, clocks, ...calm };
}

/** Runs a script up to its end, before anything is healed. */
async function play(script: Script): Promise<Played> {
  const exits: { id: NodeId; exit: HostExit }[] = [];
  const onExit = (id: NodeId, exit: HostExit): void => void exits.push({ id, exit });
  const cluster = await createSimCluster({ ...clusterOptions(script), images: IMAGES, onExit });
  const clients = ['c1', 'c2'].map((name, place) =>
    cluster.client(name, clientOptions(script, place), clientClock(script, place)),
  );
  for (const client of clients) client.run(toil);
  const faults = scheduleFaults(cluster, script, () => clients);
  await cluster.runFor(script.horizonMs);
  return { cluster, clients, faults, exits };
}

/** All that processes did; the world's own acts and the numbers of events do not count. */
function deedsOf(trace: Trace): string {
  const hasher = new Hasher();
  for (let place = 0; place < trace.length; place++) {
    const event = trace.at(place);
    if (event === null || event.kind === 'control') continue;
    const { kind, process, timeUs, a, b, c } = event;
    hasher.text(kind).u32(process).number(timeUs).u32(a).u32(b).u32(c);
  }
  return hasher.hex();
}

/** Everything serves again: a ready leader, all nodes that may, and a lock for a new client. */
async function expectHealthy({ cluster, faults, clients }: Played): Promise<void> {
  faults.healAll();
  await cluster.waitLeader();
  const expected = cluster.ids.filter((id) => !faults.condemned.has(id));
  const isUp = (id: NodeId): boolean => cluster.node(id).isStarted && !cluster.node(id).isPaused;
  await cluster.until('all nodes that may serve', () => expected.every(isUp));
  const taken = clients.map((each) => each.run(({ client }) => client.lock('fresh').tryAcquire()));
  const isDone = (): boolean => taken.every((each) => each.isSettled);
  await cluster.until('answers to both clients', isDone);
  const granted = taken.filter(({ value }) => value.isOk && value.value !== null);
  expect(granted.length).toBeGreaterThan(0);
}

const MILD = drawMild();

function drawMild(): Script {
  const defaults = Object.values(KNOBS).map(([first]) => first);
  const isMild = ({ knobs, net, clocks }: Script): boolean =>
    Object.values({ ...knobs, threads: 0 }).join() === defaults.join() &&
    Object.values(net).join() === '150,50,0,0,0,0,false' &&
    [clocks.driftPpm.length, clocks.latenessUs, clocks.earlyUs].join() === '0,1000,0';
  for (let seed = 0; seed < 100_000; seed++) {
    const script = drawScript(seed);
    if (isMild(script)) return script;
  }
  throw new Error('no mild script');
}

/** Of a kind, so that it strikes hard: at the leader, or at the first client. */
function strike(kind: FaultKind, given: Partial<Fault> = {}): Fault {
  return { kind, target: 0, atMs: 1_200, forMs: 1_100, arg: HARD_ARGS[kind] ?? 1, ...given };
}

/** What a fault needs to be felt: faults besides it. */
const COMPANY: Readonly<Partial<Record<FaultKind, readonly Fault[]>>> = {
  bridge: [strike('crash', { atMs: 1_300, arg: 0 })],
  refuse: [strike('resetAll', { atMs: 1_300 })],
  hang: [strike('resetAll', { atMs: 1_300 })],
};

const WITHOUT = play(scriptOf([])).then(({ cluster }) => deedsOf(cluster.world.trace));

/** Exits for which no fault is the reason. */
function unjustified({ exits, faults }: Played): readonly HostExit[] {
  return exits.filter(({ id, exit }) => !faults.isExitJustified(id, exit)).map(({ exit }) => exit);
}

describe('faults', () => {
  test.each(FAULT_KINDS)('%s changes what happens, and is undone by healing', async (kind) => {
    const company = COMPANY[kind] ?? [];
    const alone = company.length === 0 ? null : await play(scriptOf(company));
    const without = alone === null ? await WITHOUT : deedsOf(alone.cluster.world.trace);
    const played = await play(
      scriptOf([strike(kind, kind === 'slotError' ? OFTEN : {}), ...company]),
    );
    expect(played.faults.struck).toBe(1 + company.length);
    // No client ever looks at the wall clock: that is what this fault is there to show (M-61).
    const isFelt = kind !== 'clientWallJump';
    expect(deedsOf(played.cluster.world.trace) !== without).toBe(isFelt);
    await expectHealthy(played);
    expect(unjustified(played)).toEqual([]);
  });

  test('each ends by itself when it is over', async () => {
    const brief = FAULT_KINDS.map((kind, at) => strike(kind, { atMs: 900 + 60 * at, forMs: 20 }));
    const horizonMs = 900 + 60 * FAULT_KINDS.length + 1_200;
    const { cluster, clients, faults } = await play({ ...scriptOf(brief), horizonMs });
    expect(faults.struck).toBeGreaterThan(FAULT_KINDS.length * 0.9);
    for (const { process, disk } of cluster.all()) {
      expect([process.callbackUs, process.life?.isPaused ?? false]).toEqual([0, false]);
      expect([disk.extraDelayUs, disk.freeBytes > 0]).toEqual([0, true]);
    }
    expect(clients.map(({ handle }) => handle.process.life?.isPaused)).toEqual([false, false]);
    const { topology } = cluster.world.network;
    const names = [...cluster.ids, ...clients.map(({ name }) => name)];
    const ways = names.flatMap((from) => names.map((to) => topology.direction(from, to)));
    expect(ways.filter((way) => way.isCut || way.isHanging || way.isRefusing)).toEqual([]);
    const evils = ways.map(({ route }) => route.lossPerMille + route.reorderPerMille);
    expect(Math.max(...evils)).toBe(0);
  });

  test('INV-20 no more than a minority of disks is ever damaged', async () => {
    const kinds = ['writeError', 'slotError', 'rotLog', 'rotState', 'rotSlot'] as const;
    const faults = kinds.flatMap((kind, at) =>
      [1, 2, 3].map((target) => strike(kind, { target, atMs: 900 + 100 * at, forMs: 1 })),
    );
    const played = await play(scriptOf(faults));
    expect(played.faults.condemned.size).toBe(1);
    expect(played.exits.length).toBeGreaterThan(0);
    await expectHealthy(played);
  });

  test('INV-20 a failed write excuses the end of that node, not of another, nor any reason', async () => {
    const { faults, exits } = await play(scriptOf([strike('writeError', { target: 2 })]));
    // Then somebody starts it again, and it refuses.
    expect(exits.map(({ id, exit }) => `${id} ${exit.exitCode}`)).toEqual(['n2 85', 'n2 85']);
    expect(exits[1]?.exit.message).toMatch(/^A write or sync in this directory failed earlier/);
    const exit = exits[0]?.exit ?? { exitCode: 0, message: '' };
    expect(faults.isExitJustified('n2', exit)).toBe(true);
    expect(faults.isExitJustified('n1', exit)).toBe(false);
    expect(faults.isExitJustified('n2', { ...exit, exitCode: 70 })).toBe(false);
  });

  test('a node whose disk was full comes back when there is room', async () => {
    const faults = [strike('fullDisk', { target: 1, forMs: 300, arg: 0 })];
    const { cluster, exits, faults: run } = await play(scriptOf(faults));
    expect(exits.map(({ id, exit }) => run.isExitJustified(id, exit))).toEqual([true]);
    expect(cluster.node('n1').isStarted).toBe(true);
  });

  test('INV-13 a leader whose disk is nearly full takes no new locks, and lives on', async () => {
    const reached = new Set<string>();
    const release = probes.collect((id) => reached.add(id));
    const full = { atMs: 700, forMs: 1_800, arg: 1 };
    const { exits } = await play(scriptOf([strike('fullDisk', full)])).finally(release);
    expect([exits, reached.has('refused-for-full-disk')]).toEqual([[], true]);
  });

  /** Versions of the slot that rots, and of the other one, at that moment. */
  async function rottenSlot(target: number): Promise<{ version: number; other: number }> {
    const script = scriptOf([
      strike('crash', { forMs: 900, arg: 0, target }),
      strike('rotSlot', { target }),
    ]);
    const cluster = await createSimCluster({ ...clusterOptions(script), images: IMAGES });
    scheduleFaults(cluster, script, () => []);
    const struck = watchSlots(cluster);
    await cluster.until('damage', () => struck.length > 0);
    return present(struck[0], 'a slot that rots');
  }

  test('M-78 of the two slots the newer one rots, of a node that has just written', async () => {
    const rotten = await Promise.all([0, 1, 2].map(rottenSlot));
    for (const { version, other } of rotten) expect(version).toBeGreaterThanOrEqual(other);
    // Not every node is met between its two writes.
    expect(rotten.some(({ version, other }) => version > other)).toBe(true);
  });

  /** When the node crashes, and whether it writes at that moment. */
  async function crashOf(arg: number): Promise<{ wasWriting: boolean; atUs: number }> {
    const script = scriptOf([strike('crash', { target: 1, arg })]);
    const cluster = await createSimCluster({ ...clusterOptions(script), images: IMAGES });
    const client = cluster.client('c1', clientOptions(script));
    client.run(toil);
    const node = cluster.node('n1');
    const seen = { wasWriting: false, atUs: 0 };
    const { crash } = { crash: node.crash.bind(node) };
    node.crash = () => {
      seen.wasWriting = node.disk.writes.waiting.length > 0;
      seen.atUs = cluster.world.nowUs;
      crash();
    };
    scheduleFaults(cluster, script, () => [client]);
    await cluster.runFor(1_500);
    return seen;
  }

  test('M-27 a crash that waits for a write strikes while one is under way, or lingers', async () => {
    const [atOnce, later] = [await crashOf(1), await crashOf(15)];
    expect(atOnce.wasWriting).toBe(true);
    expect(later.atUs - atOnce.atUs).toBe(32_000);
  });

  test('a minority stays away at the end of some runs, and the others do without it', async () => {
    const away: number[] = [];
    for (let noise = 0; noise < 8; noise++) {
      const { cluster, faults } = await play({ ...scriptOf([]), noise });
      faults.healAll();
      away.push(faults.leftOut.size);
      await cluster.runFor(3_000);
      expect(faults.leftOut.has(cluster.leader() ?? 'nobody')).toBe(false);
      expect(cluster.leader()).not.toBeNull();
    }
    expect(new Set(away)).toEqual(new Set([0, 1]));
  });

  test('nothing strikes any more after healing', async () => {
    const faults = [
      strike('crash', { atMs: HORIZON_MS + 10 }),
      strike('tornSlot', { atMs: 2_590 }),
    ];
    const played = await play(scriptOf(faults));
    played.faults.healAll();
    await played.cluster.runFor(3_000);
    expect(played.faults.struck).toBe(0);
    expect(played.cluster.all().map((node) => node.life)).toEqual([1, 1, 1]);
  });

  test('any numbers make sense, in clusters of any size', async () => {
    for (const nodes of [1, 3, 5] as const) {
      for (let seed = 0; seed < 4; seed++) {
        const numbers = Array.from(
          { length: 200 },
          (_, at) => (seed * 7_919 + at * 104_729) % 1_024,
        );
        const faults = FAULT_KINDS.map((kind, at) => ({
          kind,
          target: (numbers[at] ?? 0) % 16,
          atMs: 300 + (numbers[at + 50] ?? 0) * 2,
          forMs: numbers[at + 100] ?? 0,
          arg: numbers[at + 150] ?? 0,
        }));
        const played = await play(
          scriptOf(
            faults.filter((_, at) => (at + seed) % 2 === 0),
            nodes,
          ),
        );
        await expectHealthy(played);
        expect(unjustified(played)).toEqual([]);
      }
    }
  });
});
