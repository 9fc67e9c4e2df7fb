import { describe, expect, test } from 'vitest';
import { LockModel } from '../../sim/oracle/model.ts';
import { MachineOracle } from '../../sim/oracle/machine.ts';
import { Verdict } from '../../sim/oracle/verdict.ts';
import type { OracleName } from '../../sim/oracle/verdict.ts';
import type { Command, RequestItem } from '../../src/locks/commands.ts';
import { DEFAULT_LIMITS } from '../../src/locks/commands.ts';
import { createLockMachine } from '../../src/locks/machine.ts';
import type { Applied, LockEvent } from '../../src/locks/outcomes.ts';

const TERM = 3;
type Lie = (truth: Applied, index: number) => Applied;

const ALONE: RequestItem = { name: 'a', mode: 'exclusive', permits: null };
const SHARED: RequestItem = { name: 'a', mode: 'shared', permits: null };
const permits = (taken: number, total = 3): RequestItem => {
  return { name: 'a', mode: 'exclusive', permits: [taken, total] };
};

/** A log whose entries the real machine applies, until somebody lies about one of them. */
class Log {
  readonly verdict = new Verdict(() => 0);
  private readonly oracle = new MachineOracle({
    verdict: this.verdict,
    model: new LockModel(DEFAULT_LIMITS),
  });
  private readonly machine = createLockMachine(DEFAULT_LIMITS);
  private index = 0;
  private seq = 0;

  apply(command: Command, lie: Lie = (truth) => truth): Applied {
    this.index++;
    const told = lie(this.machine.apply(this.index, TERM, command), this.index);
    this.oracle.replay({ index: this.index, term: TERM, atUs: 0 }, command, told);
    return told;
  }

  open(lockDelayMs = 0): string {
    const nonce = `${this.index}`.padStart(16, '0');
    const rest = { ttlMs: 10_000, lockDelayMs, name: '', meta: '', stampMs: 0 };
    const { outcome } = this.apply({ op: 'openSession', nonce, ...rest });
    return outcome.code === 'OPENED' ? outcome.session : '';
  }

  /** A session of its own takes this, or waits for it; gives the session. */
  take(item: RequestItem, { delayMs = 0, lie }: { delayMs?: number; lie?: Lie } = {}): string {
    const session = this.open(delayMs);
    const seq = ++this.seq;
    const rest = { ackedBelow: 0, bodyHash: seq, meta: '', value: null, stampMs: 0 };
    this.apply({ op: 'acquire', session, seq, items: [item], waitMs: null, ...rest }, lie);
    return session;
  }

  expire(session: string, lie?: Lie): number {
    this.apply({ op: 'expireSession', session, proposerTerm: TERM }, lie);
    return this.index;
  }

  close(session: string, lie?: Lie): void {
    const seq = ++this.seq;
    this.apply({ op: 'closeSession', session, seq, ackedBelow: 0, bodyHash: seq }, lie);
  }

  lift(closedAt: number, lie?: Lie): void {
    this.apply({ op: 'liftDelay', name: 'a', closedAt, proposerTerm: TERM }, lie);
  }
}

function without(type: LockEvent['type']): Lie {
  return ({ outcome, events }) => ({
    outcome,
    events: events.filter((event) => event.type !== type),
  });
}

/** The request that was to wait is granted at once. */
function grantedWith(slots: readonly (readonly number[])[]): Lie {
  return ({ events }, token) => ({
    outcome: { code: 'GRANTED', token, slots },
    events: events.map((event): LockEvent => {
      if (event.type !== 'queued') return event;
      const { session, acquireSeq, names } = event;
      return { type: 'granted', session, acquireSeq, names, token, slots, value: null };
    }),
  });
}

/** The same grant, with other slots. */
function withSlots(slots: readonly (readonly number[])[]): Lie {
  return ({ outcome, events }) => ({
    outcome: outcome.code === 'GRANTED' ? { ...outcome, slots } : outcome,
    events: events.map((event) => (event.type === 'granted' ? { ...event, slots } : event)),
  });
}

