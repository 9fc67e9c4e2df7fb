import type { ClientMessage, Query } from '../wire/client-messages.ts';
import type { Clock } from '../ports/clock.ts';
import type { Link } from '../ports/transport.ts';

/** Undecided queries whose answer may fill a frame. */
const PAGES_MAX = 4;
/** Undecided renewals; a link with the most sessions it may have sends fewer at once. */
const KEEP_ALIVES_MAX = 8_192;

const PAGES: ReadonlySet<Query['kind']> = new Set([
  'list',
  'sessions',
  'inspect',
  'holdings',
] as const);

/** What is answered one by one, by its requestId. */
type Request = Extract<ClientMessage, { readonly requestId: number }>;

/** A connection, how much it may leave undecided, and who handles what it says. */
export interface ClientInboxOptions {
  readonly link: Pick<Link, 'pause' | 'resume'>;
  readonly clock: Pick<Clock, 'soon'>;
  readonly limits: { readonly commandsMax: number; readonly bytesMax: number };
  readonly handle: (message: ClientMessage) => void;
}

/**
 * What a client said and we have not handled yet. A frame holds thousands of requests, so the
 * limits of what is undecided are kept within it too: at a limit the rest of the frame waits here
 * and the socket is paused, so that the client's own queue grows, not ours, and its requests come
 * among the others' turn by turn. Invariant: at most one frame waits.
 */
export class ClientInbox {
  private readonly options: ClientInboxOptions;
  private messages: readonly ClientMessage[] = [];
  private handled = 0;
  private requests = 0;
  private bytes = 0;
  private pages = 0;
  private keepAlives = 0;
  private isPaused = false;
  private isScheduled = false;
  private isOver = false;

  constructor(options: ClientInboxOptions) {
    this.options = options;
  }

  /** A frame came. */
  take(messages: readonly ClientMessage[]): void {
    const left = this.messages.slice(this.handled);
    this.messages = left.length === 0 ? messages : [...left, ...messages];
    this.handled = 0;
    this.proceed();
  }

  /** It is undecided from now on. */
  begin(request: Request): void {
    this.count(request, 1);
  }

  /** It was answered. */
  end(request: Request): void {
    this.count(request, -1);
    this.goOn();
  }

  beginKeepAlives(count: number): void {
    this.keepAlives += count;
  }

  endKeepAlive(): void {
    this.keepAlives -= 1;
    this.goOn();
  }

  /** The connection is gone: nothing more is handled. */
  stop(): void {
    this.isOver = true;
    this.messages = [];
  }

  private count(request: Request, sign: 1 | -1): void {
    this.requests += sign;
    if (request.type === 'command') this.bytes += sign * request.body.length;
    if (request.type === 'query' && PAGES.has(request.query.kind)) this.pages += sign;
  }

  private get isFull(): boolean {
    const { commandsMax, bytesMax } = this.options.limits;
    return (
      this.requests >= commandsMax ||
      this.bytes >= bytesMax ||
      this.pages >= PAGES_MAX ||
      this.keepAlives >= KEEP_ALIVES_MAX
    );
  }

  private proceed(): void {
    while (!this.isOver && !this.isFull) {
      const message = this.messages[this.handled];
      if (message === undefined) break;
      this.handled += 1;
      this.options.handle(message);
    }
    this.setPace();
  }

  private setPace(): void {
    if (this.isOver) return;
    const mustWait = this.handled < this.messages.length || this.isFull;
    if (mustWait === this.isPaused) return;
    this.isPaused = mustWait;
    if (mustWait) this.options.link.pause();
    else this.options.link.resume();
  }

  // In a turn of its own: answers come in the middle of others' turns, and many at once.
  private goOn(): void {
    if (!this.isPaused || this.isScheduled) return;
    this.isScheduled = true;
    this.options.clock.soon(() => {
      this.isScheduled = false;
      this.proceed();
    });
  }
}
