// The world as its scenario sees it: who is in it, and what may be done to them.

import { HoldfastError } from '../../src/base/error.ts';
import { PROBES } from '../../src/base/probe.ts';
import type { ProbeId } from '../../src/base/probe.ts';
import { US_PER_MS } from '../../src/base/units.ts';
import type { Client } from '../../src/client/client-types.ts';
import type { ProcessHandle } from '../world/world.ts';
import { millisecondsOf } from './duration.ts';
import type { Duration } from './duration.ts';
import { WorldStore } from './fenced-store.ts';
import type { FencedStore, StoreRecord } from './fenced-store.ts';
import { grounds } from './ground.ts';
import type { OwnGround } from './ground.ts';
import type { Recorder } from '../report/recorder.ts';
import { Partitions } from './partitions.ts';
import { ProgramProcess } from './program-process.ts';
import type { Story } from './story.ts';
import { ToldFaults } from './told-faults.ts';
import type * as user from './types.ts';
import { Untils } from './untils.ts';
import { UserProcess, sleepIn } from './user-process.ts';
import type { ProcessHome } from './user-process.ts';

/** The name of the process in which the scenario itself runs. */
export const SCENARIO = 'scenario';

/** What a target of a partition or of a fault may be called, whoever it is then. */
const ROLES = ['leader', 'holder'];
const PROCESSES_MAX = 1_000;
const UNTIL_MS = 60_000;

/** What it is made of. */
export interface RunWorldParts extends ProcessHome {
  readonly story: Story;
  /** null: nobody takes it down. */
  readonly recorder: Recorder | null;
  /** Rare states that were reached, each told once to whoever waits for it. */
  readonly reached: ReadonlySet<ProbeId>;
  /** Virtual microseconds of the event world at which the scenario began. */
  readonly startUs: number;
}

/** See the head of this file. */
export class RunWorld implements user.World {
  readonly untils: Untils;
  private readonly parts: RunWorldParts;
  private readonly partitions: Partitions;
  private readonly toldFaults: ToldFaults;
  private readonly users = new Map<string, UserProcess>();
  private readonly clients = new Map<string, Client>();
  private readonly stores = new Map<string, WorldStore>();
  private planned = 0;

  constructor(parts: RunWorldParts) {
    const { world } = parts.cluster;
    this.parts = parts;
    this.untils = new Untils(world);
    this.toldFaults = new ToldFaults(parts.recorder);
    this.partitions = new Partitions(world, parts.recorder);
  }

  get nowMs(): number {
    return (this.parts.cluster.world.nowUs - this.parts.startUs) / US_PER_MS;
  }

  get nodes(): readonly string[] {
    return this.parts.cluster.ids;
  }

  /** Processes of the user, in the order in which they came; the scenario is none of them. */
  processes(): readonly ProcessHandle<unknown>[] {
    return [...this.users.values()].flatMap(({ name, handle }) =>
      name === SCENARIO ? [] : [handle],
    );
  }

  /** Timers, writes and acts that will come: as long as there are some, nobody is stuck. */
  get pending(): number {
    let count = this.planned + this.untils.size;
    for (const each of this.users.values()) count += each.pendingTimers;
    for (const store of this.stores.values()) count += store.underWay;
    return count;
  }

  client(name: string, options: user.WorldClientOptions = {}): Client {
    const known = this.users.get(name);
    if (known === undefined) return this.newClient(name, options);
    const client = this.clients.get(name);
    if (client === undefined) throw invalid(`the name ${name} is that of a program`);
    if (known.isRunning) return client;
    throw invalid(`the process ${name} is dead, or did not begin again yet`);
  }

  run<T>(
    name: string,
    program: user.Program<T>,
    { globals = 'virtual' }: user.ProgramOptions = {},
  ): user.ProgramHandle<T> {
    this.checkName(name);
    const isVirtual = globals === 'virtual';
    const process = new ProgramProcess<T>(this.parts, { name, isVirtual }, program);
    this.enter(process.user);
    if (name !== SCENARIO) this.tell(`${name} starts`);
    process.user.handle.startNow();
    return process;
  }

  partition(whom: string | readonly [readonly string[], readonly string[]]): void {
    if (typeof whom === 'string') {
      const name = this.meant(whom);
      this.tell(`${name} is cut off from everybody`);
      this.partitions.add([name], null);
      return;
    }
    const [left, right] = whom.map((names) => names.map((name) => this.meant(name)));
    if (left === undefined || right === undefined) throw invalid('a partition has two groups');
    this.tell(`${left.join(' and ')} cut off from ${right.join(' and ')}`);
    this.partitions.add(left, right);
  }

  heal(): void {
    this.tell('all partitions end');
    this.partitions.heal();
  }

  pause(whom: string, { forMs }: user.PauseOptions = {}): void {
    const name = this.meant(whom);
    this.tell(`${name} stands still${forMs === undefined ? '' : ` for ${shownMs(forMs)}`}`);
    this.machine(name).pause();
    this.toldFaults.begin(name, 'stands still');
    if (forMs !== undefined) this.later(forMs, () => this.resume(name));
  }

  resume(name: string): void {
    this.tell(`${name} goes on`);
    this.machine(name).resume();
    this.toldFaults.end(name);
  }

