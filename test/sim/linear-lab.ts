// Histories made by hand: clients that talk to a leader who is nothing but a lock machine, where a
// test may delay, repeat, or bend what is said.

import { createLockMachine } from '../../src/locks/machine.ts';
import { DEFAULT_LIMITS } from '../../src/locks/commands.ts';
import type { Applied, Outcome } from '../../src/locks/outcomes.ts';
import { answerQuery } from '../../src/node/queries.ts';
import type { Answer, Query, Reply, SessionNews } from '../../src/wire/client-messages.ts';
import { decodePayload, encodeBody, encodePayload } from '../../src/wire/command.ts';
import type { CommandBody } from '../../src/wire/command.ts';
import { ClientHistory } from '../../sim/oracle/history.ts';
import type { LinkEar } from '../../sim/oracle/history-tap.ts';
import { findMisfit } from '../../sim/oracle/linear.ts';
import type { Misfit } from '../../sim/oracle/linear.ts';
import type { CommittedEntry } from '../../sim/oracle/types.ts';

interface Executed {
  readonly revision: number;
  readonly outcome: Outcome;
}

type Bend<T> = (honest: T) => T;

/** A leader without a cluster, and what is overheard of its clients. */
export class Lab {
  readonly entries: CommittedEntry[] = [];
  readonly history = new ClientHistory(() => this.clock++);
  private readonly machine = createLockMachine(DEFAULT_LIMITS);
  private clock = 0;

  get revision(): number {
    return this.entries.length;
  }

  /** Appends what one client sent, executes it and gives the honest reply. */
  execute(body: CommandBody, ackedBelow = 0): Executed {
    const index = this.entries.length + 1;
    const command = decodePayload(encodePayload(encodeBody(body), { ackedBelow, stampMs: index }));
    const { outcome, events } = this.machine.apply(index, 1, command);
    const fact = { index, term: 1, command, outcome, events, atUs: this.clock++, by: 'n1' };
    this.entries.push(fact);
    return { revision: index, outcome };
  }

  /** Appends an entry that the machine would not have made of this command. */
  forge(body: CommandBody, { outcome, events }: Applied): void {
    const index = this.entries.length + 1;
    const command = decodePayload(encodePayload(encodeBody(body), { ackedBelow: 0, stampMs: 0 }));
    this.entries.push({ index, term: 1, command, outcome, events, atUs: this.clock++, by: 'n1' });
  }

  /** The honest answer as of now. */
  look(query: Query): Pick<Answer, 'revision' | 'result'> {
    const { machine } = this;
    const times = { leaseLeftUs: () => null, delayLeftUs: () => 0 };
    const status = (): never => {
      throw new Error('no status here');
    };
    const result = answerQuery(query, { machine, times, status, membership: status });
    return { revision: this.revision, result };
  }

  misfit(): Misfit | null {
    const { entries } = this;
    return findMisfit(this.history, { entries, at: (index) => entries[index - 1] });
  }

  client(name: string): LabClient {
    return new LabClient(this, this.history.listen(name), name);
  }
}

/** A client with a session of its own. Sending, executing and hearing are steps of their own. */
export class LabClient {
  readonly session: string;
  private readonly lab: Lab;
  private readonly ear: LinkEar;
  private requestId = 0;
  private seq = 0;
  private ackedBelow = 0;

  constructor(lab: Lab, ear: LinkEar, name: string) {
    this.lab = lab;
    this.ear = ear;
    const nonce = name.padStart(16, '0');
    const body = {
      op: 'openSession',
      nonce,
      ttlMs: 9_000,
      lockDelayMs: 0,
      name,
      meta: '',
    } as const;
    const { outcome } = this.call(body);
    this.session = outcome.code === 'OPENED' ? outcome.session : '';
  }

  /** From now on all its answers so far count as known, so that no record of them is kept. */
  acknowledgeAll(): void {
    this.ackedBelow = this.seq + 1;
  }

  nextSeq(): number {
    return ++this.seq;
  }

  acquire(names: readonly string[], waitMs: number | null = null): CommandBody {
    const items = names.map((name) => ({ name, mode: 'exclusive', permits: null }) as const);
    const { session } = this;
    return { op: 'acquire', session, seq: this.nextSeq(), items, waitMs, meta: '', value: null };
  }

  release(name: string, token: number): CommandBody {
    const { session } = this;
    return { op: 'release', session, seq: this.nextSeq(), name, acquireSeq: null, token };
  }

  /** Leaves the client; gives the id that the answer must carry. */
  send(body: CommandBody): number {
    const requestId = ++this.requestId;
    this.ear.sent({ type: 'command', requestId, ackedBelow: 0, body: encodeBody(body) });
    return requestId;
  }

  hear(requestId: number, reply: Pick<Reply, 'revision' | 'outcome'>): void {
    this.ear.heard({ type: 'reply', requestId, ...reply });
  }

  refuse(requestId: number): void {
    const outcome = { code: 'NOT_LEADER', message: '' } as const;
    this.hear(requestId, { revision: 0, outcome });
  }

  /** All at once; the reply may be bent on its way. */
  call(body: CommandBody, bend: Bend<Outcome> = (honest) => honest): { outcome: Outcome } {
    const requestId = this.send(body);
    const { revision, outcome } = this.lab.execute(body, this.ackedBelow);
    this.hear(requestId, { revision, outcome: bend(outcome) });
    return { outcome };
  }

  news(news: SessionNews, revision: number): void {
    this.ear.heard({ type: 'news', revision, news });
  }

  ask(query: Query): number {
    const requestId = ++this.requestId;
    this.ear.sent({ type: 'query', requestId, query });
    return requestId;
  }

  answer(requestId: number, answer: Pick<Answer, 'revision' | 'result'>): void {
    this.ear.heard({ type: 'answer', requestId, ...answer });
  }

  renew(): number {
    const nonce = ++this.requestId;
    this.ear.sent({ type: 'keepAlive', items: [{ session: this.session, nonce }] });
    return nonce;
  }

  renewed(nonce: number, code: 'OK' | 'SESSION_GONE', ttlMs: number | null): void {
    const items = [{ session: this.session, nonce, code, ttlMs }];
    this.ear.heard({ type: 'keepAliveReply', items });
  }
}

/** The token of a grant. */
export function tokenIn({ outcome }: { outcome: Outcome }): number {
  return outcome.code === 'GRANTED' ? outcome.token : 0;
}
