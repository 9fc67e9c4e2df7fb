import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LockModel } from '../../sim/oracle/model.ts';
import { MachineOracle } from '../../sim/oracle/machine.ts';
import { Verdict } from '../../sim/oracle/verdict.ts';
import type { OracleName } from '../../sim/oracle/verdict.ts';
import type { Command, ReplicatedLimits } from '../../src/locks/commands.ts';
import { DEFAULT_LIMITS } from '../../src/locks/commands.ts';
import { createLockMachine } from '../../src/locks/machine.ts';
import type { Applied, LockEvent, Outcome } from '../../src/locks/outcomes.ts';
import { drafts, resolve } from '../locks/random-log.ts';

const TERM = 3;
const DONE: Outcome = { code: 'DONE' };

/** A log whose entries the real machine applies, until somebody lies about one of them. */
class Log {
  readonly verdict = new Verdict(() => 0);
  readonly oracle: MachineOracle;
  readonly machine;
  private index = 0;
  private seq = 0;

  constructor(limits: ReplicatedLimits = DEFAULT_LIMITS) {
    this.oracle = new MachineOracle({ verdict: this.verdict, model: new LockModel(limits) });
    this.machine = createLockMachine(limits);
  }

  /** `lie` says what is told of the entry. */
  apply(command: Command, lie: (truth: Applied, index: number) => Applied = same): Applied {
    this.index++;
    const truth = this.machine.apply(this.index, TERM, command);
    const told = lie(truth, this.index);
    this.oracle.replay({ index: this.index, term: TERM, atUs: 0 }, command, told);
    return told;
  }

  open(ttlMs: number | null = 10_000): string {
    const nonce = `${this.index}`.padStart(16, '0');
    const common = { lockDelayMs: 0, name: '', meta: '', stampMs: 0 };
    const { outcome } = this.apply({ op: 'openSession', nonce, ttlMs, ...common });
    return outcome.code === 'OPENED' ? outcome.session : '';
  }

  acquire(session: string, name: string, waitMs: number | null = null): Command {
    const seq = ++this.seq;
    const items = [{ name, mode: 'exclusive', permits: null }] as const;
    const common = { ackedBelow: 0, bodyHash: seq, meta: '', value: null, stampMs: 0 };
    return { op: 'acquire', session, seq, items, waitMs, ...common };
  }

  /** Takes the lock, or waits for it; gives the number of the request. */
  take(session: string, name: string): number {
    this.apply(this.acquire(session, name));
    return this.seq;
  }

  release(session: string, name: string, token: number): Command {
    const seq = ++this.seq;
    const common = { acquireSeq: null, ackedBelow: 0, bodyHash: seq };
    return { op: 'release', session, seq, name, token, ...common };
  }
}

function same(truth: Applied): Applied {
  return truth;
}

function granted(session: string, acquireSeq: number, token: number, name = 'a'): LockEvent {
  return { type: 'granted', session, acquireSeq, token, names: [name], slots: [], value: null };
}

function freed(session: string, acquireSeq: number, token: number): LockEvent {
  const facts = { session, acquireSeq, token, names: ['a'], reason: '' };
  return { type: 'freed', cause: 'released', ...facts };
}

interface Lie {
  readonly oracle: OracleName;
  readonly what: string;
  readonly tell: (log: Log) => void;
}

