// One run: a script from its first event to its verdict. The cluster, the clients, the faults and
// the oracles are put together here; what each of them does is said where they are.

import type { NodeId } from '../../src/base/units.ts';
import { probes } from '../../src/base/probe.ts';
import type { ProbeId } from '../../src/base/probe.ts';
import { US_PER_MS } from '../../src/base/units.ts';
import { createLockMachine } from '../../src/locks/machine.ts';
import type { HostExit, HostWatch } from '../../src/node/host-types.ts';
import { createSimCluster } from '../cluster.ts';
import type { SimCluster } from '../cluster.ts';
import type { FencedWrite } from '../fenced-store.ts';
import { FoundedImages } from '../founded-images.ts';
import { Beliefs } from '../oracle/belief.ts';
import type { Hold } from '../oracle/belief.ts';
import { checkDuplicates } from '../oracle/duplicates.ts';
import type { Beginning } from '../oracle/duplicates.ts';
import { HandOvers } from '../oracle/hand-overs.ts';
import { ClientHistory } from '../oracle/history.ts';
import { outlive } from '../oracle/inheritance.ts';
import { judgeHistory } from '../oracle/history-check.ts';
import { checkLiveness } from '../oracle/liveness.ts';
import { LockDelays } from '../oracle/lock-delays.ts';
import { LockModel } from '../oracle/model.ts';
import { RestoredGrants } from '../oracle/restored.ts';
import { reportExit } from '../oracle/verdict.ts';
import { WatchOracle } from '../oracle/watch.ts';
import { Pasts } from '../past.ts';
import type { Heritage } from '../past.ts';
import { clientClock, clientOptions, clusterOptions, pastPlan } from '../script/cluster-options.ts';
import type { Recorder } from '../report/recorder.ts';
import { scheduleFaults } from '../script/faults.ts';
import type { Faults } from '../script/faults.ts';
import type { Script } from '../script/types.ts';
import { reportRejections } from '../workload/rejections.ts';
import { startWorkload } from '../workload/workload.ts';
import type { Workload } from '../workload/workload.ts';
import type { RunOptions, RunResult, RunScript } from './types.ts';

/** Runs one script. Whoever runs many makes a runner, which founds its clusters once. */
export function runScript(script: Script, options: RunOptions = {}): Promise<RunResult> {
  return createRunner()(script, options);
}

/** Runs scripts one after the other; the same script is the same run, whatever ran before. */
export function createRunner(): RunScript {
  const images = new FoundedImages();
  const pasts = new Pasts();
  return async (script, options = {}) => {
    const plan = pastPlan(script);
    const heritage = plan === null ? null : await pasts.of(plan);
    const hits = new Map<ProbeId, number>(heritage?.hits);
    const release = probes.collect((id) => hits.set(id, (hits.get(id) ?? 0) + 1));
    try {
      const run = await beginRun({ script, heritage, images, recorder: options.recorder ?? null });
      await run.play();
      return run.result(hits, options);
    } finally {
      release();
    }
  };
}

/** What looks at the nodes from before there are clients. */
interface Onlooker {
  beliefs: Beliefs | null;
  onElected: (id: NodeId) => void;
  onExit: (id: NodeId, exit: HostExit) => void;
}

/** What a run is begun with. */
interface Beginnings {
  readonly script: Script;
  /** null: the cluster was founded. */
  readonly heritage: Heritage | null;
  readonly images: FoundedImages;
  /** null: nobody takes it down. */
  readonly recorder: Recorder | null;
}

async function beginRun({ script, heritage, images, recorder }: Beginnings): Promise<Run> {
  const onlooker: Onlooker = { beliefs: null, onElected: () => {}, onExit: () => {} };
  const cluster = await createSimCluster({
    ...clusterOptions(script),
    ...(heritage === null
      ? { images }
      : { directories: heritage.directories, model: heritage.model() }),
    recorder: recorder ?? undefined,
    watch: (id) => watchFor(onlooker, id),
    onExit: (id, exit) => onlooker.onExit(id, exit),
  });
  recorder?.begin();
  return new Run({ script, cluster, heritage, recorder }, onlooker);
}

/** `c1 writes to k1 with token 7`. */
function writeText({ by, name, slot, token }: FencedWrite): string {
  const what = slot === undefined ? name : `slot ${slot} of ${name}`;
  return `${by} writes to ${what} with token ${token}`;
}

function watchFor(onlooker: Onlooker, id: NodeId): HostWatch {
  return {
    started: () => {},
    stepped: (event, effects) => {
      onlooker.beliefs?.stepped(event, effects);
      const isElected = effects.some(
        (effect) => effect.type === 'role' && effect.role === 'leader',
      );
      if (isElected) onlooker.onElected(id);
    },
    applied: (entry, command) => onlooker.beliefs?.applied(entry, command),
    installed: () => {},
  };
}

/** Judges the grants of a cluster that was made of a backup; tells it who begins to lead. */
function inheritedRules(
  { verdict, oracle, world }: SimCluster,
  { lastBefore, embargoMs }: Heritage,
  isBound: boolean,
): { readonly begin: () => void } {
  const grants = new RestoredGrants({ verdict, isBound, lastBefore: () => lastBefore });
  oracle.follow(grants);
  return { begin: () => grants.begin(world.nowUs, embargoMs) };
}

/** A start reads all of the log; slow disks included. */
const RESTART_US = 10_000 * US_PER_MS;