  crash(whom: string): void {
    const name = this.meant(whom);
    this.tell(`${name} crashes`);
    this.machine(name).crash();
    this.toldFaults.begin(name, 'is dead');
    this.parts.conversations.onDeath(name);
  }

  restart(name: string): void {
    this.tell(`${name} starts again`);
    const machine = this.machine(name);
    machine.crash();
    this.parts.conversations.onDeath(name);
    const user = this.users.get(name);
    if (user === undefined) machine.start();
    else user.handle.startNow();
    this.toldFaults.end(name);
  }

  sleep(duration: Duration): Promise<void> {
    const durationMs = millisecondsOf(duration);
    return sleepIn(this.own(), durationMs);
  }

  until(
    condition: (() => boolean) | ProbeId,
    { within = UNTIL_MS }: user.UntilOptions = {},
  ): Promise<void> {
    const withinMs = millisecondsOf(within);
    if (typeof condition === 'function') return this.untils.add(this.own(), condition, withinMs);
    if (!Object.hasOwn(PROBES, condition)) throw invalid(`there is no rare state "${condition}"`);
    const { reached } = this.parts;
    return this.untils.add(this.own(), () => reached.has(condition), withinMs);
  }

  leader(): string | null {
    return this.parts.cluster.leader();
  }

  fencedStore(name: string): FencedStore {
    const known = this.stores.get(name);
    if (known !== undefined) return known;
    const { world } = this.parts.cluster;
    const onWrite = (store: string, record: StoreRecord): void => this.onWrite(store, record);
    const store = new WorldStore(name, { world, nowMs: () => this.nowMs, onWrite });
    this.stores.set(name, store);
    return store;
  }

  check(isTrue: boolean, message: string): void {
    if (isTrue) return;
    this.parts.cluster.verdict.report('CHECK', message);
    throw new Error(message);
  }

  note(text: string): void {
    this.tell(text);
    this.mark(`note ${text}`);
  }

  private newClient(name: string, options: user.WorldClientOptions): Client {
    this.checkName(name);
    const begin = (own: user.Own): void => void this.clients.set(name, own.client(options));
    const process = new UserProcess(this.parts, { name, isVirtual: true, begin });
    this.enter(process);
    process.handle.startNow();
    const client = this.clients.get(name);
    if (client === undefined) throw invalid(`the client ${name} did not begin`);
    return client;
  }

  private checkName(name: string): void {
    const isTaken = this.parts.cluster.world.names.has(name);
    if (isTaken) throw invalid(`there is a node or process named ${name} already`);
    if (typeof name !== 'string' || name === '') throw invalid('a process needs a name');
    if (ROLES.includes(name))
      throw invalid(`"${name}" is who has that role, for partitions and faults`);
    if (this.users.size >= PROCESSES_MAX) throw invalid(`there are ${PROCESSES_MAX} processes`);
  }

  private enter(process: UserProcess): void {
    this.users.set(process.name, process);
    this.partitions.onProcess(process.name);
  }

  private own(): OwnGround {
    const own = grounds.getStore()?.own ?? null;
    if (own === null) throw invalid('the world is there for its scenario and its programs only');
    return own;
  }

  private meant(name: string): string {
    if (name !== 'leader') return name;
    const leader = this.leader();
    if (leader === null) throw invalid('nobody leads now: wait for a leader with world.until');
    return leader;
  }

  private machine(name: string): Machine {
    const { cluster } = this.parts;
    const handle = name === SCENARIO ? undefined : this.users.get(name)?.handle;
    if (handle !== undefined) return handle;
    if (cluster.ids.includes(name)) return cluster.node(name);
    const names = [...cluster.ids, ...this.processes().map((each) => each.name)];
    throw invalid(`there is no node or process "${name}"; there are ${names.join(', ')}`);
  }

  private later(duration: Duration, act: () => void): void {
    const { world } = this.parts.cluster;
    this.planned += 1;
    world.at(world.nowUs + millisecondsOf(duration) * US_PER_MS, () => {
      this.planned -= 1;
      act();
    });
  }

  private onWrite(store: string, { token, by, isWritten, value }: StoreRecord): void {
    const done = isWritten ? 'takes' : 'refuses';
    this.parts.story.tell(`store ${store} ${done} a write of ${by} with token ${token}`);
    this.parts.recorder?.write(store, `${by} writes with token ${token}`, isWritten);
    this.mark(`write ${store} ${by} ${token} ${isWritten} ${plain(value)}`);
  }

  private mark(text: string): void {
    const { world } = this.parts.cluster;
    const process =
      grounds.getStore()?.own?.life.process ?? this.users.get(SCENARIO)?.handle.process;
    if (process !== undefined) world.mark(process, text);
  }

  private tell(text: string): void {
    this.parts.story.tell(text);
    this.parts.recorder?.note(SCENARIO, text);
  }
}

/** What may be done to a node and to a process of the user alike. */
interface Machine {
  pause(): void;
  resume(): void;
  crash(): void;
  start(): void;
}

function invalid(text: string): HoldfastError {
  return new HoldfastError('INVALID', text);
}

function shownMs(duration: Duration): string {
  return typeof duration === 'string' ? duration : `${duration} ms`;
}

/** For the trace hash; what JSON cannot show counts by its type. */
function plain(value: unknown): string {
  try {
    return JSON.stringify(value) ?? typeof value;
  } catch {
    return typeof value;
  }
}
