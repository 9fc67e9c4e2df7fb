import { present } from '../src/base/assert.ts';
import type { NodeId, Term } from '../src/base/units.ts';
import { createHost } from '../src/node/host.ts';
import type { Host, HostExit, HostSettings, HostWatch } from '../src/node/host-types.ts';
import { decodeSlot, encodeSlot } from '../src/wire/slots.ts';
import type { SimDisk } from './world/disk.ts';
import type { WriteEffect } from './world/disk-options.ts';
import type { ClockSettings } from './world/clock.ts';
import type { SimProcess } from './world/process.ts';
import type { ProcessPorts } from './world/ports.ts';
import type { ProcessHandle, World } from './world/world.ts';

/** What a node of a simulated cluster is made of. */
export interface SimNodePlan {
  readonly settings: HostSettings;
  readonly address: string;
  readonly clock: ClockSettings;
  readonly disk: SimDisk;
  readonly watch: (life: number) => HostWatch | undefined;
  readonly onExit: (exit: HostExit) => void;
}

/** A node over all its lives: the shipped host on a simulated machine and disk. */
export class SimNode {
  readonly id: NodeId;
  readonly address: string;
  readonly disk: SimDisk;
  private readonly plan: SimNodePlan;
  private readonly handle: ProcessHandle<Host>;
  private hasStarted = false;
  private hasGone = false;
  private lastExit: HostExit | null = null;

  constructor(world: World, plan: SimNodePlan) {
    this.id = plan.settings.nodeId;
    this.address = plan.address;
    this.disk = plan.disk;
    this.plan = plan;
    this.handle = world.process<Host>({
      name: this.id,
      address: plan.address,
      isSync: true,
      clock: plan.clock,
      start: (ports) => this.startHost(ports),
    });
  }

  /** The host of the present life, null while the process is dead. */
  get host(): Host | null {
    return this.handle.program;
  }

  /** Number of the present or last life, from 1. */
  get life(): number {
    return this.handle.process.incarnation;
  }

  /** The process and its machine, over all lives. */
  get process(): SimProcess {
    return this.handle.process;
  }

  get isPaused(): boolean {
    return this.handle.process.life?.isPaused === true;
  }

  /** It listens and takes part, or is blank. */
  get isStarted(): boolean {
    return this.host !== null && this.hasStarted;
  }

  /** Why the last life ended by itself; null if it was killed, or lives. */
  get exit(): HostExit | null {
    return this.lastExit;
  }

  /** Its machine was taken away: it never starts again. */
  get isGone(): boolean {
    return this.hasGone;
  }

  /** Unless it is gone for good. */
  start(): void {
    if (this.hasGone) return;
    this.hasStarted = false;
    this.lastExit = null;
    this.handle.start();
  }

  /** Kills the process; the operating system tells its peers and keeps what it wrote. */
  crash(): void {
    this.disk.crash();
    this.handle.crash();
  }

  /** The machine loses power: unsynced writes may be gone, and no packet tells of it. */
  losePower(underWay: WriteEffect = 'drawn'): void {
    this.disk.losePower(underWay);
    this.handle.crash({ isSilent: true });
  }

  /** Its machine is taken away with its disk; nothing tells its peers. */
  takeAway(): void {
    if (!this.hasGone) this.losePower();
    this.hasGone = true;
  }

  /** Its disk is replaced by an empty one; it is dead then, and a stranger when it comes back. */
  wipe(): void {
    this.crash();
    this.disk.wipe();
  }

  /** The dead node's hard state, as if it had lost an election of that term before it died. */
  raiseTerm(term: Term): void {
    for (const slot of this.disk.slots) {
      const record = decodeSlot(present(slot.read(), `a slot of ${this.id}`));
      const version = record.version + 1;
      slot.land(encodeSlot({ ...record, version, term, vote: null }), true);
    }
  }

  /** `stop` as by SIGSTOP; `suspend` as when the machine sleeps. */
  pause(kind: 'stop' | 'suspend' = 'stop'): void {
    this.handle.pause(kind);
  }

  resume(): void {
    this.handle.resume();
  }

  /** The wall clock of its machine is set forward or back. */
  jumpWall(byMs: number): void {
    this.handle.process.clock.jumpWall(byMs);
  }

  /** Runs as a call-back of the process, later if it is paused. Throws when it is dead. */
  call(act: (host: Host) => void): void {
    const life = present(this.handle.process.life, `a running process of ${this.id}`);
    life.schedule(life.nowUs(), {
      kind: 'control',
      run: () => act(present(this.host, `the host of ${this.id}`)),
    });
  }

  private startHost(ports: ProcessPorts): Host {
    const { keyValue, slots } = this.disk.attach((run) =>
      ports.life.hand({ kind: 'disk', lane: 'disk', run }),
    );
    const { clock, random, transport, logger } = ports;
    const watch = this.plan.watch(ports.life.incarnation);
    const host = createHost(this.plan.settings, {
      clock,
      random,
      transport,
      logger,
      keyValue,
      slots,
      ...(watch === undefined ? {} : { watch }),
    });
    host.onExit = (exit) => this.ended(exit);
    host.start((exit) => {
      if (exit === null) this.hasStarted = true;
      else this.ended(exit);
    });
    return host;
  }

  private ended(exit: HostExit): void {
    this.crash();
    this.lastExit = exit;
    this.plan.onExit(exit);
  }
}
