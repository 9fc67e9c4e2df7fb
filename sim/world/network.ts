// Links between processes, with the faults that real networks have (SIMULATOR.md §4.6). A dead
// process refuses; a cut or sleeping machine is silent, which only a time-out tells.

import type { Timer } from '../../src/ports/clock.ts';
import type { DialFailure, Door, Link, Transport } from '../../src/ports/transport.ts';
import type { Impairment, Undo } from './direction.ts';
import type { FrameWatch } from './frame-watch.ts';
import { LinkEnd } from './link.ts';
import type { EventLoop } from './loop.ts';
import { Pipe } from './pipe.ts';
import type { PipeEnvironment } from './pipe.ts';
import type { Life, SimProcess } from './process.ts';
import type { KeyedRandom } from './random.ts';
import { Topology } from './topology.ts';
import type { RouteSettings } from './topology.ts';

/** How a world's network behaves; all may be left out. */
export interface NetworkSettings extends RouteSettings {
  /** After so long without an answer a dial has failed; default 1,000,000. */
  readonly connectTimeoutUs?: number;
  /** Bytes of one direction under way or unread; default 256 KiB. */
  readonly windowBytes?: number;
  /** Period of the look at silent links, default 3,000,000: one is cut after two to three. */
  readonly pingUs?: number;
}

interface Listener {
  readonly life: Life;
  readonly onLink: (link: Link, door: Door) => void;
}

interface OpenLink {
  readonly ends: readonly [LinkEnd, LinkEnd];
  readonly pipes: readonly [Pipe, Pipe];
  over: number;
}

interface Attempt {
  readonly life: Life;
  readonly door: Door;
  readonly done: (result: Link | DialFailure) => void;
  timeout: Timer | null;
  isOver: boolean;
}

const CONNECT_TIMEOUT_US = 1_000_000;
const PING_US = 3_000_000;
const WINDOW_BYTES = 256 * 1024;
/** Until both ends of a link that carries nothing have noticed, by their clocks and by default. */
export const SILENCE_US_MAX = 3 * PING_US;
/** Numbers of the lanes of pipes, above those of processes. */
const PIPE_LANES = 1_000_000;

/** Every link of a world. */
export class Network {
  readonly topology: Topology;
  private readonly loop: EventLoop;
  private environment: PipeEnvironment;
  private readonly connectTimeoutUs: number;
  private readonly pingUs: number;
  private readonly processes = new Map<string, SimProcess>();
  private readonly listeners = new Map<string, Listener>();
  private readonly links = new Map<number, OpenLink>();
  private readonly dark = new Set<string>();
  private readonly counts = new Map<string, number>();
  private linksMade = 0;

  constructor(loop: EventLoop, random: KeyedRandom, settings: NetworkSettings) {
    this.loop = loop;
    this.topology = new Topology(random, settings);
    this.connectTimeoutUs = settings.connectTimeoutUs ?? CONNECT_TIMEOUT_US;
    this.pingUs = settings.pingUs ?? PING_US;
    const windowBytes = settings.windowBytes ?? WINDOW_BYTES;
    this.environment = { loop, random, windowBytes, watch: null };
  }

  /** Shows the frames of all links that are made from now on. */
  observe(watch: FrameWatch): void {
    this.environment = { ...this.environment, watch };
  }

  /** From now on its address leads to this process. */
  register(process: SimProcess): void {
    this.processes.set(process.address, process);
  }

  /** The Transport port of one life. */
  transport(life: Life): Transport {
    return {
      listen: (onLink, done) => this.listen({ life, onLink }, done),
      dial: (address, door, done) =>
        this.dial(address, { life, door, done, timeout: null, isOver: false }),
      close: (done) => {
        this.stopListening(life);
        for (const end of this.endsOf(life)) end.close('closed');
        life.soon(done);
      },
    };
  }

  /** A life has ended; `isSilent`: with its machine, so that no packet tells of it. */
  died(life: Life, isSilent: boolean): void {
    this.stopListening(life);
    if (isSilent) this.dark.add(life.process.name);
    for (const end of this.endsOf(life)) end.die(isSilent);
  }

  /** The machine of this process answers again, if only to refuse. */
  machineUp(process: SimProcess): void {
    this.dark.delete(process.name);
  }

  /**
   * Something goes wrong on the way from one to the other, until it is undone. Refused and unheard
   * dials are those of `from`.
   */
  impair(from: string, to: string, impairment: Impairment): Undo {
    const undo = this.topology.direction(from, to).impair(impairment);
    return () => {
      undo();
      this.released();
    };
  }

  /**
   * Links that exist now between the two carry nothing any more, in either direction, and nobody
   * is told, as when a firewall forgets them. New links are free.
   */
  blackHole(left: string, right: string): Undo {
    const undos = this.linksBetween(left, right).flatMap(({ pipes }) =>
      pipes.map((pipe) => pipe.swallow()),
    );
    return () => {
      for (const undo of undos) undo();
    };
  }

  /** Cuts were mended: what stood still moves on. */
  released(): void {
    for (const link of this.links.values()) for (const pipe of link.pipes) pipe.release();
  }

  /** Breaks every link between two processes; both sides learn of it at once. */
  resetLinks(left: string, right: string): void {
    for (const link of this.linksBetween(left, right)) {
      for (const end of link.ends) end.reset('reset');
    }
  }

