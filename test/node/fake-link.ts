import type { Link } from '../../src/ports/transport.ts';

/** One end of a connection that a test holds in its hands. */
export class FakeLink implements Link {
  readonly remote: string;
  readonly sent: Uint8Array[] = [];
  bufferedBytes = 0;
  closed: string | null = null;
  onFrame: (frame: Uint8Array) => void = () => {};
  onClose: (reason: string) => void = () => {};
  onDrain: () => void = () => {};

  constructor(remote: string) {
    this.remote = remote;
  }

  send(frame: Uint8Array): boolean {
    this.sent.push(frame);
    return true;
  }

  pause(): void {}

  resume(): void {}

  close(reason: string): void {
    this.closed ??= reason;
  }
}
