// Names without number are locked and freed, in all forms: not a row, not a count, not a byte of
// the heap may stay. HOLDFAST_NAMES=1000000 tries as many.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/locks/commands.ts';
import type { Command, RequestItem } from '../../src/locks/commands.ts';
import { createLockMachine } from '../../src/locks/machine.ts';
import type { LockMachine } from '../../src/locks/machine-types.ts';
import type { Outcome } from '../../src/locks/outcomes.ts';
import { openCommand, permits, shared } from './rig.ts';

const NAMES = Number(process.env['HOLDFAST_NAMES'] ?? 200_000);
/** Locked at the same time. */
const ROUND = 1_000;
const GROWTH_BYTES_MAX = 2_000_000;
const LOCK_DELAY_MS = 500;

test('G3 a free lock leaves no trace: no row, no count, no byte', { timeout: 600_000 }, () => {
  const crowd = new Crowd();
  const { machine } = crowd;
  const emptyHash = machine.stateHash();
  crowd.open();
  for (let round = 0; round < 20; round++) crowd.round();
  const beforeBytes = heapBytes();
  machine.takeChanges();

  for (let names = 0; names < NAMES; names += ROUND) crowd.round();

  expect(crowd.refused).toEqual([]);
  expect(machine.lockCount()).toBe(0);
  expect(machine.list('', '', 10)).toEqual([]);
  const keys = machine.takeChanges().map(({ key }) => key);
  expect(keys.filter((key) => !/^s\/\w+(\/r\/\w+)?$/.test(key))).toEqual([]);
  expect(heapBytes() - beforeBytes).toBeLessThan(GROWTH_BYTES_MAX);
  expect(crowd.forms).toEqual(new Set(FORMS));
  expect(crowd.waited).toBeGreaterThan(NAMES / 10);
  crowd.close();
  expect(machine.sessionCount()).toBe(0);
  expect(machine.stateHash()).toBe(emptyHash);
});

const FORMS = ['exclusive', 'shared', 'semaphore', 'several', 'haunted'] as const;
type Form = (typeof FORMS)[number];

/** Some sessions that lock names of random forms, in rounds, and free them in another order. */
class Crowd {
  readonly machine: LockMachine = createLockMachine(DEFAULT_LIMITS);
  readonly forms = new Set<Form>();
  readonly refused: Outcome[] = [];
  waited = 0;
  private sessions: string[] = [];
  private seq = 0;
  private index = 0;
  private nonces = 0;
  private random = 1;

  open(): void {
    this.sessions = [0, 1, 2].map(() => this.opened(0));
  }

  /** Takes a round of names, lets others wait for them, and gives everything back. */
  round(): void {
    const ends: (() => void)[] = [];
    for (let turn = 0; turn < ROUND; turn++) {
      const form = FORMS[this.draw(FORMS.length)] ?? 'exclusive';
      this.forms.add(form);
      // An expiry needs a session of its own, which costs more: one of ten will do.
      ends.push(form === 'haunted' && turn % 10 === 0 ? this.haunt() : this.take(form));
    }
    while (ends.length > 0) {
      const at = this.draw(ends.length);
      const last = ends.pop();
      const end = at < ends.length ? ends[at] : last;
      if (at < ends.length && last !== undefined) ends[at] = last;
      end?.();
    }
  }

  close(): void {
    for (const session of this.sessions) {
      this.apply({ op: 'closeSession', ...this.numbered(session) });
    }
  }

  /** Takes names for one session; another one waits, and gives up or is granted in the end. */
  private take(form: Form): () => void {
    const items = this.items(form);
    const [holder, waiter] = [this.session(0), this.session(1)];
    const held = this.acquire(holder, items);
    const waits = this.draw(3) > 0 ? this.acquire(waiter, items) : null;
    return () => {
      this.giveBack(holder, held, items);
      if (waits !== null) this.giveBack(waiter, waits, items);
    };
  }

  /** A session that expires, and leaves a ghost behind until its delay is lifted. */
  private haunt(): () => void {
    const session = this.opened(LOCK_DELAY_MS);
    const items = this.items('several');
    this.acquire(session, items);
    this.apply({ op: 'expireSession', session, proposerTerm: 1 });
    const closedAt = this.index;
    return () => {
      for (const { name } of items) {
        this.apply({ op: 'liftDelay', name, closedAt, proposerTerm: 1 });
      }
    };
  }

  private items(form: Form): readonly RequestItem[] {
    const name = `lock/${this.draw(2 ** 32).toString(36)}/${this.index.toString(36)}`;
    const alone = [{ name, mode: 'exclusive', permits: null }] as const;
    switch (form) {
      case 'shared':
        return shared(name).items;
      case 'semaphore':
        return [permits(name, 3, 5)];
      case 'several':
        return [...alone, ...shared(`${name}/ü`).items, permits(`${name}/s`, 2, 1_000_000)];
      default:
        return alone;
    }
  }

  private acquire(session: string, items: readonly RequestItem[]): number {
    const common = { waitMs: null, meta: '{}', value: null, stampMs: 0 };
    const command = { op: 'acquire', ...this.numbered(session), items, ...common } as const;
    const outcome = this.apply(command);
    if (outcome.code === 'QUEUED') this.waited++;
    else if (outcome.code !== 'GRANTED') this.refused.push(outcome);
    return command.seq;
  }

  /** By release if it is a grant by now, and every third one by cancel, grant or not. */
  private giveBack(session: string, acquireSeq: number, items: readonly RequestItem[]): void {
    const token = this.machine.tokenOf(session, acquireSeq);
    const name = items[0]?.name ?? '';
    const own = { ...this.numbered(session), acquireSeq };
    const isCancelled = token === 0 || this.draw(3) === 0;
    const command = isCancelled
      ? ({ op: 'cancel', ...own } as const)
      : ({ op: 'release', ...own, name, token } as const);
    const outcome = this.apply(command);
    if (outcome.code !== 'DONE') this.refused.push(outcome);
  }

  private opened(lockDelayMs: number): string {
    const outcome = this.apply(openCommand(this.nonces++, { lockDelayMs }));
    if (outcome.code !== 'OPENED') throw new Error(JSON.stringify(outcome));
    return outcome.session;
  }

  private session(at: number): string {
    return this.sessions[at] ?? '';
  }

  private numbered(session: string) {
    const seq = ++this.seq;
    return { session, seq, ackedBelow: seq, bodyHash: seq };
  }

  private apply(command: Command) {
    return this.machine.apply(++this.index, 1, command).outcome;
  }

  private draw(limit: number): number {
    this.random = (Math.imul(this.random, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.random / 2 ** 32) * limit);
  }
}

function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('no gc');
  for (let pass = 0; pass < 3; pass++) collect();
  return process.memoryUsage().heapUsed;
}