const LIES: readonly (readonly [OracleName, string, (log: Log) => void])[] = [
  [
    'INV-15',
    'a writer beside a reader',
    (log) => {
      log.take(SHARED);
      log.take(ALONE, { lie: grantedWith([]) });
    },
  ],
  [
    'INV-19',
    'a reader that passes a writer who waits',
    (log) => {
      log.take(SHARED);
      log.take(ALONE);
      log.take(SHARED, { lie: grantedWith([]) });
    },
  ],
  [
    'LIV-6',
    'readers who stay outside though a writer gave up (M-71)',
    (log) => {
      log.take(SHARED);
      const writer = log.take(ALONE);
      log.take(SHARED);
      log.close(writer, without('granted'));
    },
  ],
  [
    'INV-15',
    'more permits than there are',
    (log) => {
      log.take(permits(2));
      log.take(permits(2), { lie: grantedWith([[1, 2]]) });
    },
  ],
  [
    'INV-15',
    'a slot that another has',
    (log) => {
      log.take(permits(1));
      log.take(permits(1), { lie: withSlots([[0]]) });
    },
  ],
  [
    'INV-15',
    'a slot that is not the lowest',
    (log) => void log.take(permits(1), { lie: withSlots([[2]]) }),
  ],
  [
    'INV-12',
    'permits of another total than the one in force',
    (log) => {
      log.take(permits(1));
      log.take(permits(1, 4), {
        lie: () => ({ outcome: { code: 'QUEUED', ahead: 0 }, events: [] }),
      });
    },
  ],
  [
    'INV-17',
    'an expiry without the delay that was asked for',
    (log) => void log.expire(log.take(ALONE, { delayMs: 500 }), without('delayed')),
  ],
  [
    'LIV-6',
    'a delay after a clean close',
    (log) =>
      log.close(log.take(ALONE, { delayMs: 500 }), ({ outcome, events }, closedAt) => {
        const ghost = { session: '1-x', acquireSeq: 1, token: 2, name: 'a', closedAt };
        return { outcome, events: [...events, { type: 'delayed', ...ghost, delayMs: 500 }] };
      }),
  ],
  [
    'INV-15',
    'a grant while a delay closes the lock',
    (log) => {
      log.expire(log.take(ALONE, { delayMs: 500 }));
      log.take(ALONE, { lie: grantedWith([]) });
    },
  ],
  [
    'LIV-6',
    'a delay that is over and closes the lock still',
    (log) => {
      const closedAt = log.expire(log.take(ALONE, { delayMs: 500 }));
      log.take(ALONE);
      log.lift(closedAt, without('granted'));
    },
  ],
  [
    'INV-17',
    'a delay that another one ends',
    (log) => {
      const closedAt = log.expire(log.take(ALONE, { delayMs: 500 }));
      log.lift(closedAt - 1, ({ outcome }) => {
        const ghost = { session: '1-x', acquireSeq: 1, token: 2, name: 'a', closedAt };
        return { outcome, events: [{ type: 'lifted', ...ghost, cause: 'over', reason: '' }] };
      });
    },
  ],
];

describe('the oracle of the lock machine, for all forms', () => {
  test.each(LIES)('%s is broken by %s', (oracle, _, tell) => {
    const log = new Log();
    tell(log);
    expect(log.verdict.violation?.oracle, log.verdict.violation?.message).toBe(oracle);
  });

  test('nothing is broken by what is right of each form', () => {
    const log = new Log();
    const closedAt = log.expire(log.take(SHARED, { delayMs: 500 }));
    log.take(SHARED);
    const writer = log.take(ALONE);
    log.lift(closedAt);
    log.close(writer);
    expect(log.verdict.violation).toBeNull();
  });
});
