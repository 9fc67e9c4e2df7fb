// What a history reveals of grants and sessions, wherever it was said.

import type { SessionId } from '../../src/base/units.ts';
import type { HolderView } from '../../src/locks/outcomes.ts';
import type { RequestItem } from '../../src/locks/commands.ts';
import type { ClientHistory } from './history.ts';
import type { CommandOperation, NewsHeard, QueryOperation } from './history-types.ts';
import type { Holder } from './search-types.ts';

/** A grant as it is named, whatever it is of. */
type Named = Omit<Holder, 'item'>;

/** A grant that somebody was told of. */
export interface Revealed {
  readonly holder: Named;
  readonly items: readonly RequestItem[];
  /** When its acquire was first sent. */
  readonly start: number;
  /** When its own client first heard of it; Infinity if it did not. */
  end: number;
}

interface Wanted {
  readonly items: readonly RequestItem[];
  readonly start: number;
}

/** See the head of this file. Grants that nobody was told of explain nothing, and are left out. */
export class Revelations {
  readonly grants = new Map<string, Revealed>();
  /** When each session was last certainly alive: it ended after that, if it did. */
  readonly aliveAt = new Map<SessionId, number>();
  /** The latest that each session can have ended, where somebody was told that it had. */
  readonly endedBy = new Map<SessionId, number>();
  /** Locks that others hold too, who are not listened to. */
  readonly foreign = new Set<string>();
  /** Two tokens were told of one grant. */
  isContradiction = false;
  private readonly wanted = new Map<string, Wanted>();

  constructor(history: ClientHistory) {
    for (const operation of history.operations) {
      if (operation.kind === 'command') this.want(operation);
    }
    for (const operation of history.operations) {
      if (operation.kind === 'command') this.learnOfCommand(operation);
      else if (operation.kind === 'query') this.learnOfQuery(operation);
      else if (operation.heard?.content.code === 'OK') {
        this.lives(operation.session, operation.sent.order);
      } else if (operation.heard?.content.code === 'SESSION_GONE') {
        this.ends(operation.session, operation.heard.order);
      }
    }
    for (const news of history.news) this.learnOfNews(news);
  }

  /** The grant of that acquire, if somebody was told of it. */
  find(session: SessionId, acquireSeq: number): Revealed | undefined {
    return this.grants.get(`${session} ${acquireSeq}`);
  }

  private want({ body, transmissions }: CommandOperation): void {
    if (body.op !== 'acquire') return;
    const start = transmissions[0]?.sent.order ?? 0;
    this.wanted.set(`${body.session} ${body.seq}`, { items: body.items, start });
  }

  private learnOfCommand({ body, transmissions }: CommandOperation): void {
    for (const { sent, heard } of transmissions) {
      if (heard === null || heard.revision === 0) continue;
      const { content, order } = heard;
      const isGone = content.code === 'SESSION_GONE';
      if ('seq' in body && !isGone) this.lives(body.session, sent.order);
      const isEnd = body.op === 'closeSession' || body.op === 'endSession';
      if ((isGone || isEnd) && 'session' in body && body.session !== null) {
        this.ends(body.session, order);
      }
      if (content.code === 'LOCK_BUSY') this.learnOf(content.name, [content.holder]);
      const isOwn = content.code === 'GRANTED' || content.code === 'ENDED';
      if (body.op !== 'acquire' || !isOwn || content.token === 0) continue;
      this.learn({ session: body.session, acquireSeq: body.seq, token: content.token }, order);
    }
  }

  private learnOfQuery({ query, heard }: QueryOperation): void {
    if (heard === null) return;
    const { content: result } = heard;
    const locks = result.kind === 'lock' ? [result.lock] : [];
    const listed = result.kind === 'locks' ? result.locks : locks;
    for (const { name, holders } of listed) this.learnOf(name, holders);
    if (query.kind !== 'grant' || result.kind !== 'grant' || result.token === 0) return;
    this.learn({ ...query, token: result.token }, Infinity);
  }

  private learnOfNews({ content, order }: NewsHeard): void {
    if (content.kind === 'ended') this.ends(content.session, order);
    else if (content.token !== 0) this.learn(content, order);
  }

  private learnOf(name: string, holders: readonly (HolderView | null)[]): void {
    for (const holder of holders) {
      if (holder !== null && !this.learn(holder, Infinity)) this.foreign.add(name);
    }
  }

  /** False if nobody who is listened to asked for it. */
  private learn(told: Pick<HolderView, 'session' | 'acquireSeq' | 'token'>, end: number): boolean {
    const { session, acquireSeq, token } = told;
    const key = `${session} ${acquireSeq}`;
    const known = this.grants.get(key);
    const wanted = this.wanted.get(key);
    if (wanted === undefined) return false;
    if (known !== undefined) {
      if (known.holder.token !== token) this.isContradiction = true;
      known.end = Math.min(known.end, end);
      return true;
    }
    const { items, start } = wanted;
    this.grants.set(key, { holder: { session, acquireSeq, token }, items, start, end });
    return true;
  }

  private ends(session: SessionId, order: number): void {
    this.endedBy.set(session, Math.min(this.endedBy.get(session) ?? Infinity, order));
  }

  private lives(session: SessionId, order: number): void {
    this.aliveAt.set(session, Math.max(this.aliveAt.get(session) ?? 0, order));
  }
}
