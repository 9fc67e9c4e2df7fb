import { expect, test } from 'vitest';
import { refuseRequest } from '../../src/node/admission.ts';
import type { CommandBody } from '../../src/wire/command.ts';
import { encodeBody } from '../../src/wire/command.ts';
import { pack } from '../../src/wire/msgpack.ts';
import { DEFAULT_LIMITS } from '../../src/locks/commands.ts';
import { DEFAULT_RAFT_SETTINGS } from '../../src/raft/events.ts';
import { OfficeRig } from './office-rig.ts';

type AcquireBody = Extract<CommandBody, { readonly op: 'acquire' }>;

const LEADS = { isLeading: true, isBelowReserve: false };

function acquire(nameCount: number, metaBytes: number): AcquireBody {
  const items = Array.from({ length: nameCount }, (_, at) => ({
    name: `${at}`.padEnd(DEFAULT_LIMITS.nameBytesMax, 'n'),
    mode: 'exclusive' as const,
    permits: null,
  }));
  const meta = 'm'.repeat(metaBytes);
  return { op: 'acquire', session: '1-a', seq: 1, items, waitMs: null, meta, value: null };
}

function codeOf(body: CommandBody): string | null {
  return refuseRequest(encodeBody(body), LEADS)?.outcome.code ?? null;
}

test('a request that would not fit an Append with its entry is refused before it is appended', () => {
  expect(codeOf(acquire(1, DEFAULT_RAFT_SETTINGS.appendBytesMax))).toBe('INVALID');
  expect(codeOf(acquire(1, 100_000))).toBe('INVALID');
});

test('the largest request that the cluster can grant is admitted', () => {
  const { namesPerRequestMax, metaBytesMax } = DEFAULT_LIMITS;
  expect(codeOf(acquire(namesPerRequestMax, metaBytesMax))).toBe(null);
});

test('INV-13 M-55 what belongs to the leader, or cannot be read, is refused to a client', () => {
  const ofLeader: readonly CommandBody[] = [
    { op: 'expireSession', session: '1-a', proposerTerm: 1 },
    { op: 'withdraw', session: '1-a', acquireSeq: 1, proposerTerm: 1 },
    { op: 'liftDelay', name: 'a', closedAt: 7, proposerTerm: 1 },
    { op: 'liftEmbargo', proposerTerm: 1, afterName: null },
    { op: 'setLimits', limits: DEFAULT_LIMITS, by: 'anybody' },
  ];
  for (const each of ofLeader) expect([each.op, codeOf(each)]).toEqual([each.op, 'INVALID']);
  expect(refuseRequest(new Uint8Array([0xc1]), LEADS)?.outcome.code).toBe('INVALID');
});

test('a nearly full disk refuses what grows, and lets through what frees', () => {
  const state = { isLeading: true, isBelowReserve: true };
  const release = {
    op: 'release',
    session: '1-a',
    seq: 2,
    name: 'n',
    acquireSeq: null,
    token: 7,
  } as const;
  const election = { op: 'proclaim', session: '1-a', seq: 2, name: 'n', acquireSeq: 1 } as const;
  const proclaim = { ...election, token: 7, value: 'v' };
  for (const growth of [acquire(1, 10), proclaim]) {
    expect(refuseRequest(encodeBody(growth), state)?.outcome.code).toBe('OVERLOADED');
    expect(codeOf(growth)).toBe(null);
  }
  expect(refuseRequest(encodeBody(release), state)).toBe(null);
});

test('a request for more permits than the row of its grant could hold is refused', () => {
  const take = (count: number, each: number): AcquireBody => {
    const body = acquire(count, DEFAULT_LIMITS.metaBytesMax);
    const items = body.items.map((item) => ({ ...item, permits: [each, 1_000_000] as const }));
    return { ...body, items, value: 'v'.repeat(DEFAULT_LIMITS.metaBytesMax) };
  };
  expect(codeOf(take(5, 1_000))).toBe('INVALID');
  expect(codeOf(take(64, 65))).toBe('INVALID');
  const largest = take(64, 64);
  expect(codeOf(largest)).toBe(null);

  const rig = new OfficeRig();
  rig.lead(1);
  const session = rig.open(null);
  expect(rig.run({ ...largest, session }).code).toBe('GRANTED');
  const grant = rig.machine.takeChanges().find(({ key }) => key.includes('/g/'));
  const { key, value } = grant ?? { key: '', value: null };
  const slots = Array.from({ length: 64 }, () => Array.from({ length: 64 }, () => 999_999));
  expect(value).toHaveLength(8);
  const row = pack([key, Array.isArray(value) ? [...value.slice(0, 7), slots] : null]);
  expect(row.length).toBeLessThanOrEqual(64 * 1024);
});
