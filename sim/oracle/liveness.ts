// What must happen once everything is healed (RAFT.md §1, LIV-1 … LIV-6). Each step stops as soon
// as it is satisfied; one that is not names who is in the way. Nothing is demanded while too many
// nodes were rightly condemned for what their disks lost.

import { US_PER_MS } from '../../src/base/units.ts';
import type { NodeId } from '../../src/base/units.ts';
import type { SimCluster } from '../cluster.ts';
import type { SimClient } from '../cluster-client.ts';
import type { SimNode } from '../cluster-node.ts';
import type { Script } from '../script/types.ts';
import type { Call } from '../workload/calls.ts';
import type { Workload } from '../workload/workload.ts';
import { endSessions, excusesOf, findStranded, hasMajority } from './liveness-acts.ts';
import { overdueAmong, probe } from './liveness-acts.ts';
import type { Absences } from './liveness-acts.ts';
import { SILENCE_US_MAX } from '../world/network.ts';
import type { OracleName, Verdict } from './verdict.ts';
import { areEven, countUpheavals, isNewcomer, termsOf } from './leader-terms.ts';

/** What liveness is judged by. */
export interface LivenessParts {
  readonly verdict: Verdict;
  readonly faults: Absences;
}

/** To be called once when all faults are healed; runs the world until all is shown, or is not. */
export async function checkLiveness(
  cluster: SimCluster,
  workload: Workload,
  script: Script,
  parts: LivenessParts,
): Promise<void> {
  workload.windDown();
  const liveness = new Liveness(cluster, workload, script, parts);
  if (!liveness.hasMajority()) return;
  for (const step of STEPS) {
    if (parts.verdict.violation !== null) return;
    await liveness.shows(step);
  }
}

type Step = (liveness: Liveness) => Promise<unknown>;

const STEPS: readonly Step[] = [
  (liveness) => liveness.hasLeader(),
  (liveness) => liveness.commits(),
  (liveness) => liveness.settles(),
  (liveness) => liveness.tells(),
  (liveness) => liveness.passesOn(),
  (liveness) => liveness.rests(),
];

/** Once for each upheaval; so many do not come. */
const TURNS_MAX = 16;

// Bounds in election timeouts.
const BOUND = 20;
// Of a state in tiny pieces, each of which is sent again an election timeout after it was lost.
const BOUND_IN_PIECES = 100;
const GRACE = 4;
const WATCH = 5;
const WATCH_SHORT = 1;
const WATCH_LONG_ONE_IN = 8;
// How clients go. To die costs a TTL of virtual time. To stand still does too, but then their
// leases run out under a steady leader, which is where too long a belief shows.
const ENDS = ['close', 'close', 'close', 'close', 'pause', 'pause', 'crash'] as const;
const ENDS_TTL_MS_MAX = 1_500;
const POLL_US = 5 * US_PER_MS;
// How much longer a period may be that somebody's clock measures.
const STRETCH = { within: 1.02, beyond: 2 } as const;

class Liveness {
  private readonly cluster: SimCluster;
  private readonly workload: Workload;
  private readonly script: Script;
  private readonly parts: LivenessParts;
  private readonly electionUs: number;
  private readonly stretch: number;
  private healedUs: number;
  private turn = 1;
  private calmSince: number;
  private isDisturbed = false;

  constructor(cluster: SimCluster, workload: Workload, script: Script, parts: LivenessParts) {
    this.cluster = cluster;
    this.workload = workload;
    this.script = script;
    this.parts = parts;
    this.electionUs = cluster.settings.electionMs * US_PER_MS;
    this.healedUs = cluster.world.nowUs;
    this.stretch = STRETCH[script.clocks.bound];
    this.calmSince = this.upheavals();
  }

  hasMajority(): boolean {
    return hasMajority(this.cluster, this.present());
  }

  /** What an upheaval was in the way of is demanded once more, as if all were healed only now. */
  async shows(step: Step): Promise<void> {
    for (this.begin(1); this.turn <= TURNS_MAX; this.begin(this.turn + 1)) {
      if (this.turn > 1) await this.hasLeader();
      if (!this.isOver()) await step(this);
      if (!this.isDisturbed) return;
    }
  }

