import type { SessionId } from '../base/units.ts';
import type { NodeStatus, QueryResult } from '../wire/client-messages.ts';
import { refuseRequest } from './admission.ts';
import type { Host, HostPorts } from './host-types.ts';
import { refusal } from './proposals.ts';
import { refuseQuery } from './queries.ts';
import type { Replica } from './replica.ts';

/** Why a node cannot serve yet. */
export interface Absence {
  readonly code: 'NOT_FOUNDED' | 'UNAVAILABLE';
  readonly message: string;
}

export interface HostRequestsOptions {
  readonly ports: Pick<HostPorts, 'clock' | 'watch'>;
  /** Null until the node belongs to a cluster and has loaded its state. */
  readonly replica: () => Replica | null;
  readonly absence: () => Absence;
  /** Takes commands: it is neither starting nor stopping. */
  readonly isRunning: () => boolean;
  readonly isBelowReserve: () => boolean;
  readonly status: () => NodeStatus;
}

/** What is asked of a node, on its way to the replica; none is answered within its call. */
export class HostRequests {
  private readonly options: HostRequestsOptions;

  constructor(options: HostRequestsOptions) {
    this.options = options;
  }

  execute: Host['execute'] = (request, done) => {
    const { ports, isRunning, isBelowReserve, absence } = this.options;
    const { clock, watch } = ports;
    const replica = this.options.replica();
    if (replica === null) {
      const { code, message } = absence();
      watch?.refused?.(code);
      return clock.soon(() => done(refusal(code, message)));
    }
    const refused = refuseRequest(request.body, {
      isLeading: replica.isLeading && isRunning(),
      isBelowReserve: isBelowReserve(),
    });
    if (refused === null) return replica.proposals.submit(request, done);
    watch?.refused?.(refused.outcome.code);
    clock.soon(() => done(refused));
  };

  keepAlive: Host['keepAlive'] = (session, done) => {
    const { clock, watch } = this.options.ports;
    const replica = this.options.replica();
    if (replica?.isLeading !== true) {
      const result = { session, nonce: 0, code: 'NOT_LEADER' as const, ttlMs: null };
      watch?.keptAlive?.(result.code);
      return clock.soon(() => done(result));
    }
    replica.office.leases.keepAlive(session, (code, ttlMs) => {
      watch?.keptAlive?.(code);
      done({ session, nonce: 0, code, ttlMs });
    });
  };

  query: Host['query'] = (query, done) => {
    const { ports, absence, status } = this.options;
    const { clock } = ports;
    const replica = this.options.replica();
    if (query.kind === 'status') {
      const answer = { revision: 0, result: { kind: 'status' as const, status: status() } };
      return clock.soon(() => done(answer));
    }
    if (replica !== null) return replica.ask(query, status, done);
    const { code, message } = absence();
    clock.soon(() => done(refuseQuery(code, message)));
  };

  admin: Host['admin'] = (step, done) => {
    const { ports, absence } = this.options;
    const { clock } = ports;
    const replica = this.options.replica();
    const answer = (result: QueryResult): void => done({ revision: 0, result });
    const { code, message } = absence();
    clock.soon(() => {
      if (replica !== null) replica.steward.handle(step, answer);
      else answer({ kind: 'refused', code, message });
    });
  };

  watch: Host['watch'] = (target, after, listener) => {
    const { ports, absence } = this.options;
    const { clock } = ports;
    const replica = this.options.replica();
    if (replica !== null) return replica.watches.add(target, after, listener);
    const { code, message } = absence();
    clock.soon(() => listener.onOver(code, message));
    return () => {};
  };

  follow: Host['follow'] = (session, listener) =>
    this.options.replica()?.news.follow(session, listener) ?? (() => {});

  withdraw(session: SessionId, acquireSeq: number): void {
    this.options.replica()?.withdraw(session, acquireSeq);
  }

  holdOpen(session: SessionId): () => void {
    return this.options.replica()?.office.leases.holdOpen(session) ?? (() => {});
  }
}
