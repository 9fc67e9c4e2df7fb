// A reader of server-sent events, as the standard says, with a hand on its own tap.

import { request } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { onTestFinished, vi } from 'vitest';

export interface StreamEvent {
  /** The last id that was told up to this event; null before any. */
  readonly lastId: string | null;
  readonly type: string;
  readonly data: unknown;
}

const WAIT = { timeout: 20_000, interval: 5 } as const;

/** One GET of a stream; ended after the test. */
export class EventStream {
  readonly events: StreamEvent[] = [];
  comments = 0;
  status = 0;
  /** Whether the answer came to its own end. */
  isWhole = false;
  isClosed = false;
  headers: IncomingMessage['headers'] = {};
  private readonly request: ClientRequest;
  private response: IncomingMessage | null = null;
  private rest = '';
  private lastId: string | null = null;

  constructor(url: string, headers: Readonly<Record<string, string>> = {}) {
    this.request = request(url, { headers, agent: false }, (response) => this.begin(response));
    this.request.on('error', () => (this.isClosed = true));
    this.request.on('close', () => (this.isClosed = true));
    this.request.end();
    onTestFinished(() => this.leave());
  }

  /** Resolves with the events once there are that many. */
  async first(count: number): Promise<readonly StreamEvent[]> {
    await vi.waitUntil(() => this.events.length >= count || this.isClosed, WAIT);
    if (this.events.length >= count) return this.events.slice(0, count);
    throw new Error(`closed after ${this.events.length} of ${count} events: ${this.rest}`);
  }

  /** The first event of a type. */
  async find(type: string): Promise<StreamEvent> {
    const found = (): StreamEvent | undefined => this.events.find((event) => event.type === type);
    await vi.waitUntil(() => found() !== undefined || this.isClosed, WAIT);
    const event = found();
    if (event === undefined) throw new Error(`closed without a ${type}`);
    return event;
  }

  async answered(): Promise<number> {
    await vi.waitUntil(() => this.status !== 0 || this.isClosed, WAIT);
    return this.status;
  }

  async closed(): Promise<void> {
    await vi.waitUntil(() => this.isClosed, WAIT);
  }

  /** Reads no more, but stays. */
  stopReading(): void {
    this.response?.pause();
    this.response?.socket.pause();
  }

  leave(): void {
    this.request.destroy();
  }

  private begin(response: IncomingMessage): void {
    this.response = response;
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    response.setEncoding('utf8');
    response.on('data', (text: string) => this.take(text));
    response.on('end', () => (this.isWhole = true));
    response.on('error', () => (this.isClosed = true));
    response.on('close', () => (this.isClosed = true));
  }

  private take(text: string): void {
    const blocks = (this.rest + text).split('\n\n');
    this.rest = blocks.pop() ?? '';
    for (const block of blocks) this.takeBlock(block);
  }

  private takeBlock(block: string): void {
    const lines = block.split('\n');
    if (lines.every((line) => line.startsWith(':'))) {
      this.comments++;
      return;
    }
    const field = (name: string): string | undefined =>
      lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    this.lastId = field('id') ?? this.lastId;
    const data = field('data');
    if (data === undefined) return;
    this.events.push({
      lastId: this.lastId,
      type: field('event') ?? 'message',
      data: JSON.parse(data),
    });
  }
}