  /**
   * Holds whatever existing links carry between the two, for so long, while new links are free:
   * the old link then delivers after its successor.
   */
  stallLinks(left: string, right: string, forUs: number): void {
    for (const link of this.linksBetween(left, right)) {
      for (const pipe of link.pipes) pipe.hold(this.loop.nowUs + forUs);
    }
  }

  private listen(listener: Listener, done: (error: Error | null) => void): void {
    const { life } = listener;
    const { address } = life.process;
    const isTaken = this.listeners.has(address);
    if (!isTaken) this.listeners.set(address, listener);
    const error = isTaken ? new Error(`${address} is in use`) : null;
    life.soon(() => done(error));
  }

  private stopListening(life: Life): void {
    const { address } = life.process;
    if (this.listeners.get(address)?.life === life) this.listeners.delete(address);
  }

  private dial(address: string, attempt: Attempt): { cancel(): void } {
    const { life } = attempt;
    const ordinal = this.count(`dials of ${life.process.name}`);
    const target = this.processes.get(address);
    const to = target?.name ?? life.process.name;
    const way = this.topology.direction(life.process.name, to);
    const delayUs = way.delayUs({ link: 0, frame: ordinal });
    this.loop.at(this.loop.nowUs + delayUs, () => this.knock(target, address, attempt));
    attempt.timeout = life.schedule(this.loop.nowUs + this.connectTimeoutUs, {
      kind: 'dialFailed',
      a: ordinal,
      run: () => this.settle(attempt, 'failed'),
    });
    return {
      cancel: () => giveUp(attempt),
    };
  }

  private knock(target: SimProcess | undefined, address: string, attempt: Attempt): void {
    if (attempt.isOver || !attempt.life.isAlive) return;
    const from = attempt.life.process.name;
    const to = target?.name ?? from;
    const way = this.topology.direction(from, to);
    if (way.isCut || way.isHanging || this.dark.has(to)) return;
    const listener = this.listeners.get(address);
    if (listener === undefined || way.isRefusing) {
      const { latencyUs } = this.topology.direction(to, from).route;
      this.loop.at(this.loop.nowUs + latencyUs, () => this.refuse(to, attempt));
      return;
    }
    listener.life.hand({
      kind: 'accept',
      run: () => this.accept(listener, attempt),
    });
  }

  private refuse(by: string, attempt: Attempt): void {
    if (this.topology.direction(by, attempt.life.process.name).isCut) return;
    const run = (): void => this.settle(attempt, 'refused');
    attempt.life.hand({ kind: 'dialFailed', run });
  }

  private accept(listener: Listener, attempt: Attempt): void {
    if (attempt.isOver || !attempt.life.isAlive) return;
    const [near, far] = this.connect(attempt, listener.life);
    near.onOpen = () => {
      if (attempt.isOver) near.close('the dial was given up');
      else this.settle(attempt, near);
    };
    far.acceptDial();
    listener.onLink(far, attempt.door);
  }

  private settle(attempt: Attempt, result: Link | DialFailure): void {
    if (attempt.isOver) return;
    giveUp(attempt);
    attempt.done(result);
  }

  private connect({ life: dialler, door }: Attempt, acceptor: Life): readonly [LinkEnd, LinkEnd] {
    const number = ++this.linksMade;
    const from = dialler.process.name;
    const to = acceptor.process.name;
    const ordinal = this.count(`links from ${from} to ${to}`);
    const about = { ordinal, isReliable: door !== 'peer', dialledBy: from, link: number };
    const way = this.topology.direction(from, to);
    const wayBack = this.topology.direction(to, from);
    const lane = PIPE_LANES + 2 * number;
    const forth = new Pipe({ ...about, direction: way, lane }, this.environment);
    const back = new Pipe({ ...about, direction: wayBack, lane: lane + 1 }, this.environment);
    const onOver = (): void => this.endOver(number);
    const near = new LinkEnd({
      life: dialler,
      remote: acceptor.process.address,
      number,
      outgoing: forth,
      incoming: back,
      pingUs: this.pingUs,
      onOver,
    });
    const far = new LinkEnd({
      life: acceptor,
      remote: dialler.process.address,
      number,
      outgoing: back,
      incoming: forth,
      pingUs: this.pingUs,
      onOver,
    });
    this.links.set(number, { ends: [near, far], pipes: [forth, back], over: 0 });
    return [near, far];
  }

  /** Counted per process and pair, so that the luck of one does not depend on the others. */
  private count(what: string): number {
    const count = (this.counts.get(what) ?? 0) + 1;
    this.counts.set(what, count);
    return count;
  }

  private endOver(number: number): void {
    const link = this.links.get(number);
    if (link === undefined) return;
    link.over++;
    if (link.over === 2) this.links.delete(number);
  }

  private endsOf(life: Life): readonly LinkEnd[] {
    return [...this.links.values()].flatMap((link) => link.ends.filter((end) => end.life === life));
  }

  private linksBetween(left: string, right: string): readonly OpenLink[] {
    return [...this.links.values()].filter(({ ends: [one, other] }) => {
      const names = [one.life.process.name, other.life.process.name];
      return names.includes(left) && names.includes(right);
    });
  }
}

function giveUp(attempt: Attempt): void {
  attempt.isOver = true;
  attempt.timeout?.cancel();
}
