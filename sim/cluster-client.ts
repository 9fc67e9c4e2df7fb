import { present } from '../src/base/assert.ts';
import { Admin } from '../src/client/admin.ts';
import { createClient } from '../src/client/client.ts';
import type { Client } from '../src/client/client-types.ts';
import type { ClientOptions } from '../src/client/options.ts';
import type { SingleRequestPorts } from '../src/client/single-request.ts';
import type { Clock } from '../src/ports/clock.ts';
import type { Transport } from '../src/ports/transport.ts';
import type { SimNode } from './cluster-node.ts';
import { threadStarter } from './client-thread.ts';
import type { SimThread } from './client-thread.ts';
import { Pending } from './pending.ts';
import type { ClockSettings } from './world/clock.ts';
import type { ProcessPorts } from './world/ports.ts';
import type { ProcessHandle, World } from './world/world.ts';

/** An operator gives up when no node has answered for so long. */
const ADMIN_PATIENCE_MS = 2_000;

/** How a piece of a program ended. */
export type Settled<T> =
  { readonly isOk: true; readonly value: T } | { readonly isOk: false; readonly error: unknown };

/** What a program in a client's process works with. */
export interface ClientProgram {
  readonly client: Client;
  readonly clock: Clock;
  /** What asks single nodes, such as a founding. */
  readonly ports: SingleRequestPorts;
  /** What an operator's program works with, until it is closed. */
  openAdmin(): Admin;
  /** Resolves after so much time of this process. */
  sleep(durationMs: number): Promise<void>;
}

/** What a client's process sends and hears may be listened to, life by life. */
export type TransportTap = (transport: Transport, life: number) => Transport;

/** What a simulated client is made of. */
export interface SimClientPlan {
  readonly name: string;
  /** Whom a life that begins now knows. */
  readonly nodes: () => readonly string[];
  readonly options: Omit<ClientOptions, 'nodes'>;
  readonly clock: ClockSettings;
  readonly tap: TransportTap;
}

/** A process that uses the shipped client library. */
export class SimClient {
  readonly name: string;
  readonly handle: ProcessHandle<ClientProgram>;
  private readonly world: World;
  private saved: string | null = null;
  private thread: SimThread | null = null;

  constructor(world: World, plan: SimClientPlan) {
    const { name, clock } = plan;
    this.name = name;
    this.world = world;
    this.handle = world.process<ClientProgram>({
      name,
      isSync: false,
      clock,
      start: (ports) => this.start(ports, plan),
    });
  }

  /** The client of the present life; throws while the process is dead. */
  get client(): Client {
    return present(this.handle.program, `a running process ${this.name}`).client;
  }

  /** The thread that renews its leases fails; false when there is none. */
  failThread(): boolean {
    return this.thread?.fail() ?? false;
  }

  /** The next life resumes this session: what ClientSession.save gave. */
  resumeNext(saved: string): void {
    this.saved = saved;
  }

  /**
   * Whether the present life knows where one of these is, and so may find those who came since. A
   * life to come is told.
   */
  knowsAny(nodes: readonly SimNode[]): boolean {
    const known = this.handle.program?.client.nodes();
    const addresses = new Set(nodes.map(({ address }) => address));
    return known === undefined || known.some(({ address }) => addresses.has(address));
  }

  /** Runs a program in this process; it ends with the process, and then settles never. */
  run<T>(program: (own: ClientProgram) => Promise<T>): Pending<Settled<T>> {
    const pending = new Pending<Settled<T>>();
    const life = present(this.handle.process.life, `a running process ${this.name}`);
    const settle = (settled: Settled<T>): void => {
      if (life.isAlive) pending.settle(settled, this.world.nowUs);
    };
    const run = (): void => {
      program(present(this.handle.program, `the client of ${this.name}`)).then(
        (value) => settle({ isOk: true, value }),
        (error: unknown) => settle({ isOk: false, error }),
      );
    };
    life.schedule(life.nowUs(), { kind: 'control', run });
    return pending;
  }

  private start(ports: ProcessPorts, { nodes, options, tap }: SimClientPlan): ClientProgram {
    const { clock, random, logger, life } = ports;
    const tapped = (transport: Transport): Transport => tap(transport, life.incarnation);
    const startThread = threadStarter(ports, tapped, (thread) => (this.thread = thread));
    const transport = tapped(ports.transport);
    return {
      client: createClient(
        { clock, random, transport, logger, startThread },
        { nodes: nodes(), ...options, ...this.takeSaved() },
      ),
      clock,
      ports: { clock, transport: ports.transport },
      openAdmin: () => {
        const { name } = life.process;
        const adminPorts = { clock, random, transport: ports.transport, logger };
        return new Admin(adminPorts, { nodes: nodes(), name, patienceMs: ADMIN_PATIENCE_MS });
      },
      sleep: (durationMs) =>
        new Promise((resolve) => void clock.after(durationMs * 1_000, resolve)),
    };
  }

  private takeSaved(): Pick<ClientOptions, 'resume'> {
    const resume = this.saved;
    this.saved = null;
    return resume === null ? {} : { resume };
  }
}

/** The value of a program that must have ended well; throws its error otherwise. */
export function valueOf<T>(settled: Settled<T>): T {
  if (settled.isOk) return settled.value;
  throw settled.error;
}