  /** LIV-1. */
  async hasLeader(): Promise<boolean> {
    return this.demand('LIV-1', 'nobody leads', BOUND, () => this.leader() !== null);
  }

  /** LIV-3: a new client takes a lock that nobody wants, gives it back and leaves. */
  async commits(): Promise<void> {
    // It would give up later than we do.
    const probing = probe(this.cluster, 2 * this.bound(), this.turn);
    await this.run(() => probing.isSettled, BOUND);
    if (this.isOver() || (probing.isSettled && probing.value.isOk)) return;
    if (this.leader() === null) this.report('LIV-1', 'the leader did not stay, nor another');
    else if (!probing.isSettled) this.report('LIV-3', 'a new client was not given a free lock');
    else if (!probing.value.isOk)
      this.report('LIV-3', `a new client: ${String(probing.value.error)}`);
  }

  /** LIV-6: every call settles in its time, and nobody waits for what is free. */
  async settles(): Promise<void> {
    while (!this.isOver() && !this.workload.isIdle) {
      await this.run(() => this.workload.isIdle || this.overdue() !== undefined, 1);
      const late = this.overdue();
      // Without a majority this is no fault, and waiting on would not end.
      if (late !== undefined) return this.report('LIV-6', `${late.what} is never answered`);
      if (!this.workload.isIdle) await this.checkStranded();
    }
  }

  /** LIV-6: who listens is told of all that happened. */
  async tells(): Promise<void> {
    const { log } = this.cluster.oracle;
    const behind = (): string | null => this.workload.whoIsBehind(log);
    // Who only listens says nothing: that its link is half open, the transport alone finds out.
    const elections = Math.max(BOUND, SILENCE_US_MAX / this.electionUs + GRACE);
    await this.run(() => behind() === null, elections);
    const late = this.isOver() ? null : behind();
    if (late !== null) this.report('LIV-6', late);
  }

  /** LIV-5: what clients leave behind when they close, or die, is free in time, delays included. */
  async passesOn(): Promise<void> {
    const { cluster, workload, script } = this;
    // Sessions without end stay until an operator ends them, so here nobody may leave one.
    const isEndless = script.knobs.ttlMs === 0;
    const isLong = isEndless || script.knobs.ttlMs > ENDS_TTL_MS_MAX;
    const drawn = ENDS[cluster.world.random.below(ENDS.length, 'how clients go')] ?? 'close';
    for (const client of workload.clients) this.dismiss(client, isLong ? 'close' : drawn);
    if (isEndless) await this.endsAll();
    const { ttlMs, lockDelayMs } = script.knobs;
    const silenceUs = (ttlMs + lockDelayMs) * US_PER_MS * this.stretch;
    const elections = BOUND + silenceUs / this.electionUs;
    await this.demand('LIV-5', 'sessions of the dead are left', elections, () => {
      const leader = this.leader();
      if (leader === null) return false;
      const { sessions, locks } = cluster.status(leader);
      return sessions === 0 && locks === 0;
    });
  }

  // A leader that has no room refuses an end, and then it is asked for once more.
  private async endsAll(): Promise<void> {
    const { cluster } = this;
    const untilUs = cluster.world.nowUs + this.bound() / 2;
    while (!this.isOver() && cluster.world.nowUs < untilUs) {
      const ended = await endSessions(cluster, this.electionUs);
      if (ended === 0) return;
      await this.run(() => false, 1);
    }
  }

  private dismiss(client: SimClient, end: (typeof ENDS)[number]): void {
    if (end !== 'close') client.handle[end]();
    else if (client.handle.program !== null) client.run(({ client: own }) => own.close());
  }

  /** Nothing is left to do, no change of members either (N-27), and all stays as it is. */
  async rests(): Promise<void> {
    const { oracle } = this.cluster;
    const isEnded = (): boolean => (oracle.membership?.votersOutgoing.length ?? 0) === 0;
    await this.catchesUp();
    await this.demand('LIV-3', 'a change of members is not finished', BOUND, isEnded);
    if (!this.isOver()) await this.keepsLeader();
  }

