import { describe, expect, test } from 'vitest';
import { Founding, originAt } from '../../src/node/founding.ts';
import { DEFAULT_LIMITS } from '../../src/locks/commands.ts';
import type { QueryResult } from '../../src/wire/client-messages.ts';
import type { FoundingRecord } from '../../src/wire/founding-record.ts';
import { ManualClock } from './manual-clock.ts';

const members = [{ nodeId: 'n1', storeId: 's1', address: '127.0.0.1:7101' }];
const mint = {
  step: 'mint' as const,
  clusterName: 'test',
  members,
  limits: DEFAULT_LIMITS,
  origin: null,
};

/** A founding whose write to disk completes when told. */
function setUp(record: FoundingRecord | null = null) {
  let seed = 0;
  const written: FoundingRecord[] = [];
  const pending: (() => void)[] = [];
  const state = { isAdopting: false };
  const pieces: { sequence: number; done: (result: FoundingRecord | string | null) => void }[] = [];
  const founding = new Founding(
    {
      nodeId: 'n1',
      storeId: 's1',
      clock: new ManualClock(),
      random: { u32: () => ++seed },
      found: (wanted, done) => {
        written.push(wanted);
        pending.push(() =>
          done({ ok: false, exit: { exitCode: 85, message: 'disk', isDiskFull: false } }),
        );
      },
      onFounded: () => {},
      restore: (piece, done) => pieces.push({ sequence: piece.sequence, done }),
      isAdopting: () => state.isAdopting,
    },
    record,
  );
  const ask = (step: Parameters<Founding['handle']>[0]): QueryResult[] => {
    const results: QueryResult[] = [];
    founding.handle(step, (result) => results.push(result));
    return results;
  };
  return { founding, written, pending, ask, state, pieces };
}

const known: FoundingRecord = {
  clusterId: 'c1',
  clusterName: 'test',
  members,
  limits: DEFAULT_LIMITS,
  origin: 0,
  restored: null,
};

describe('founding', () => {
  test('INV-16 a log starts above every index that an older one can have reached', () => {
    const day = 86_400_000;
    const newYear = 1_767_225_600_000;
    expect(originAt(newYear)).toBe(0);
    expect(originAt(newYear + 1_000)).toBe(2 ** 20);
    expect(originAt(newYear + 2 * day) - originAt(newYear + day)).toBe(86_400 * 2 ** 20);
    expect(originAt(newYear + 272 * 365 * day)).toBeLessThan(2 ** 53);
  });

  test('a blank node says so, and does not count as founded before the disk has it', () => {
    const { ask, founding } = setUp();
    expect(ask({ step: 'ask' })).toMatchObject([{ kind: 'founding', state: 'blank' }]);
    expect(ask(mint)).toEqual([]);
    expect(founding.founded).toBe(null);
    expect(ask({ step: 'ask' })).toMatchObject([{ state: 'blank' }]);
  });

  test('minting twice writes one record', () => {
    const { ask, written } = setUp();
    ask(mint);
    ask(mint);
    expect(written).toHaveLength(1);
    expect(written[0]?.clusterId).toMatch(/^[0-9a-f]{32}$/);
  });

  test('the same record again is done already; a different one is refused', () => {
    const { ask } = setUp(known);
    expect(ask({ step: 'found', record: known })).toMatchObject([{ state: 'founded' }]);
    expect(ask({ step: 'found', record: { ...known, clusterId: 'c2' } })).toMatchObject([
      { kind: 'refused', code: 'CLUSTER_CHANGED' },
    ]);
    expect(ask(mint)).toMatchObject([{ state: 'founded', record: known }]);
  });

  test('INV-20 a record that names another directory is refused', () => {
    const { ask, written } = setUp();
    const record = { ...known, members: [{ nodeId: 'n1', storeId: 'wiped', address: 'a:1' }] };
    expect(ask({ step: 'found', record })).toMatchObject([{ kind: 'refused' }]);
    expect(written).toEqual([]);
  });

  test('a failed write is told, never taken for success', () => {
    const { ask, pending } = setUp();
    const results = ask(mint);
    pending[0]?.();
    expect(results).toMatchObject([{ kind: 'refused', message: 'disk' }]);
    expect(ask({ step: 'ask' })).toMatchObject([{ state: 'blank', record: null }]);
  });
});

