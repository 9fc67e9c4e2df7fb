// One run of a user's simulation: the cluster, the judges, and what makes it end.

import type { ProbeId } from '../../src/base/probe.ts';
import { US_PER_MS } from '../../src/base/units.ts';
import { createSimCluster } from '../cluster.ts';
import type { SimCluster } from '../cluster.ts';
import { reportExit, Verdict } from '../oracle/verdict.ts';
import { describeStrike } from '../property/describe.ts';
import { endMsOf, scheduleWorldFaults } from '../property/schedule.ts';
import type { Strike } from '../property/world-fault.ts';
import type { Recorder } from '../report/recorder.ts';
import { DRIFT_PPM_BOUND } from '../script/ranges.ts';
import type { RunTrace } from '../run/types.ts';
import { createWorld } from '../world/world.ts';
import type { World as EventWorld } from '../world/world.ts';
import { Conversations } from './conversations.ts';
import { millisecondsOf } from './duration.ts';
import { SimulationError } from './error.ts';
import type { Ground, GroundWorld } from './ground.ts';
import { Judges, NodeEyes } from './judges.ts';
import { RunWorld, SCENARIO } from './run-world.ts';
import { stallOf, waitingText } from './stall.ts';
import { Story, secondsOf } from './story.ts';
import type { Scenario, SimulateOptions, Simulation } from './types.ts';

const LIMIT_MS = 600_000;
const OVER = { expired: 'over: nobody renewed it in time', ended: 'ended by an operator' };

/** How the scenario ended; null while it has not. */
type Ending<T> = { readonly value: T } | null;

/** See the head of this file. */
export class SimulationRun<T> implements GroundWorld {
  readonly story: Story;
  private readonly options: SimulateOptions;
  private readonly recorder: Recorder | null;
  private readonly world: EventWorld;
  private readonly verdict: Verdict;
  private readonly eyes = new NodeEyes();
  private readonly reached = new Set<ProbeId>();
  private startUs = 0;
  private grants = 0;
  private lastGrantMs = 0;
  private strikes = 0;
  private cause: unknown = undefined;
  private ending: Ending<T> = null;

  constructor(options: SimulateOptions, recorder: Recorder | null) {
    const { seed, network = {}, eventsMax } = options;
    this.options = options;
    this.recorder = recorder;
    this.world = createWorld({
      seed,
      network: routes(network),
      shuffleTies: true,
      eventsMax,
      guard: () => () => {},
    });
    this.verdict = new Verdict(() => this.world.nowUs);
    this.story = new Story(() => this.atMs(this.world.nowUs));
  }

  /** All events, with the names of their processes. */
  get trace(): RunTrace {
    return { trace: this.world.trace, processes: [...this.world.names] };
  }

  async play(scenario: Scenario<T>): Promise<Simulation<T>> {
    try {
      const cluster = await this.createCluster();
      await cluster.waitLeader();
      this.startUs = this.world.nowUs;
      this.recorder?.begin();
      await this.live(cluster, scenario);
    } catch (error) {
      this.onBroken(error);
    }
    return this.result();
  }

  refuse({ name }: Ground, what: string): Error {
    const text = `${name} ${what}`;
    this.verdict.report('AMBIENT', text);
    return new Error(text);
  }

  onUncaught({ name }: Ground, error: unknown): void {
    if (this.verdict.violation !== null) return;
    this.cause = error;
    const who = name === SCENARIO ? 'the scenario' : `the program ${name}`;
    this.verdict.report('PROGRAM', `${who} threw ${shownError(error)}`);
  }

  onLog({ name }: Ground, text: string): string | null {
    this.story.tell(`${name} logs: ${text}`);
    if (this.options.console === 'keep') return null;
    return `[${secondsOf(this.atMs(this.world.nowUs))} ${name}]`;
  }

  /** A rare state of the product was reached in this world. */
  onProbe(id: ProbeId): void {
    this.reached.add(id);
  }

  private createCluster(): Promise<SimCluster> {
    const { seed, nodes = 3, heartbeatMs, electionMs, clocks = {} } = this.options;
    return createSimCluster({
      seed,
      nodes,
      beside: { world: this.world, verdict: this.verdict },
      settings: {
        ...(heartbeatMs === undefined ? {} : { heartbeatMs }),
        ...(electionMs === undefined ? {} : { electionMs }),
      },
      clocks,
      recorder: this.recorder ?? undefined,
      watch: (id) => this.eyes.watch(id),
      onExit: (id, exit) => reportExit(this.verdict, id, exit),
    });
  }

