// All sessions of one client: its own, another one after a loss, and those of other processes in
// which it took grants over.

import type { HoldfastError } from '../base/error.ts';
import type { KeepAliveResult, SessionNews } from '../wire/client-messages.ts';
import type { Drain } from './drain.ts';
import { endSession } from './farewell.ts';
import type { Grant } from './grant.ts';
import type { NodeLink } from './link.ts';
import { lossReason } from './loss.ts';
import type { Loss } from './loss.ts';
import { NewOrigin, ResumedOrigin } from './origin.ts';
import { Session } from './session.ts';
import type { SessionParts } from './session.ts';
import { Takeovers } from './take-over.ts';

/** Whether the session that was to be resumed is there. */
export type ResumeState = HoldfastError | 'pending' | 'done';

/** See the head of this file. */
export class Sessions {
  private readonly parts: SessionParts;
  private readonly takeovers: Takeovers;
  private own: Session;
  private state: ResumeState = 'done';

  /** `onResumed`: the state of the resumption has changed. */
  constructor(parts: SessionParts, onResumed: () => void) {
    this.parts = parts;
    this.takeovers = new Takeovers(parts);
    const saved = parts.settings.resume;
    if (saved === null) {
      this.own = this.newSession();
      return;
    }
    this.state = 'pending';
    const settle = (state: ResumeState): void => {
      this.state = state;
      onResumed();
    };
    const owner = {
      onFound: () => settle('done'),
      onMissing: (loss: Loss) => settle(lossReason(`the session ${saved.session}`, loss)),
    };
    this.own = new Session(parts, (session) => new ResumedOrigin(session, saved.session, owner));
  }

  /** The client's own, whether it is over or not. */
  get current(): Session {
    return this.own;
  }

  get resumeState(): ResumeState {
    return this.state;
  }

  /** A session that is to be resumed is looked for at once. */
  begin(): void {
    if (this.state === 'pending') this.own.begin();
  }

  /** The client's own, a new one after a loss. */
  live(): Session {
    // A look may tell of the loss, and whom it tells may be here first.
    if (this.own.id !== null) this.own.isAlive(false);
    if (this.own.loss !== null) this.own = this.newSession();
    return this.own;
  }

  /** See Client.grants. */
  grants(): readonly Grant[] {
    return this.all()
      .flatMap((session) => session.holdings.grants())
      .flatMap(([, held]) => held.handle() ?? [])
      .filter((grant) => grant.held());
  }

  /** See Client.takeOver. */
  takeOver(text: string): Promise<Grant> {
    return this.takeovers.takeOver(text, this.own);
  }

  onKeepAlive(result: KeepAliveResult): void {
    this.own.onKeepAlive(result);
    this.takeovers.session(result.session)?.onKeepAlive(result);
  }

  onNews(news: SessionNews): void {
    this.own.onNews(news);
    this.takeovers.session(news.session)?.onNews(news);
  }

  onChange(): void {
    for (const session of this.all()) session.onChange();
  }

  onDown(link: NodeLink): void {
    for (const session of this.all()) session.onDown(link);
  }

  lose(loss: Loss): void {
    for (const session of this.all()) session.lose(loss);
  }

  /** Ends them all, once the drain is over or nothing is held; never rejects. */
  async close(drain: Drain): Promise<void> {
    await Promise.all(this.all().map((session) => endSession(session, drain)));
    drain.stop();
  }

  private all(): readonly Session[] {
    return [this.own, ...this.takeovers.sessions()];
  }

  private newSession(): Session {
    return new Session(this.parts, (session) => new NewOrigin(session));
  }
}