describe('founding by a restore', () => {
  const mintRestored = (index: number, tokenFloor: number | null) => ({
    step: 'mintRestored' as const,
    clusterName: 'test',
    members,
    limits: DEFAULT_LIMITS,
    backup: { index, term: 7 },
    tokenFloor,
  });
  const part = { step: 'restorePart' as const, isLast: false, content: new Uint8Array(1) };

  test('J2 INV-16 the origin lies above the backup, the clock and the floor, whichever is higher', () => {
    const { ask } = setUp();
    const clockOrigin = originAt(new ManualClock().wallMs());
    const originOf = (index: number, tokenFloor: number | null): number | null => {
      const [result] = ask(mintRestored(index, tokenFloor));
      return result?.kind === 'founding' ? (result.record?.origin ?? null) : null;
    };
    expect(originOf(clockOrigin - 5, null)).toBe(clockOrigin);
    expect(originOf(clockOrigin + 5, 1)).toBe(clockOrigin + 6);
    expect(originOf(clockOrigin - 5, clockOrigin + 77)).toBe(clockOrigin + 78);
  });

  test('J2 a clock at or below the backup is refused unless the operator names a floor', () => {
    const { ask } = setUp();
    const clockOrigin = originAt(new ManualClock().wallMs());
    const [result] = ask(mintRestored(clockOrigin, null));
    expect(result).toMatchObject({ kind: 'refused', code: 'INVALID' });
    expect(JSON.stringify(result)).toContain(String(clockOrigin));
  });

  test('J2 every restore makes a cluster of its own, and keeps nothing before the state came', () => {
    const { ask, founding } = setUp();
    const ids = [1, 2].map(() => {
      const [result] = ask(mintRestored(0, 9));
      return result?.kind === 'founding' ? result.record?.clusterId : null;
    });
    expect(new Set(ids).size).toBe(2);
    expect(founding.founded).toBe(null);
  });

  test('a piece is answered when it is stored, the last one with the record in force', () => {
    const { ask, pieces, founding } = setUp();
    const first = ask({ ...part, sequence: 0 });
    expect(first).toEqual([]);
    pieces[0]?.done(null);
    expect(first).toMatchObject([{ kind: 'founding', state: 'blank' }]);
    const last = ask({ ...part, sequence: 1, isLast: true });
    pieces[1]?.done(known);
    expect(last).toMatchObject([{ kind: 'founding', state: 'founded', record: known }]);
    expect(founding.founded).toEqual(known);
  });

  test('what is wrong with a piece reaches the restorer, and a member takes none and says so', () => {
    const { ask, pieces } = setUp();
    const refused = ask({ ...part, sequence: 0 });
    pieces[0]?.done('its rows sum up to another value');
    expect(refused).toMatchObject([{ kind: 'refused', code: 'INVALID' }]);
    const member = setUp(known);
    expect(member.ask({ ...part, sequence: 0 })).toMatchObject([
      { state: 'founded', record: known },
    ]);
    expect(member.pieces).toEqual([]);
    expect(setUp(known).ask(mintRestored(0, 9))).toMatchObject([{ state: 'founded' }]);
  });

  test('J1 what comes while a node joins a cluster waits, and is told what came of it', () => {
    const { ask, state, written, pieces, founding } = setUp();
    state.isAdopting = true;
    const same = ask({ step: 'found', record: known });
    const other = ask({ step: 'found', record: { ...known, clusterId: 'c2' } });
    const others = [ask(mint), ask(mintRestored(0, 9)), ask({ ...part, sequence: 0 })];
    expect(ask({ step: 'ask' })).toMatchObject([{ kind: 'founding', state: 'blank' }]);
    expect([same, other, ...others].flat()).toEqual([]);
    state.isAdopting = false;
    founding.adopted(known);
    expect(same).toMatchObject([{ kind: 'founding', state: 'founded', record: known }]);
    expect(other).toMatchObject([{ kind: 'refused', code: 'CLUSTER_CHANGED' }]);
    for (const each of others) expect(each).toMatchObject([{ state: 'founded', record: known }]);
    expect([written, pieces]).toEqual([[], []]);
  });

  test('init after a restore that was cut off is told to let the restore go on', () => {
    const { ask, written } = setUp();
    const restored = { index: 5, term: 2, embargoMs: 0, rowSum: 'feed0000feed0000' };
    const [result] = ask({ step: 'found', record: { ...known, restored } });
    expect(result).toMatchObject({ kind: 'refused', code: 'CLUSTER_CHANGED' });
    expect(JSON.stringify(result)).toContain('holdfast restore');
    expect(written).toEqual([]);
  });

  test('no more steps wait than there is room for', () => {
    const { ask, state } = setUp();
    state.isAdopting = true;
    const all = Array.from({ length: 300 }, () => ask(mint));
    const refused = all.filter(([result]) => result?.kind === 'refused');
    expect(refused).toHaveLength(300 - 256);
    expect(refused[0]).toMatchObject([{ code: 'UNAVAILABLE' }]);
  });
});