/** What is run. */
interface RunParts extends Omit<Beginnings, 'images'> {
  readonly cluster: SimCluster;
}

class Run {
  private readonly script: Script;
  private readonly cluster: SimCluster;
  private readonly heritage: Heritage | null;
  private readonly history: ClientHistory;
  private readonly watches: WatchOracle;
  private readonly workload: Workload;
  private readonly faults: Faults;
  private readonly handOvers: HandOvers;
  private expiries = 0;

  constructor({ script, cluster, heritage, recorder }: RunParts, onlooker: Onlooker) {
    const { world, verdict, oracle } = cluster;
    const isBound = script.clocks.bound === 'within';
    this.handOvers = new HandOvers(script.knobs.ttlMs);
    const onBegin = (hold: Hold): void => {
      recorder?.holding(hold);
      this.handOvers.onBegin(hold);
    };
    const beliefs = new Beliefs({ verdict, isBound, onBegin });
    this.script = script;
    this.cluster = cluster;
    this.heritage = heritage;
    this.history = new ClientHistory(
      () => world.nowUs,
      (id) => oracle.keptFrom(id, script.knobs.watchEvents || undefined),
    );
    this.watches = new WatchOracle({ verdict, history: this.history });
    this.workload = startWorkload(cluster, script, {
      verdict,
      beliefs,
      watches: this.watches,
      onWrite: (write, isTaken) => recorder?.write('store', writeText(write), isTaken),
      tap: (name) => this.history.tap(name),
      clientOptions: (place) => clientOptions(script, place),
      clientClock: (place) => clientClock(script, place),
    });
    this.faults = scheduleFaults(
      cluster,
      script,
      () => this.workload.clients,
      recorder === null ? undefined : (struck) => recorder.fault(struck),
    );
    onlooker.beliefs = beliefs;
    onlooker.onExit = (id, exit) => this.onExit(id, exit);
    const inherited = heritage === null ? null : inheritedRules(cluster, heritage, isBound);
    onlooker.onElected = (id) => {
      inherited?.begin();
      this.askEarly(id);
    };
    oracle.follow(beliefs);
    oracle.follow(this.handOvers);
    oracle.follow(new LockDelays({ verdict, isBound }));
    oracle.follow({
      onSessionEnded: ({ cause }) => {
        if (cause === 'expired') this.expiries++;
      },
    });
  }

  /** Everything of the script, then healing, then what must be true of it all. */
  async play(): Promise<void> {
    const { cluster, script, workload, faults, heritage } = this;
    const { world, verdict, oracle } = cluster;
    const isOver = (): boolean => verdict.violation !== null;
    const release = reportRejections(verdict);
    try {
      await world.run(isOver, script.horizonMs * US_PER_MS);
      faults.healAll();
      if (!isOver() && heritage !== null) await outlive(cluster, heritage, { verdict, faults });
      if (!isOver()) await checkLiveness(cluster, workload, script, { verdict, faults });
      if (!isOver()) await this.restartAll();
    } finally {
      release();
    }
    if (!isOver()) oracle.lookAtAll();
    const { noise } = script;
    const { log } = oracle;
    const past = heritage?.log() ?? [];
    if (!isOver()) judgeHistory({ history: this.history, log, past, verdict, noise });
    if (!isOver()) this.watches.check(log);
    if (!isOver()) checkDuplicates({ log, verdict, noise, begin: () => this.beginning() });
  }

  result(hits: ReadonlyMap<ProbeId, number>, options: RunOptions): RunResult {
    const { world, verdict, oracle } = this.cluster;
    const { trace, names } = world;
    return {
      violation: verdict.violation,
      traceHash: world.traceHash(),
      events: trace.length,
      virtualUs: world.nowUs,
      leaderChanges: Math.max(0, oracle.terms.length - 1),
      expiries: this.expiries,
      grants: this.workload.grants,
      handOvers: this.handOvers.counts,
      probes: hits,
      trace: options.trace === true ? { trace, processes: [...names] } : null,
    };
  }

  /** The state before the first entry of the log, once more. */
  private beginning(): Beginning {
    const { limits } = this.cluster.settings;
    const { heritage } = this;
    if (heritage !== null) return { machine: heritage.machine(), model: heritage.model() };
    return { machine: createLockMachine(limits), model: new LockModel(limits) };
  }

  /** INV-20: whatever happened to their disks, all start from what they hold, or say why not. */
  private async restartAll(): Promise<void> {
    const { world, verdict } = this.cluster;
    const nodes = this.cluster.all().filter((node) => node.host !== null && !node.isPaused);
    for (const node of nodes) node.crash();
    for (const node of nodes) node.start();
    const isUp = (): boolean => nodes.every((node) => node.isStarted || node.exit !== null);
    await world.run(() => verdict.violation !== null || isUp(), RESTART_US);
    const late = nodes.filter((node) => !node.isStarted && node.exit === null);
    if (late.length === 0) return;
    verdict.report('LIV-1', `${late.map(({ id }) => id).join(' and ')} did not start again`);
  }

  /** A program that embeds the node asks it at once, and does not wait until it is ready. */
  private askEarly(id: NodeId): void {
    const { world } = this.cluster;
    world.at(world.nowUs, () => {
      if (this.cluster.node(id).host !== null)
        this.cluster.query(id, { kind: 'inspect', name: 'k1' });
    });
  }

  private onExit(id: NodeId, exit: HostExit): void {
    if (!this.faults.isExitJustified(id, exit)) reportExit(this.cluster.verdict, id, exit);
  }
}
