// Stands between a client and its transport, hands everything on, and reads along.

import type { DialFailure, Door, Link, Transport } from '../../src/ports/transport.ts';
import type { ClientMessage, NodeMessage } from '../../src/wire/client-messages.ts';
import { decodeClientMessages, decodeNodeMessages } from '../../src/wire/client.ts';
import { DecodeError } from '../../src/wire/decode-error.ts';

/** Is told what passes over one link: before it leaves, and before the client hears it. */
export interface LinkEar {
  sent(message: ClientMessage): void;
  heard(message: NodeMessage): void;
}

/** The transport of a client, with an ear on every link that it dials. */
export class TappedTransport implements Transport {
  private readonly inner: Transport;
  private readonly newEar: () => LinkEar;

  constructor(inner: Transport, newEar: () => LinkEar) {
    this.inner = inner;
    this.newEar = newEar;
  }

  listen(onLink: (link: Link, door: Door) => void, done: (error: Error | null) => void): void {
    this.inner.listen(onLink, done);
  }

  dial(
    address: string,
    door: Door,
    done: (result: Link | DialFailure) => void,
  ): { cancel(): void } {
    return this.inner.dial(address, door, (result) => {
      const isTapped = typeof result !== 'string' && door === 'client';
      done(isTapped ? new TappedLink(result, this.newEar()) : result);
    });
  }

  close(done: () => void): void {
    this.inner.close(done);
  }
}

class TappedLink implements Link {
  onFrame: (frame: Uint8Array) => void = () => {};
  onClose: (reason: string) => void = () => {};
  onDrain: () => void = () => {};
  private readonly inner: Link;
  private readonly ear: LinkEar;

  constructor(inner: Link, ear: LinkEar) {
    this.inner = inner;
    this.ear = ear;
    inner.onFrame = (frame) => {
      tell(() => decodeNodeMessages(frame).forEach((message) => ear.heard(message)));
      this.onFrame(frame);
    };
    inner.onClose = (reason) => this.onClose(reason);
    inner.onDrain = () => this.onDrain();
  }

  get remote(): string {
    return this.inner.remote;
  }

  get bufferedBytes(): number {
    return this.inner.bufferedBytes;
  }

  send(frame: Uint8Array): boolean {
    tell(() => decodeClientMessages(frame).forEach((message) => this.ear.sent(message)));
    return this.inner.send(frame);
  }

  pause(): void {
    this.inner.pause();
  }

  resume(): void {
    this.inner.resume();
  }

  close(reason: string): void {
    this.inner.close(reason);
  }
}

/** Garbage is for the far end to refuse; it asks and answers nothing. */
function tell(readAlong: () => void): void {
  try {
    readAlong();
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
  }
}
