import { describe, expect, test } from 'vitest';
import { LeaseClock } from '../../src/node/lease-clock.ts';
import { Leases } from '../../src/node/leases.ts';
import { Reads } from '../../src/node/reads.ts';
import { ManualClock } from './manual-clock.ts';

const STALL_US = 250_000;
const TTL_MS = 1_000;
const TICK_US = 25_000;

/** Leases of one session `s`, with the quorum's answers and the log's admission in our hands. */
function setUp() {
  const clock = new ManualClock();
  const leaseClock = new LeaseClock(0, STALL_US);
  const asked: number[] = [];
  const expired: string[] = [];
  const known = new Map<string, number | null>();
  const answers: string[] = [];
  const state = { admits: true };
  const reads = new Reads({
    ask: (id) => asked.push(id),
    soon: (callback) => clock.soon(callback),
  });
  const leases = new Leases({
    clock,
    leaseClock,
    reads,
    ttlMsOf: (session) => known.get(session),
    expire: (sessions) => {
      if (!state.admits) return 0;
      expired.push(...sessions);
      return sessions.length;
    },
  });
  const tick = (byUs: number): void => {
    for (let left = byUs; left > 0; left -= TICK_US) {
      clock.advance(Math.min(left, TICK_US));
      leaseClock.tick(clock.nowUs);
      leases.test();
    }
  };
  const confirm = (isConfirmed: boolean): void => {
    clock.turn();
    reads.settle(asked.splice(0), isConfirmed);
  };
  const open = (ttlMs: number | null = TTL_MS): void => {
    known.set('s', ttlMs);
    leases.opened('s', ttlMs ?? 15_000);
  };
  const lead = (): void => {
    leases.becomeLeader(1);
    leases.becomeReady();
  };
  const keepAlive = (): void =>
    leases.keepAlive('s', (code, ttlMs) => answers.push(`${code} ${String(ttlMs)}`));
  return {
    clock,
    leases,
    asked,
    expired,
    known,
    answers,
    state,
    tick,
    confirm,
    open,
    lead,
    keepAlive,
  };
}

describe('expiry', () => {
  test('R-80f a silent session is expired after its TTL, not before', () => {
    const s = setUp();
    s.lead();
    s.open();
    s.tick(TTL_MS * 1_000 - TICK_US);
    expect(s.expired).toEqual([]);
    s.tick(2 * TICK_US);
    expect(s.expired).toEqual(['s']);
  });

  test('R-80c M-54 a new leader starts every lease when its no-op is applied', () => {
    const s = setUp();
    s.open();
    s.tick(10 * TTL_MS * 1_000);
    s.lead();
    s.tick(TTL_MS * 1_000 - TICK_US);
    expect(s.expired).toEqual([]);
    s.tick(2 * TICK_US);
    expect(s.expired).toEqual(['s']);
  });

  test('R-80b M-55 nobody but a ready leader expires, and a deposed one forgets what was due', () => {
    const s = setUp();
    s.open();
    s.tick(5 * TTL_MS * 1_000);
    s.leases.becomeLeader(1);
    s.tick(5 * TTL_MS * 1_000);
    s.leases.stepDown();
    s.tick(5 * TTL_MS * 1_000);
    expect(s.expired).toEqual([]);
  });

  test('R-80b a mark is forgotten with the office: when it is won again, the session may renew', () => {
    const s = setUp();
    s.lead();
    s.open();
    s.tick(TTL_MS * 1_000);
    expect(s.expired).toEqual(['s']);
    s.leases.stepDown();
    s.lead();
    s.keepAlive();
    s.confirm(true);
    expect(s.answers).toEqual(['OK 1000']);
  });

  test('a session that its expiry spared is expired again when it stays silent', () => {
    const s = setUp();
    s.lead();
    s.open();
    s.tick(TTL_MS * 1_000);
    s.leases.spared('s');
    s.tick(TICK_US);
    expect(s.expired).toEqual(['s', 's']);
  });

  test('M-76 a refused expiry is tried again, and renewals work meanwhile', () => {
    const s = setUp();
    s.lead();
    s.open();
    s.state.admits = false;
    s.tick(TTL_MS * 1_000 + 2 * TICK_US);
    s.keepAlive();
    s.confirm(true);
    expect(s.answers).toEqual([`OK ${TTL_MS}`]);
    s.state.admits = true;
    s.tick(TTL_MS * 1_000 + 2 * TICK_US);
    expect(s.expired).toEqual(['s']);
  });

  test('M-83 a session without TTL expires only before its first command', () => {
    const s = setUp();
    s.lead();
    s.open(null);
    s.leases.lifted('s');
    s.tick(60_000_000);
    expect(s.expired).toEqual([]);
    const unused = setUp();
    unused.lead();
    unused.open(null);
    unused.tick(15_000_000 + 2 * TICK_US);
    expect(unused.expired).toEqual(['s']);
  });

  test('a session that is held open here does not expire, and has a whole TTL afterwards', () => {
    const s = setUp();
    s.lead();
    s.open();
    const release = s.leases.holdOpen('s');
    s.tick(5.4 * TTL_MS * 1_000);
    release();
    release();
    s.tick(TTL_MS * 1_000 - TICK_US);
    expect(s.expired).toEqual([]);
    s.tick(2 * TICK_US);
    expect(s.expired).toEqual(['s']);
  });
});

describe('keepalive', () => {
  test('R-80a M-53 is answered OK only after a quorum round', () => {
    const s = setUp();
    s.lead();
    s.open();
    s.keepAlive();
    expect(s.answers).toEqual([]);
    s.confirm(true);
    expect(s.answers).toEqual([`OK ${TTL_MS}`]);
    s.keepAlive();
    s.confirm(false);
    expect(s.answers.at(-1)).toBe('NOT_LEADER null');
  });

  test('extends the lease at once, when it comes', () => {
    const s = setUp();
    s.lead();
    s.open();
    s.tick(TTL_MS * 900);
    s.keepAlive();
    s.tick(TTL_MS * 900);
    expect(s.expired).toEqual([]);
  });

  test('E#14758 of a session that is being expired waits, and then tells that it is gone', () => {
    const s = setUp();
    s.lead();
    s.open();
    s.keepAlive();
    s.tick(TTL_MS * 1_000 + 2 * TICK_US);
    expect(s.expired).toEqual(['s']);
    s.confirm(true);
    expect(s.answers).toEqual([]);
    s.known.delete('s');
    s.leases.ended('s');
    s.confirm(true);
    expect(s.answers).toEqual(['SESSION_GONE null']);
  });

  test('M-77 of an unknown session is answered after a round, not before', () => {
    const s = setUp();
    s.lead();
    s.keepAlive();
    expect(s.answers).toEqual([]);
    s.confirm(true);
    expect(s.answers).toEqual(['SESSION_GONE null']);
  });

  test('waits for a leader that is not ready, and is refused when leadership is lost', () => {
    const s = setUp();
    s.open();
    s.leases.becomeLeader(3);
    s.keepAlive();
    s.confirm(true);
    expect(s.answers).toEqual([]);
    s.leases.stepDown();
    expect(s.answers).toEqual(['NOT_LEADER null']);
  });

  test('E#15247 a round that is confirmed after the office was lost and won again says nothing', () => {
    const s = setUp();
    s.lead();
    s.open();
    s.keepAlive();
    s.clock.turn();
    s.leases.stepDown();
    s.leases.becomeLeader(2);
    s.leases.becomeReady();
    s.confirm(true);
    expect(s.answers).toEqual(['NOT_LEADER null']);
  });
});
