// What the user's processes ask of the cluster and have no answer to: when nothing else happens,
// it tells who waits for what.

import { US_PER_MS } from '../../src/base/units.ts';
import type { ClientMessage, NodeMessage } from '../../src/wire/client-messages.ts';
import { decodeBody } from '../../src/wire/command.ts';
import type { LinkEar } from '../oracle/history-tap.ts';

/** An acquire that waits. */
export interface Waiting {
  readonly by: string;
  readonly names: readonly string[];
  readonly sinceUs: number;
}

/** See the head of this file. */
export class Conversations {
  private readonly nowUs: () => number;
  // Bounded by what the processes of one run have under way.
  private readonly open = new Map<string, Waiting>();
  private lastUs = 0;
  private longestUs = 0;

  constructor(nowUs: () => number) {
    this.nowUs = nowUs;
  }

  /** When something other than a heartbeat was last said. */
  get spokenUs(): number {
    return this.lastUs;
  }

  /** The longest time, of those asked for so far, after which something ends by itself. */
  get longestWaitUs(): number {
    return this.longestUs;
  }

  /** Something may end by itself after so long: a wait, a lease, a hold. */
  expect(durationMs: number): void {
    this.longestUs = Math.max(this.longestUs, durationMs * US_PER_MS);
  }

  waiting(): readonly Waiting[] {
    return [...this.open.values()];
  }

  /** It asks nobody any more. */
  onDeath(name: string): void {
    for (const [key, { by }] of this.open) if (by === name) this.open.delete(key);
  }

  /** Listens to one link of this process. */
  of(name: string): LinkEar {
    const asked = new Map<number, string>();
    return {
      sent: (message) => this.sent(name, message, asked),
      heard: (message) => this.heard(message, asked),
    };
  }

  private sent(name: string, message: ClientMessage, asked: Map<number, string>): void {
    if (message.type === 'query') this.lastUs = this.nowUs();
    if (message.type !== 'command') return;
    const body = decodeBody(message.body);
    const key = 'seq' in body ? `${body.session} ${body.seq}` : '';
    // Who waits asks again now and then, in case that news were lost.
    if (!this.open.has(key)) this.lastUs = this.nowUs();
    if (body.op === 'openSession') this.expect((body.ttlMs ?? 0) + body.lockDelayMs);
    if (body.op !== 'acquire') return;
    const names = body.items.map((item) => item.name);
    const sinceUs = this.open.get(key)?.sinceUs ?? this.nowUs();
    this.open.set(key, { by: name, names, sinceUs });
    asked.set(message.requestId, key);
    this.expect(body.waitMs ?? 0);
  }

  private heard(message: NodeMessage, asked: Map<number, string>): void {
    if (message.type === 'reply' && message.outcome.code !== 'QUEUED') {
      this.lastUs = this.nowUs();
      this.open.delete(asked.get(message.requestId) ?? '');
    } else if (message.type === 'news') {
      this.lastUs = this.nowUs();
      const { news } = message;
      if (news.kind !== 'ended') this.open.delete(`${news.session} ${news.acquireSeq}`);
    } else if (message.type === 'answer' || message.type === 'watchEvents') {
      this.lastUs = this.nowUs();
    }
    if (message.type === 'reply') asked.delete(message.requestId);
  }
}
