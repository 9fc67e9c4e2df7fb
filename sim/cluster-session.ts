import { InvariantError } from '../src/base/assert.ts';
import type { NodeId, SessionId, Token } from '../src/base/units.ts';
import type { HostReply } from '../src/node/host-types.ts';
import type { CommandBody } from '../src/wire/command.ts';
import type { SimCluster } from './cluster.ts';
import type { Pending } from './pending.ts';

/** Parts of an acquire that may be left out: no waiting, the next seq. */
export interface SimAcquire {
  readonly waitMs?: number | null;
  readonly seq?: number;
}

/** A session spoken for command by command, without the client's retries: tests decide. */
export class SimSession {
  readonly id: SessionId;
  private readonly cluster: SimCluster;
  private seq = 0;

  constructor(cluster: SimCluster, id: SessionId) {
    this.cluster = cluster;
    this.id = id;
  }

  /** Number of the last command. */
  get lastSeq(): number {
    return this.seq;
  }

  /** Asks node `at` for an exclusive lock. The same seq again is a retry of the same request. */
  acquire(at: NodeId, name: string, options: SimAcquire = {}): Pending<HostReply> {
    return this.cluster.send(at, this.acquireBody(name, options));
  }

  release(at: NodeId, name: string, token: Token): Pending<HostReply> {
    const seq = this.next(undefined);
    const body = { op: 'release', session: this.id, seq, name, token, acquireSeq: null } as const;
    return this.cluster.send(at, body);
  }

  cancel(at: NodeId, acquireSeq: number): Pending<HostReply> {
    const seq = this.next(undefined);
    return this.cluster.send(at, { op: 'cancel', session: this.id, seq, acquireSeq });
  }

  close(at: NodeId): Pending<HostReply> {
    return this.cluster.send(at, {
      op: 'closeSession',
      session: this.id,
      seq: this.next(undefined),
    });
  }

  private acquireBody(name: string, { waitMs = 0, seq }: SimAcquire): CommandBody {
    return {
      op: 'acquire',
      session: this.id,
      seq: this.next(seq),
      items: [{ name, mode: 'exclusive', permits: null }],
      waitMs,
      meta: '',
      value: null,
    };
  }

  private next(wanted: number | undefined): number {
    const seq = wanted ?? this.seq + 1;
    this.seq = Math.max(this.seq, seq);
    return seq;
  }
}

/** The token of a reply that must be a grant. */
export function tokenOf(reply: HostReply): Token {
  if (reply.outcome.code === 'GRANTED') return reply.outcome.token;
  throw new InvariantError(`expected GRANTED, got ${JSON.stringify(reply.outcome)}`);
}
