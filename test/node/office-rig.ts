// A node without consensus: real machine, applier, office and watches, under a clock that is moved
// by hand. What is proposed waits in a log until it is committed here; quorum rounds are confirmed
// here too.

import { DEFAULT_LIMITS } from '../../src/locks/commands.ts';
import { createLockMachine } from '../../src/locks/machine.ts';
import type { LockMachine } from '../../src/locks/machine-types.ts';
import type { Outcome } from '../../src/locks/outcomes.ts';
import { Applier } from '../../src/node/applier.ts';
import { LockState } from '../../src/node/lock-state.ts';
import { News } from '../../src/node/news.ts';
import { Office } from '../../src/node/office.ts';
import { Proposals } from '../../src/node/proposals.ts';
import { Reads } from '../../src/node/reads.ts';
import { WatchLog } from '../../src/node/watch-log.ts';
import { Watches } from '../../src/node/watches.ts';
import type { WatchTarget } from '../../src/wire/client-messages.ts';
import type { CommandBody } from '../../src/wire/command.ts';
import { encodeBody, encodePayload } from '../../src/wire/command.ts';
import { ManualClock } from './manual-clock.ts';

export const TICK_US = 25_000;
export const STALL_US = 250_000;
const STAMP = { ackedBelow: 0, stampMs: 1_790_000_000_000 };

/** An entry of the log that is not applied yet. */
interface Uncommitted {
  readonly term: number;
  readonly payload: Uint8Array;
}

export class OfficeRig {
  readonly clock = new ManualClock();
  readonly machine: LockMachine = createLockMachine(DEFAULT_LIMITS);
  readonly office: Office;
  readonly watches: Watches;
  /** Bytes of own entries that may be uncommitted. */
  internalBytesMax = 1024 * 1024;
  /** Most entries that were proposed by the leader at once. */
  largestBatch = 0;
  /** Entries that wait for `commit`, oldest first. */
  log: Uncommitted[] = [];
  readonly outcomes: Outcome[] = [];
  private readonly state: LockState;
  private readonly applier: Applier;
  private readonly reads: Reads;
  private readonly asked: number[] = [];
  private term = 0;
  private index = 0;
  private nonces = 0;

  constructor() {
    const { clock } = this;
    this.state = new LockState(this.machine, 0);
    const { state } = this;
    const soon = (callback: () => void): void => clock.soon(callback);
    this.reads = new Reads({ ask: (id) => this.asked.push(id), soon });
    this.office = new Office({
      clock,
      stallUs: STALL_US,
      reads: this.reads,
      machine: state,
      propose: (bodies) => this.propose(bodies),
    });
    this.watches = new Watches({
      log: new WatchLog(0),
      soon,
      appliedIndex: () => state.appliedIndex,
      confirm: (done) => this.reads.request(done),
    });
    const proposals = new Proposals({
      clock,
      propose: () => ({ term: 0, firstIndex: 0, accepted: 0, refusal: null }),
    });
    const { office, watches } = this;
    const news = new News();
    const watch = {
      started: () => {},
      stepped: () => {},
      applied: (_entry: unknown, _command: unknown, applied: { outcome: Outcome } | null) => {
        if (applied !== null) this.outcomes.push(applied.outcome);
      },
      installed: () => {},
    };
    this.applier = new Applier({
      ...{ state, office, proposals, news, watches, watch },
      checkpointer: { look: () => {}, mustPause: () => false },
      soon: (callback) => callback(),
      hashEvery: Infinity,
      onStateHash: () => {},
      onApplied: () => {},
    });
  }

  /** Wins an election and applies its no-op. */
  lead(term: number): void {
    this.term = term;
    this.office.begin(term);
    this.office.becomeReady();
  }

  /** Loses its office, and what it had not committed. */
  depose(): void {
    this.office.end();
    this.watches.stepDown();
    this.log = [];
    this.confirm(false);
  }

  /** Time passes as on a loop that never stands still. */
  pass(byUs: number): void {
    for (let left = byUs; left > 0; left -= TICK_US) this.tick(Math.min(left, TICK_US));
  }

  /** One tick after so much time. */
  tick(byUs: number): void {
    this.clock.advance(byUs);
    this.office.tick(this.clock.nowUs);
    this.clock.turn();
  }

  /** Applies what was appended. */
  commit(): void {
    for (const { term, payload } of this.log.splice(0)) this.apply(payload, term);
  }

  /** A quorum answers, or does not, to all that asked until now. */
  confirm(isConfirmed = true): void {
    this.clock.turn();
    this.reads.settle(this.asked.splice(0), isConfirmed);
    this.clock.turn();
  }

  /** Applies a command of a client at once. */
  run(body: CommandBody, ackedBelow = 0): Outcome {
    this.apply(encodePayload(encodeBody(body), { ...STAMP, ackedBelow }), this.term);
    const outcome = this.outcomes.at(-1);
    if (outcome === undefined) throw new Error('nothing was applied');
    return outcome;
  }

  open(ttlMs: number | null, lockDelayMs = 0, name = ''): string {
    const nonce = `${this.nonces++}`.padStart(16, 'n');
    const open = { op: 'openSession', nonce, ttlMs, lockDelayMs, name, meta: '' } as const;
    const outcome = this.run(open);
    if (outcome.code !== 'OPENED') throw new Error(JSON.stringify(outcome));
    return outcome.session;
  }

  acquire(session: string, seq: number, name: string, waitMs: number | null = null): Outcome {
    const items = [{ name, mode: 'exclusive', permits: null }] as const;
    return this.run({ op: 'acquire', session, seq, items, waitMs, meta: '', value: null });
  }

  /** What watchers are told, as `type name cause`. */
  watch(target: WatchTarget = { name: null, prefix: '' }): string[] {
    const heard: string[] = [];
    this.watches.add(target, null, {
      onStart: () => {},
      onEvents: (_revision, events) => {
        for (const { type, name, cause } of events) heard.push(`${type} ${name} ${cause}`.trim());
      },
      onOver: (code) => heard.push(code),
    });
    this.confirm();
    return heard;
  }

  /** Renews; the list gets the answer. */
  keepAlive(session: string, answers: string[]): void {
    this.office.leases.keepAlive(session, (code) => answers.push(code));
  }

  private propose(bodies: readonly CommandBody[]): number {
    const room =
      this.internalBytesMax - this.log.reduce((sum, each) => sum + each.payload.length, 0);
    const payloads = bodies.map((body) => encodePayload(encodeBody(body), STAMP));
    let bytes = 0;
    const refused = payloads.findIndex((payload) => (bytes += payload.length) > room);
    const admitted = refused === -1 ? payloads.length : refused;
    for (const payload of payloads.slice(0, admitted)) this.log.push({ term: this.term, payload });
    this.largestBatch = Math.max(this.largestBatch, admitted);
    return admitted;
  }

  private apply(payload: Uint8Array, term: number): void {
    this.index += 1;
    const place = { index: this.index, term, prevTerm: term };
    this.applier.apply([{ ...place, type: 'command', payload, config: null, record: null }]);
  }
}