  private async live(cluster: SimCluster, scenario: Scenario<T>): Promise<void> {
    const { world, verdict, options } = this;
    const conversations = new Conversations(() => world.nowUs);
    const judges = this.appoint(cluster, conversations);
    const { clocks = {}, faults = [] } = options;
    const inside = new RunWorld({
      cluster,
      judges,
      conversations,
      ground: this,
      clockOf: (name) => clocks[name] ?? {},
      story: this.story,
      recorder: this.recorder,
      reached: this.reached,
      startUs: this.startUs,
    });
    const holders = (): readonly string[] => judges.held().map(({ by }) => by);
    const victims = { cluster, processes: () => inside.processes(), holders };
    scheduleWorldFaults(victims, faults, (strike) => this.onStrike(strike));
    const faultsUntilMs = Math.max(0, ...faults.map(endMsOf));
    const program = (): Promise<void> => this.tellEnd(scenario, inside);
    inside.run(SCENARIO, program);
    const stall = stallOf({
      inside,
      conversations,
      quietFromUs: this.startUs + faultsUntilMs * US_PER_MS,
    });
    const isOver = (): boolean => {
      inside.untils.look();
      return verdict.violation !== null || this.ending !== null || stall.isNow(world.nowUs);
    };
    const limitMs = millisecondsOf(options.limitMs ?? LIMIT_MS);
    const isInTime = await world.run(isOver, limitMs * US_PER_MS);
    if (verdict.violation === null && this.ending === null) {
      const waiting = waitingText(conversations, judges.held(), this.startUs);
      if (isInTime) verdict.report('DEADLOCK', `nobody can go on: ${waiting}`);
      else verdict.report('LIMIT', `the scenario did not end in ${limitMs} virtual ms: ${waiting}`);
    }
    if (verdict.violation === null) judges.judge();
  }

  private async tellEnd(scenario: Scenario<T>, inside: RunWorld): Promise<void> {
    const value = await scenario(inside);
    this.ending ??= { value };
  }

  private appoint(cluster: SimCluster, conversations: Conversations): Judges {
    const { options, eyes, story } = this;
    const { seed, clocks = {} } = options;
    const isBound = Object.values(clocks).every(
      ({ driftPpm = 0 }) => Math.abs(driftPpm) <= DRIFT_PPM_BOUND,
    );
    eyes.onElected = (id) => story.tell(`${id} is elected`);
    return new Judges({
      cluster,
      eyes,
      conversations,
      seed,
      isBound,
      onHold: (hold) => {
        const { client, grant } = hold;
        this.grants++;
        this.lastGrantMs = this.atMs(this.world.nowUs);
        this.recorder?.holding(hold);
        story.tell(`${client} holds ${grant.names.join(' and ')} with token ${grant.token}`);
      },
      onSessionOver: (client, cause) => {
        if (cause !== 'closed') story.tell(`the session of ${client} is ${OVER[cause]}`);
      },
    });
  }

  private onStrike(strike: Strike): void {
    const { target, fromUs, toUs } = strike;
    const text = describeStrike(strike);
    this.strikes++;
    this.story.tell(`fault: ${text}`);
    this.recorder?.fault({ target, text, fromUs, toUs });
  }

  /** A run that cannot go on is broken like any other. */
  private onBroken(error: unknown): void {
    const text = shownError(error);
    const isSpin = /\bevents\b/.test(text);
    this.cause ??= error;
    this.verdict.report(isSpin ? 'SPIN' : 'ASSERT', text);
  }

  private result(): Simulation<T> {
    const { verdict, world, ending } = this;
    const { violation } = verdict;
    const events = world.trace.length;
    const traceHash = world.traceHash();
    const story = this.story.told();
    if (violation === null && ending !== null) {
      const virtualMs = this.atMs(world.nowUs);
      const { grants, lastGrantMs, strikes } = this;
      const seen = { grants, lastGrantMs, strikes, rareStates: [...this.reached] };
      return { value: ending.value, traceHash, events, virtualMs, story, ...seen };
    }
    const { oracle, message, atUs } = violation ?? { oracle: 'LIMIT', message: 'no end', atUs: 0 };
    const atMs = this.atMs(atUs);
    const { seed } = this.options;
    const failure = { oracle, message, seed, atMs, traceHash, events, story };
    throw new SimulationError(failure, this.cause);
  }

  private atMs(timeUs: number): number {
    return (timeUs - this.startUs) / US_PER_MS;
  }
}

function routes({ latencyMs, jitterMs }: NonNullable<SimulateOptions['network']>): {
  readonly latencyUsMin?: number;
  readonly latencyUsMax?: number;
  readonly jitterUs?: number;
} {
  const us = (ms: number, factor: number): number => Math.round(ms * US_PER_MS * factor);
  return {
    ...(latencyMs === undefined
      ? {}
      : { latencyUsMin: us(latencyMs, 0.5), latencyUsMax: us(latencyMs, 2) }),
    ...(jitterMs === undefined ? {} : { jitterUs: us(jitterMs, 1) }),
  };
}

function shownError(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
