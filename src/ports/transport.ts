/** Which door of a node a link goes through: `/v1/peer` for nodes, `/v1/link` for clients. */
export type Door = 'peer' | 'client';

/**
 * One connection. Frames arrive in order, whole, or not at all once the link has closed. A
 * transport ends a link whose far end has been silent for seconds: it may be half open.
 * Handlers are set by the owner in the call-back that hands the link over, before any frame comes.
 */
export interface Link {
  /** The far end as `host:port`, for logs. */
  readonly remote: string;
  /** Bytes accepted by `send` that have not left this process yet. */
  readonly bufferedBytes: number;
  /** Nobody changes the frame's bytes, however long the owner keeps them. */
  onFrame: (frame: Uint8Array) => void;
  /** Called once when the link is gone, with a short reason; not after `close()` by this side. */
  onClose: (reason: string) => void;
  /** Called when bufferedBytes has fallen to 0 after a `send` that returned false. */
  onDrain: () => void;
  /** Queues one frame; false when the buffer is above its mark: wait for onDrain. */
  send(frame: Uint8Array): boolean;
  /** Stops or resumes the hand-over of frames (back-pressure on the sender). */
  pause(): void;
  resume(): void;
  /** Ends the link; nothing is called afterwards. Idempotent. */
  close(reason: string): void;
}

/** `refused`: nobody listens there, the process is gone. `failed`: anything else, time-outs too. */
export type DialFailure = 'refused' | 'failed';

/** How a process reaches others. No call-back runs inside the call that asked for it. */
export interface Transport {
  /** Accepts links from now on. `done` gets null, or why it is impossible (port in use: which). */
  listen(onLink: (link: Link, door: Door) => void, done: (error: Error | null) => void): void;
  dial(address: string, door: Door, done: (result: Link | DialFailure) => void): { cancel(): void };
  /** Ends every link and stops accepting. */
  close(done: () => void): void;
}
