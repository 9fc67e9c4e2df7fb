// The client's connection with one node: dials, greets, and dials again for as long as it is open.

import type { HoldfastError } from '../base/error.ts';
import type { MonoUs, NodeId } from '../base/units.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import type { DialFailure, Link, Transport } from '../ports/transport.ts';
import type {
  ClientHello,
  ClientMessage,
  LeaderNews,
  NodeMessage,
  Welcome,
} from '../wire/client-messages.ts';
import { decodeNodeMessages, encodeClientMessages } from '../wire/client.ts';
import { Backoff } from './backoff.ts';
import { SilenceWatch } from './silence-watch.ts';

const GREETING_US = 3_000_000;
const REDIAL_FIRST_US = 25_000;

/** What a link needs of its process. */
export interface LinkPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly transport: Transport;
}

/** Where a link goes, and its patience. */
export interface LinkSettings {
  readonly address: string;
  /** Upper bound of the pause between two dials. */
  readonly redialUsMax: number;
  /** A node that owes an answer and says nothing for so long is given up (half-open TCP). */
  readonly silenceUs: number;
}

/** What a link tells its owner; all of it outside the owner's own calls. */
export interface LinkOwner {
  hello(): ClientHello;
  /**
   * The node greeted, or told its cluster as it was founded for it while the link was up. An error
   * refuses it: the link is closed and dialled again later.
   */
  onWelcome(link: NodeLink, welcome: Welcome): HoldfastError | null;
  onMessages(link: NodeLink, messages: readonly NodeMessage[]): void;
  onDrain(link: NodeLink): void;
  /** A link that was up is gone, and with it every answer that it still owed. */
  onDown(link: NodeLink): void;
}

/** How far a link is. `waiting`: for the next dial. `closed`: for good. */
export type LinkState = 'connecting' | 'greeting' | 'up' | 'waiting' | 'closed';

/**
 * One link, over all its connections. Whatever was sent over a connection that ended may have
 * arrived or not: onDown tells the owner to send again what is undecided.
 */
export class NodeLink {
  readonly address: string;
  /** Known from the last welcome. */
  nodeId: NodeId | null = null;
  /** Its last word on who leads, while it is up. */
  news: LeaderNews | null = null;
  state: LinkState = 'waiting';
  /** Why it is not up; null while it is. */
  problem: string | null = 'not reached yet';
  private readonly ports: LinkPorts;
  private readonly settings: LinkSettings;
  private readonly owner: LinkOwner;
  private readonly backoff: Backoff;
  private readonly watch: SilenceWatch;
  private link: Link | null = null;
  private dialling: { cancel(): void } | null = null;
  private timer: Timer | null = null;
  private isFull = false;
  private upSinceUs: MonoUs = 0;

  constructor(ports: LinkPorts, settings: LinkSettings, owner: LinkOwner) {
    this.ports = ports;
    this.settings = settings;
    this.owner = owner;
    this.address = settings.address;
    this.backoff = new Backoff(ports.random, REDIAL_FIRST_US, settings.redialUsMax);
    const { silenceUs } = settings;
    this.watch = new SilenceWatch(ports.clock, silenceUs, () => {
      this.drop(`silent for ${Math.floor(silenceUs / 1000)} ms`);
    });
  }

  isUp(): boolean {
    return this.state === 'up';
  }

  /** False while the socket has too much to send: wait for onDrain. */
  isWritable(): boolean {
    return this.state === 'up' && !this.isFull;
  }

  dial(): void {
    if (this.state === 'closed') return;
    this.state = 'connecting';
    this.arm(GREETING_US, () => this.drop('no greeting within 3000 ms'));
    this.dialling = this.ports.transport.dial(this.address, 'client', (result) => {
      this.dialling = null;
      this.onDialled(result);
    });
  }

  /** Dials now if it waits to dial: there is a reason to believe that the node is there. */
  hurry(): void {
    if (this.state === 'waiting') this.dial();
  }

  /** Sends messages in one frame. `owesAnswer`: a silent node is given up after a while. */
  send(messages: readonly ClientMessage[], owesAnswer: boolean): void {
    if (this.link !== null) this.sendFrame(encodeClientMessages(messages), owesAnswer);
  }

