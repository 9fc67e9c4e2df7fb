// One acquire over HTTP, which may have to wait. The request is answered by the grant, by the end
// of the wait, or by the loss of leadership; if its caller goes away first, the waiter goes too.

import { HoldfastError } from '../base/error.ts';
import type { Revision, SessionId, Token } from '../base/units.ts';
import { US_PER_MS } from '../base/units.ts';
import type { RequestItem } from '../locks/commands.ts';
import type { SessionNews } from '../wire/client-messages.ts';
import { endError, sessionGone } from './host-calls.ts';
import type { HostCalls } from './host-calls.ts';

/** What one HTTP caller asks for; `waitMs` 0 does not wait, `meta` is JSON text. */
export interface AcquireRequest {
  readonly session: SessionId;
  readonly seq: number;
  readonly ackedBelow: number;
  readonly items: readonly RequestItem[];
  readonly waitMs: number;
  readonly meta: string;
  /** Of an election's grant; null for locks. */
  readonly value: string | null;
}

/** What a caller was granted. */
export interface HttpGrant {
  readonly token: Token;
  readonly revision: Revision;
  /** Names the grant in a release, where the session has several with the same token. */
  readonly acquireSeq: number;
  /** As in GRANTED: empty when no name is a semaphore. */
  readonly slots: readonly (readonly number[])[];
}

/** Where to learn that the caller hung up. */
export interface Caller {
  /** Returns the way to stop listening. Called at once if the caller is gone already. */
  onGone(listener: () => void): () => void;
}

/** The leader ends a wait by itself; this much later we no longer count on it. */
const GRACE_MS = 10_000;

/** Open waits of this process by (session, seq); bounded by the number of HTTP connections. */
export class AcquireCalls {
  private readonly calls: HostCalls;
  private readonly open = new Map<string, number>();

  constructor(calls: HostCalls) {
    this.calls = calls;
  }

  /** Resolves with the grant; rejects with HoldfastError. */
  async acquire(request: AcquireRequest, caller: Caller): Promise<HttpGrant> {
    const { session, seq, waitMs } = request;
    const wait = waitMs > 0 ? this.startWait(request) : null;
    try {
      const { items, meta, value, ackedBelow } = request;
      const { outcome, revision } = await this.calls.execute(
        { op: 'acquire', session, seq, items, waitMs, meta, value },
        ackedBelow,
      );
      if (outcome.code === 'GRANTED') {
        return { token: outcome.token, revision, acquireSeq: seq, slots: outcome.slots };
      }
      if (wait !== null) return await this.waitForGrant(request, wait, caller);
      throw new HoldfastError('INTERNAL', 'a request that does not wait was queued');
    } finally {
      wait?.end();
    }
  }

  // Before the request is sent, so that no news can slip through between its answer and us.
  private startWait(request: AcquireRequest): Wait {
    const { session, seq } = request;
    const wait = new Wait(request);
    wait.also(this.calls.host.follow(session, (news, revision) => wait.hear(news, revision)));
    const key = `${session} ${seq}`;
    this.open.set(key, (this.open.get(key) ?? 0) + 1);
    wait.also(() => {
      const left = (this.open.get(key) ?? 0) - 1;
      if (left > 0) this.open.set(key, left);
      else this.open.delete(key);
    });
    return wait;
  }

  private waitForGrant(request: AcquireRequest, wait: Wait, caller: Caller): Promise<HttpGrant> {
    const { host, clock } = this.calls;
    const { session, seq, waitMs } = request;
    wait.also(host.holdOpen(session));
    const checkOffice = (): void => {
      if (host.status().role !== 'leader') wait.fail(unknownFate('this node no longer leads'));
    };
    wait.also(host.onLeaderChange(checkOffice));
    checkOffice(); // it may have been lost since the answer, in the same turn
    const timer = clock.after((waitMs + GRACE_MS) * US_PER_MS, () => {
      wait.fail(unknownFate('the end of the wait was not confirmed'));
    });
    wait.also(() => timer.cancel());
    wait.also(
      caller.onGone(() => {
        // A retry with the same seq may have come in before this connection was seen to end.
        if (this.open.get(`${session} ${seq}`) === 1) host.withdraw(session, seq);
        wait.fail(new HoldfastError('CANCELLED', 'the caller went away'));
      }),
    );
    return wait.grant;
  }
}

/** One acquire from before it is sent until its caller is answered. */
class Wait {
  readonly grant: Promise<HttpGrant>;
  private readonly request: AcquireRequest;
  private readonly endings: (() => void)[] = [];
  private resolve: (grant: HttpGrant) => void = () => {};
  private reject: (error: HoldfastError) => void = () => {};

  constructor(request: AcquireRequest) {
    this.request = request;
    this.grant = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.grant.catch(() => {}); // may fail before anybody waits for it
  }

  /** Something to undo when the wait is over. */
  also(ending: () => void): void {
    this.endings.push(ending);
  }

  hear(news: SessionNews, revision: Revision): void {
    const { session, seq } = this.request;
    if (news.kind === 'ended') return this.fail(sessionGone(session, news.reason));
    if (news.acquireSeq !== seq) return;
    if (news.kind === 'over') return this.fail(endError(news.cause, news.reason));
    const { token, slots } = news;
    this.resolve({ token, revision, acquireSeq: seq, slots });
  }

  fail(error: HoldfastError): void {
    this.reject(error);
  }

  end(): void {
    for (const ending of this.endings.splice(0)) ending();
  }
}

function unknownFate(why: string): HoldfastError {
  const text = `${why} while the request waited; send it again with the same seq`;
  return new HoldfastError('OUTCOME_UNKNOWN', text);
}
