import type { DialFailure, Door, Link, Transport } from '../../src/ports/transport.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** What happens to one frame: handed over, lost without a sign, or the link is cut instead. */
export type Fate = 'pass' | 'lose' | 'cut';

/** A place that clients can dial. */
export interface Place {
  accept(link: Link): void;
}

const LATENCY_US = 1_000;
const DIAL_FAILED_US = 2_000_000;

/** Links in memory with a latency of 1 ms, in order. Tests decide what becomes of a frame. */
export class FakeNetwork implements Transport {
  /** Addresses that swallow everything without a sign (a half-open connection). */
  readonly silent = new Set<string>();
  readonly places = new Map<string, Place>();
  /** Decides for each frame, at the moment at which it would be handed over. */
  fate: (frame: Uint8Array, address: string, isToNode: boolean) => Fate = () => 'pass';
  dials = 0;
  /** Frames sent by clients. */
  frames = 0;
  private readonly clock: VirtualClock;
  private readonly pipes = new Set<Pipe>();

  constructor(clock: VirtualClock) {
    this.clock = clock;
  }

  listen(): void {}

  dial(
    address: string,
    _door: Door,
    done: (result: Link | DialFailure) => void,
  ): { cancel(): void } {
    this.dials++;
    const isSilent = this.silent.has(address);
    return this.clock.after(isSilent ? DIAL_FAILED_US : LATENCY_US, () => {
      const place = this.places.get(address);
      if (isSilent) done('failed');
      else if (place === undefined) done('refused');
      else {
        const pipe = new Pipe(this, this.clock, address);
        this.pipes.add(pipe);
        place.accept(pipe.far);
        done(pipe.near);
      }
    });
  }

  /** Ends every link of an address, as when its process is gone. */
  cut(address: string): void {
    for (const pipe of [...this.pipes]) if (pipe.address === address) pipe.cut();
  }

  /** The present links of an address carry nothing any more, without a sign; new ones do. */
  freeze(address: string): void {
    for (const pipe of this.pipes) if (pipe.address === address) pipe.isFrozen = true;
  }

  forget(pipe: Pipe): void {
    this.pipes.delete(pipe);
  }

  /** Links that are open. */
  openLinks(): number {
    return this.pipes.size;
  }

  close(done: () => void): void {
    this.clock.soon(done);
  }
}

class Pipe {
  readonly address: string;
  readonly near: End;
  readonly far: End;
  isFrozen = false;
  private readonly network: FakeNetwork;
  private readonly clock: VirtualClock;
  private isOpen = true;

  constructor(network: FakeNetwork, clock: VirtualClock, address: string) {
    this.network = network;
    this.clock = clock;
    this.address = address;
    this.near = new End(
      address,
      (frame) => this.carry(frame, true),
      () => this.end(this.far),
    );
    this.far = new End(
      'client',
      (frame) => this.carry(frame, false),
      () => this.end(this.near),
    );
  }

  cut(): void {
    this.end(this.near);
    this.clock.after(LATENCY_US, () => this.far.onClose('cut'));
  }

  private carry(frame: Uint8Array, isToNode: boolean): void {
    if (!this.isOpen || this.isFrozen || this.network.silent.has(this.address)) return;
    if (isToNode) this.network.frames++;
    this.clock.after(LATENCY_US, () => {
      if (!this.isOpen) return;
      const fate = this.network.fate(frame, this.address, isToNode);
      if (fate === 'cut') this.cut();
      if (fate !== 'pass') return;
      const end = isToNode ? this.far : this.near;
      end.onFrame(frame);
    });
  }

  private end(other: End): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.network.forget(this);
    this.clock.after(LATENCY_US, () => other.onClose('closed by the other side'));
  }
}

class End implements Link {
  readonly remote: string;
  readonly bufferedBytes = 0;
  onFrame: (frame: Uint8Array) => void = () => {};
  onClose: (reason: string) => void = () => {};
  onDrain: () => void = () => {};
  private readonly carry: (frame: Uint8Array) => void;
  private readonly end: () => void;

  constructor(remote: string, carry: (frame: Uint8Array) => void, end: () => void) {
    this.remote = remote;
    this.carry = carry;
    this.end = end;
  }

  send(frame: Uint8Array): boolean {
    this.carry(frame);
    return true;
  }

  pause(): void {}

  resume(): void {}

  close(): void {
    this.onFrame = () => {};
    this.onClose = () => {};
    this.end();
  }
}