  /** Sends a whole frame; see send. */
  sendFrame(frame: Uint8Array, owesAnswer: boolean): void {
    if (this.link === null) return;
    if (owesAnswer) this.watch.owe();
    if (!this.link.send(frame)) this.isFull = true;
  }

  /** Ends it for good. */
  close(reason: string): void {
    this.state = 'closed';
    this.release(reason);
  }

  /** Ends the connection, tells the owner, and dials again after a pause. */
  drop(reason: string): void {
    if (this.state === 'closed') return;
    const wasUp = this.isUp();
    this.state = 'waiting';
    this.problem = reason;
    this.release(reason);
    const upUs = this.ports.clock.monoUs() - this.upSinceUs;
    if (wasUp && upUs > this.settings.redialUsMax) this.backoff.reset();
    this.arm(this.backoff.take(), () => this.dial());
    if (wasUp) this.owner.onDown(this);
  }

  private onDialled(result: Link | DialFailure): void {
    if (this.state !== 'connecting') {
      if (typeof result !== 'string') result.close('given up');
      return;
    }
    if (typeof result === 'string') {
      this.drop(result === 'refused' ? 'connection refused' : 'cannot be reached');
      return;
    }
    this.link = result;
    this.state = 'greeting';
    result.onFrame = (frame) => this.onFrame(result, frame);
    result.onClose = (reason) => this.drop(`connection closed: ${reason}`);
    result.onDrain = () => {
      this.isFull = false;
      this.owner.onDrain(this);
    };
    this.send([this.owner.hello()], false);
  }

  private onFrame(link: Link, frame: Uint8Array): void {
    if (link !== this.link) return;
    this.watch.heard();
    let messages: readonly NodeMessage[];
    try {
      messages = decodeNodeMessages(frame);
    } catch (error) {
      this.drop(`not understood: ${error instanceof Error ? error.message : String(error)}`);
      return;
    }
    const [first] = messages;
    if (this.state !== 'greeting' || first === undefined) {
      this.handOver(messages);
    } else if (first.type === 'welcome') {
      this.onWelcome(first);
      if (this.isUp()) this.handOver(messages.slice(1));
    } else if (first.type === 'goodbye') {
      // Instead of a welcome: a node of another cluster refuses us, and its owner must know.
      this.handOver([first]);
    } else {
      this.drop('no greeting');
    }
  }

  private onWelcome(welcome: Welcome): void {
    this.timer?.cancel();
    this.nodeId = welcome.nodeId;
    this.state = 'up';
    this.problem = null;
    this.upSinceUs = this.ports.clock.monoUs();
    this.learnCluster(welcome);
  }

  /** False if the node is of another cluster: the link is down then. */
  private learnCluster(welcome: Welcome): boolean {
    const refusal = this.owner.onWelcome(this, welcome);
    if (refusal !== null) this.drop(refusal.message);
    return refusal === null;
  }

  private handOver(messages: readonly NodeMessage[]): void {
    // Nearly always, and not looked through for what concerns the link then.
    if (messages.every(isReply)) return this.owner.onMessages(this, messages);
    // Before its leader is believed: a node that was blank may have been founded for others.
    for (const message of messages) {
      if (message.type === 'welcome' && !this.learnCluster(message)) return;
    }
    for (const message of messages) if (message.type === 'leader') this.news = message;
    this.owner.onMessages(this, messages);
    const goodbye = messages.find((message) => message.type === 'goodbye');
    if (goodbye?.type === 'goodbye') this.drop(`${goodbye.code}: ${goodbye.message}`);
  }

  private arm(delayUs: number, callback: () => void): void {
    this.timer?.cancel();
    this.timer = this.ports.clock.after(delayUs, callback);
  }

  private release(reason: string): void {
    this.timer?.cancel();
    this.watch.stop();
    this.dialling?.cancel();
    this.dialling = null;
    this.isFull = false;
    this.news = null;
    const link = this.link;
    this.link = null;
    link?.close(reason);
  }
}

function isReply({ type }: NodeMessage): boolean {
  return type === 'reply';
}