  /** LIV-4, then INV-5 on what all have. */
  private async catchesUp(): Promise<void> {
    const { knobs, net } = this.script;
    const isTrue = (): boolean => areEven(this.expected());
    const bound = knobs.partBytes > 0 && net.lossPerMille > 0 ? BOUND_IN_PIECES : BOUND;
    if (!(await this.demand('LIV-4', 'the logs differ', bound, isTrue))) return;
    const hashes = new Set(this.expected().map(({ id }) => this.cluster.status(id).stateHash));
    if (hashes.size > 1) this.report('INV-5', 'the states differ at one applied index');
  }

  /** LIV-2. */
  private async keepsLeader(): Promise<void> {
    const { world } = this.cluster;
    const isLong = world.random.below(WATCH_LONG_ONE_IN, 'watch the leader') === 0;
    const watched = this.expected().filter((node) => !isNewcomer(node));
    const terms = termsOf(watched);
    const isChanged = (): boolean => termsOf(watched) !== terms;
    await this.run(isChanged, isLong ? WATCH : WATCH_SHORT);
    if (!isChanged()) return;
    this.report('LIV-2', `the leader changed without a reason, before: ${terms}`);
  }

  private async checkStranded(): Promise<void> {
    const stranded = await findStranded(this.cluster, this.bound());
    if (stranded !== null) this.report('LIV-6', stranded);
  }

  private overdue(): Call | undefined {
    const { healedUs, stretch, electionUs, cluster, script } = this;
    const { nowUs } = cluster.world;
    const graceUs = GRACE * electionUs;
    return overdueAmong(this.workload.outstanding, script, { nowUs, healedUs, stretch, graceUs });
  }

  /** Members that have no excuse. */
  private expected(): readonly SimNode[] {
    const members = new Set(this.cluster.members());
    return this.present().filter((node) => members.has(node));
  }

  private present(): readonly SimNode[] {
    const { condemned, leftOut } = this.parts.faults;
    return this.cluster.all().filter(({ id }) => !condemned.has(id) && !leftOut.has(id));
  }

  /** Whoever leads those that must live; one that is away may still believe that it leads. */
  private leader(): NodeId | null {
    const leader = this.cluster.leader();
    return leader === null || this.parts.faults.leftOut.has(leader) ? null : leader;
  }

  private isOver(): boolean {
    return this.isDisturbed || this.parts.verdict.violation !== null;
  }

  private begin(turn: number): void {
    if (turn > 1) this.healedUs = this.cluster.world.nowUs;
    this.turn = turn;
    this.isDisturbed = false;
    this.calmSince = this.upheavals();
  }

  private upheavals(): number {
    return countUpheavals(this.cluster, this.parts.faults.condemned);
  }

  private bound(): number {
    return BOUND * this.electionUs;
  }

  /** Runs for so many election timeouts at most. */
  private async run(isTrue: () => boolean, elections: number): Promise<void> {
    const { world } = this.cluster;
    let lookUs = 0;
    const until = (): boolean => {
      if (this.isOver()) return true;
      if (world.nowUs < lookUs) return false;
      lookUs = world.nowUs + POLL_US;
      return isTrue();
    };
    await world.run(until, elections * this.electionUs * this.stretch);
  }

  private async demand(
    oracle: OracleName,
    failing: string,
    elections: number,
    isTrue: () => boolean,
  ): Promise<boolean> {
    await this.run(isTrue, elections);
    if (this.isOver()) return false;
    if (isTrue()) return true;
    this.report(oracle, `${failing} ${Math.ceil(elections)} election timeouts after the healing`);
    return false;
  }

  private report(oracle: OracleName, message: string): void {
    // A change that was under way may have left the majority to those that are gone.
    if (!this.hasMajority()) return;
    this.isDisturbed = this.turn < TURNS_MAX && this.upheavals() > this.calmSince;
    if (this.isDisturbed) return;
    const excuses = excusesOf(this.parts.faults);
    this.parts.verdict.report(oracle, `${message}\n${this.cluster.describe()}${excuses}`);
  }
}
