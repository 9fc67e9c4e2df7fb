// A process of the user: a client alone, or a program with clients of its own.

import { present } from '../../src/base/assert.ts';
import { createClient } from '../../src/client/client.ts';
import type { Client } from '../../src/client/client-types.ts';
import { threadStarter } from '../client-thread.ts';
import type { SimCluster } from '../cluster.ts';
import { createClock } from '../world/clock.ts';
import type { ClockSettings } from '../world/clock.ts';
import type { ProcessPorts } from '../world/ports.ts';
import type { Life } from '../world/process.ts';
import type { ProcessHandle } from '../world/world.ts';
import type { Conversations } from './conversations.ts';
import { millisecondsOf } from './duration.ts';
import { chanceOf } from './globals/chance.ts';
import { grounds } from './ground.ts';
import type { Ground, GroundWorld, OwnGround } from './ground.ts';
import type { Judges } from './judges.ts';
import { ProgramTimers } from './program-timers.ts';
import type { Own, WorldClientOptions } from './types.ts';

/** What a process needs of its run. */
export interface ProcessHome {
  readonly cluster: SimCluster;
  readonly judges: Judges;
  readonly conversations: Conversations;
  readonly ground: GroundWorld;
  clockOf(name: string): ClockSettings;
}

/** What is made of it. */
export interface ProcessPlan {
  readonly name: string;
  readonly isVirtual: boolean;
  /** Each life begins with this. */
  readonly begin: (own: Own) => void;
}

/** See the head of this file. */
export class UserProcess {
  readonly name: string;
  readonly handle: ProcessHandle<Own>;
  private readonly home: ProcessHome;
  private readonly plan: ProcessPlan;
  private standing: Ground | null = null;

  constructor(home: ProcessHome, plan: ProcessPlan) {
    this.name = plan.name;
    this.home = home;
    this.plan = plan;
    this.handle = home.cluster.world.process<Own>({
      name: plan.name,
      isSync: false,
      clock: home.clockOf(plan.name),
      start: (ports) => this.start(ports),
      around: (life, run) => {
        const ground = this.groundOf(life);
        grounds.run(ground, () => {
          try {
            run();
          } catch (error) {
            home.ground.onUncaught(ground, error);
          }
        });
      },
    });
  }

  /** The ground of the present or last life; null before the first. */
  get ground(): Ground | null {
    return this.standing;
  }

  /** It lives, and has begun. */
  get isRunning(): boolean {
    const { life } = this.handle.process;
    return life !== null && this.standing?.own?.life === life;
  }

  /** Timers of the user that are set in it. */
  get pendingTimers(): number {
    return this.standing?.own?.timers.pending ?? 0;
  }

  private start(ports: ProcessPorts): Own {
    const { life } = ports;
    const own = this.ownOf(ports, present(this.groundOf(life).own, 'what a process has'));
    this.plan.begin(own);
    return own;
  }

  private ownOf(ports: ProcessPorts, own: OwnGround): Own {
    const { clock, life } = ports;
    return {
      name: this.name,
      life: life.incarnation,
      client: (options = {}) => this.openClient(ports, options),
      sleep: (duration) => sleepIn(own, millisecondsOf(duration)),
      random: () => chanceOf(own),
      now: () => clock.wallMs(),
    };
  }

  private openClient(ports: ProcessPorts, options: WorldClientOptions): Client {
    const { judges, cluster, conversations } = this.home;
    const { clock, random, logger, life } = ports;
    conversations.expect(options.maxHoldMs ?? 0);
    const listen = judges.tap(this.name);
    const tap = (transport: ProcessPorts['transport']): ProcessPorts['transport'] =>
      listen(transport, life.incarnation);
    const startThread = threadStarter(ports, tap, () => {});
    const onGrant: Parameters<typeof createClient>[0]['onGrant'] = (grant) =>
      judges.onGrant(this.name, life, grant);
    return createClient(
      { clock, random, transport: tap(ports.transport), logger, startThread, onGrant },
      { ...options, nodes: cluster.addresses(), name: this.name },
    );
  }

  /** Threads stand where their process does. */
  private groundOf(life: Life): Ground {
    const known = this.standing;
    if (known !== null && known.own?.life.incarnation === life.incarnation) return known;
    const { process } = this.handle;
    const clock = createClock(life, process.clock);
    const timers = new ProgramTimers(life, clock);
    const { random } = this.home.cluster.world;
    const luck = random.port(`${this.name} program`, life.incarnation);
    const u32 = (): number => luck.u32();
    const own: OwnGround = {
      life,
      clock,
      timers,
      startedUs: clock.monoUs(),
      startedWallMs: clock.wallMs(),
      u32,
      readings: { count: 0, atUs: 0 },
      isVirtual: this.plan.isVirtual,
    };
    this.standing = { world: this.home.ground, name: this.name, own };
    return this.standing;
  }
}

/** Resolves after so much time of the process; never, once it is dead. */
export function sleepIn(own: OwnGround | null, durationMs: number): Promise<void> {
  return new Promise((resolve) => {
    own?.timers.add(durationMs, resolve);
  });
}
