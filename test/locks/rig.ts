// A lock machine with a log of its own: each call appends one entry and checks the invariants.

import { expect } from 'vitest';
import type {
  Acquire,
  Command,
  OpenSession,
  ReplicatedLimits,
  RequestItem,
} from '../../src/locks/commands.ts';
import { DEFAULT_LIMITS } from '../../src/locks/commands.ts';
import { createLockMachine } from '../../src/locks/machine.ts';
import type { LockMachine } from '../../src/locks/machine-types.ts';
import type { LockEvent, Outcome } from '../../src/locks/outcomes.ts';

const TERM = 3;

export interface Entry {
  readonly index: number;
  readonly term: number;
  readonly command: Command;
}

/** Numbers its requests and acknowledges nothing unless told. */
export interface Client {
  readonly id: string;
  seq: number;
  ackedBelow: number;
}

export class Rig {
  readonly machine: LockMachine;
  /** By index; a restore leaves a gap. */
  readonly log: (Entry | undefined)[] = [];
  /** Events of the last entry. */
  events: readonly LockEvent[] = [];
  index = 0;
  private nonces = 0;

  constructor(limits: Partial<ReplicatedLimits> = {}) {
    this.machine = createLockMachine({ ...DEFAULT_LIMITS, ...limits });
  }

  apply(command: Command, term = TERM): Outcome {
    this.index++;
    this.log[this.index - 1] = { index: this.index, term, command };
    const { outcome, events } = this.machine.apply(this.index, term, command);
    this.events = events;
    this.machine.checkInvariants();
    return outcome;
  }

  open(parts: Partial<OpenSession> = {}): Client {
    const outcome = this.apply(openCommand(this.nonces++, parts));
    if (outcome.code !== 'OPENED') throw new Error(JSON.stringify(outcome));
    return { id: outcome.session, seq: 0, ackedBelow: 0 };
  }

  /** A new acquire of one or several names; waits without limit unless told. */
  acquire(
    client: Client,
    names: string | readonly string[],
    parts: Partial<Acquire> = {},
  ): Outcome {
    return this.apply(acquireCommand(client, names, parts));
  }

  /** Acquires and expects the grant; gives its token. */
  take(client: Client, names: string | readonly string[], parts: Partial<Acquire> = {}): number {
    const outcome = this.acquire(client, names, parts);
    if (outcome.code !== 'GRANTED') throw new Error(JSON.stringify(outcome));
    return outcome.token;
  }

  release(client: Client, name: string, token: number, acquireSeq: number | null = null): Outcome {
    return this.apply({ op: 'release', ...numbered(client), name, token, acquireSeq });
  }

  proclaim(
    client: Client,
    grant: { name: string; token: number; acquireSeq?: number },
    value: string,
  ): Outcome {
    return this.apply({ op: 'proclaim', ...numbered(client), acquireSeq: null, ...grant, value });
  }

  /** Ends the delay of a name that the entry with this index closed. */
  lift(name: string, closedAt: number, proposerTerm = TERM): Outcome {
    return this.apply({ op: 'liftDelay', name, closedAt, proposerTerm });
  }

  /** The state becomes that of a restored cluster, at the next index. */
  restore(embargoMs: number): void {
    this.index++;
    this.machine.becomeRestored(this.index, embargoMs);
    this.machine.checkInvariants();
  }

  liftEmbargo(afterName: string | null, proposerTerm = TERM): Outcome {
    return this.apply({ op: 'liftEmbargo', proposerTerm, afterName });
  }

  /** As many entries as it takes. */
  liftAll(): void {
    for (let held = this.machine.embargo(); held !== null; held = this.machine.embargo()) {
      this.liftEmbargo(held.cursor);
    }
  }

  /** The limits in force, but for these. */
  setLimits(limits: Partial<ReplicatedLimits>): Outcome {
    const changed = { ...this.machine.limits(), ...limits };
    return this.apply({ op: 'setLimits', limits: changed, by: 'ops' });
  }

  cancel(client: Client, acquireSeq: number): Outcome {
    return this.apply({ op: 'cancel', ...numbered(client), acquireSeq });
  }

  close(client: Client): Outcome {
    return this.apply({ op: 'closeSession', ...numbered(client) });
  }

  expire(client: Client, proposerTerm = TERM): Outcome {
    return this.apply({ op: 'expireSession', session: client.id, proposerTerm });
  }

  withdraw(client: Client, acquireSeq: number, proposerTerm = TERM): Outcome {
    return this.apply({ op: 'withdraw', session: client.id, acquireSeq, proposerTerm });
  }

  breakLock(name: string, token: number, session: string | null = null): Outcome {
    return this.apply({ op: 'break', name, token, session, by: 'ops', reason: 'stuck' });
  }

  endSession(client: Client): Outcome {
    return this.apply({ op: 'endSession', session: client.id, by: 'ops', reason: 'gone' });
  }

  /** Applies the entry at this index of the log once more, as a late duplicate. */
  repeat(index: number): Outcome {
    const entry = this.log[index - 1];
    if (entry === undefined) throw new Error(`no entry ${index}`);
    return this.apply(entry.command);
  }

  holders(name: string): readonly string[] {
    return this.machine.inspect(name).holders.map((holder) => holder.session);
  }

  tokens(name: string): readonly number[] {
    return this.machine.inspect(name).holders.map((holder) => holder.token);
  }

  /** Slots of each holder, in the order of holders. */
  slots(name: string): readonly (readonly number[])[] {
    return this.machine.inspect(name).holders.map((holder) => holder.slots);
  }

  waiters(name: string): readonly string[] {
    return this.machine.inspect(name).waiters.map((waiter) => waiter.session);
  }
}

/** The next number of a client, with a hash that is its own. */
export function numbered(client: Client): {
  session: string;
  seq: number;
  ackedBelow: number;
  bodyHash: number;
} {
  client.seq++;
  const { id: session, seq, ackedBelow } = client;
  return { session, seq, ackedBelow, bodyHash: seq * 1_000 };
}

export function openCommand(nonce: number, parts: Partial<OpenSession> = {}): OpenSession {
  return {
    op: 'openSession',
    nonce: String(nonce).padStart(16, 'n'),
    ttlMs: 15_000,
    lockDelayMs: 0,
    name: 'worker',
    meta: '{"pid":1}',
    stampMs: 1_000,
    ...parts,
  };
}

export function acquireCommand(
  client: Client,
  names: string | readonly string[],
  parts: Partial<Acquire> = {},
): Acquire {
  const list = typeof names === 'string' ? [names] : names;
  return {
    op: 'acquire',
    ...numbered(client),
    items: list.map((name) => ({ name, mode: 'exclusive', permits: null })),
    waitMs: null,
    meta: '{}',
    value: null,
    stampMs: 2_000,
    ...parts,
  };
}

/** Items for an acquire that wants names shared. */
export function shared(...names: readonly string[]): { readonly items: Acquire['items'] } {
  return { items: names.map((name) => ({ name, mode: 'shared', permits: null })) };
}

/** The item of a semaphore. */
export function permits(name: string, taken: number, total: number): RequestItem {
  return { name, mode: 'exclusive', permits: [taken, total] };
}

/** Expects a refusal with this code whose text matches. */
export function expectRefused(outcome: Outcome, code: Outcome['code'], text: RegExp): void {
  expect(outcome.code).toBe(code);
  expect('message' in outcome ? outcome.message : '').toMatch(text);
}