const LIES: readonly Lie[] = [
  {
    oracle: 'INV-14',
    what: 'a request that is executed a second time (M-82)',
    tell: (log) => {
      const session = log.open();
      const acquire = log.acquire(session, 'a');
      const { outcome } = log.apply(acquire);
      log.apply(log.release(session, 'a', outcome.code === 'GRANTED' ? outcome.token : 0));
      log.apply(acquire, (_, token) => ({
        outcome: { code: 'GRANTED', token, slots: [] },
        events: [granted(session, 1, token)],
      }));
    },
  },
  {
    oracle: 'INV-14',
    what: 'a retry that is answered otherwise',
    tell: (log) => {
      const acquire = log.acquire(log.open(), 'a');
      log.apply(acquire);
      log.apply(acquire, () => ({ outcome: DONE, events: [] }));
    },
  },
  {
    oracle: 'INV-15',
    what: 'a second holder',
    tell: (log) => {
      log.take(log.open(), 'a');
      const session = log.open();
      log.apply(log.acquire(session, 'a'), (_, token) => ({
        outcome: { code: 'GRANTED', token, slots: [] },
        events: [granted(session, 2, token)],
      }));
    },
  },
  {
    oracle: 'INV-15',
    what: 'a release that frees the grant of another (M-62, M-74)',
    tell: (log) => {
      const holder = log.open();
      log.take(holder, 'a');
      const other = log.open();
      log.apply(log.release(other, 'a', 2), () => {
        return { outcome: DONE, events: [freed(holder, 1, 2)] };
      });
    },
  },
  {
    oracle: 'INV-15',
    what: 'a grant to a session that has ended (M-58)',
    tell: (log) => {
      const holder = log.open();
      log.take(holder, 'a');
      const session = log.open();
      log.apply({ op: 'endSession', session, by: '', reason: '' });
      log.apply(log.release(holder, 'a', 2), ({ outcome, events }, token) => ({
        outcome,
        events: [...events, granted(session, 9, token)],
      }));
    },
  },
  {
    oracle: 'INV-16',
    what: 'a token of another kind than the index of its entry (M-56)',
    tell: (log) => {
      const session = log.open();
      log.apply(log.acquire(session, 'a'), () => ({
        outcome: { code: 'GRANTED', token: 1, slots: [] },
        events: [granted(session, 1, 1)],
      }));
    },
  },
  {
    oracle: 'INV-17',
    what: 'an expiry of an earlier leader that takes effect (M-55)',
    tell: (log) => {
      const session = log.open();
      log.apply({ op: 'expireSession', session, proposerTerm: TERM - 1 }, () => {
        return {
          outcome: DONE,
          events: [{ type: 'sessionEnded', session, cause: 'expired', reason: '' }],
        };
      });
    },
  },
  {
    oracle: 'INV-17',
    what: 'an expiry of a session without TTL that is in use (M-83)',
    tell: (log) => {
      const session = log.open(null);
      log.take(session, 'a');
      log.apply({ op: 'expireSession', session, proposerTerm: TERM }, () => {
        return {
          outcome: DONE,
          events: [{ type: 'sessionEnded', session, cause: 'expired', reason: '' }],
        };
      });
    },
  },
  {
    oracle: 'INV-17',
    what: 'a withdrawal that returns a grant (M-72)',
    tell: (log) => {
      const session = log.open();
      const acquireSeq = log.take(session, 'a');
      log.apply({ op: 'withdraw', session, acquireSeq, proposerTerm: TERM }, () => {
        return { outcome: DONE, events: [freed(session, acquireSeq, 2)] };
      });
    },
  },
  {
    oracle: 'INV-18',
    what: 'a session that ends and leaves something behind',
    tell: (log) => {
      const session = log.open();
      log.take(session, 'a');
      log.apply({ op: 'endSession', session, by: '', reason: '' }, ({ outcome, events }) => {
        return { outcome, events: events.filter((event) => event.type !== 'freed') };
      });
    },
  },
  {
    oracle: 'INV-19',
    what: 'a grant to who has waited less long (M-57)',
    tell: (log) => {
      const holder = log.open();
      log.take(holder, 'a');
      log.take(log.open(), 'a');
      const last = log.open();
      const acquireSeq = log.take(last, 'a');
      log.apply(log.release(holder, 'a', 2), ({ outcome, events }, token) => ({
        outcome,
        events: events.map((event) => {
          return event.type === 'granted' ? granted(last, acquireSeq, token) : event;
        }),
      }));
    },
  },
  {
    oracle: 'LIV-6',
    what: 'a waiter that is left waiting (M-71)',
    tell: (log) => {
      const holder = log.open();
      log.take(holder, 'a');
      log.take(log.open(), 'a');
      log.apply(log.release(holder, 'a', 2), ({ outcome, events }) => {
        return { outcome, events: events.filter((event) => event.type !== 'granted') };
      });
    },
  },
  {
    oracle: 'INV-12',
    what: 'an answer that is not true',
    tell: (log) => {
      log.take(log.open(), 'a');
      const acquire = log.acquire(log.open(), 'a', 0);
      log.apply(acquire, (truth) => ({
        outcome: { code: 'LOCK_BUSY', name: 'a', holder: null, ghost: null, aheadIndex: 1 },
        events: truth.events,
      }));
    },
  },
];

describe('the oracle of the lock machine', () => {
  test.each(LIES)('$oracle is broken by $what', ({ oracle, tell }) => {
    const log = new Log();
    tell(log);
    expect(log.verdict.violation?.oracle, log.verdict.violation?.message).toBe(oracle);
  });

  test('INV-19 is not broken by the waiter whose turn it is', () => {
    const log = new Log();
    const holder = log.open();
    log.take(holder, 'a');
    const next = log.open();
    log.take(next, 'a');
    const granted: string[] = [];
    log.oracle.follow({ onGranted: ({ session, token }) => granted.push(`${session} ${token}`) });
    log.apply(log.release(holder, 'a', 2));
    expect(log.verdict.violation).toBeNull();
    expect(granted).toEqual([`${next} 5`]);
  });

  test('nothing is broken by any log that the machine applies', () => {
    fc.assert(
      fc.property(drafts, (list) => {
        const log = new Log({ ...DEFAULT_LIMITS, windowMax: 4, holdingsPerSessionMax: 7 });
        const commands: Command[] = [];
        for (const draft of list) {
          const command = resolve(draft, log.machine, commands, TERM);
          commands.push(command);
          log.apply(command);
          expect(log.verdict.violation).toBeNull();
        }
      }),
      { numRuns: 400, seed: 14 },
    );
  });
});
