import { describe, expect, test } from 'vitest';
import type { HelloContext } from '../../src/node/handshake.ts';
import { refuseHello } from '../../src/node/handshake.ts';
import type { PeerHello } from '../../src/wire/peer-messages.ts';

const member = (nodeId: string) => ({ nodeId, storeId: `store-${nodeId}`, address: 'a:1' });

const context: HelloContext = {
  self: {
    nodeId: 'n1',
    storeId: 'store-n1',
    bootId: 'boot-1',
    bootCount: 4,
    heartbeatMs: 50,
    electionMs: 500,
    commandSet: 2,
  },
  clusterId: 'c1',
  config: {
    voters: [member('n1'), member('n2'), member('n3')],
    votersOutgoing: [],
    learners: [],
    learnersNext: [],
    retired: [],
  },
  committed: null,
  expected: null,
  knownBoot: null,
};

const hello: PeerHello = {
  type: 'peerHello',
  versionMin: 1,
  versionMax: 1,
  clusterId: 'c1',
  nodeId: 'n2',
  storeId: 'store-n2',
  bootId: 'boot-2',
  bootCount: 7,
  connectionEpoch: 1,
  heartbeatMs: 50,
  electionMs: 500,
  commandSet: 2,
};

const fail = (): never => {
  throw new Error('the context has a configuration');
};

const codeOf = (change: Partial<PeerHello>, other: Partial<HelloContext> = {}): string | null =>
  refuseHello({ ...hello, ...change }, { ...context, ...other })?.code ?? null;

describe('the handshake of nodes', () => {
  test('accepts a member of the cluster as it is known', () => {
    expect(codeOf({})).toBe(null);
    expect(codeOf({}, { expected: 'n2' })).toBe(null);
  });

  test('M-67 refuses another cluster', () => {
    expect(codeOf({ clusterId: 'c2' })).toBe('OTHER_CLUSTER');
  });

  test('R-72 tells a node at the door that the committed configuration retired it', () => {
    const config = { ...(context.config ?? fail()), retired: ['n4'] };
    const committed = { index: 77, config };
    const refusal = refuseHello(
      { ...hello, nodeId: 'n4', storeId: 's4' },
      { ...context, committed },
    );
    expect(refusal).toMatchObject({ code: 'REMOVED', configIndex: 77 });
    expect(refusal?.message).toContain('new node id');
    expect(codeOf({ nodeId: 'n4', storeId: 's4' })).toBe(null);
    expect(codeOf({}, { committed })).toBe(null);
  });

  test('INV-20 refuses a known name with another directory, and says what to do', () => {
    const refusal = refuseHello({ ...hello, storeId: 'fresh' }, context);
    expect(refusal?.code).toBe('OTHER_STORE');
    expect(refusal?.message).toContain('new node id');
    expect(codeOf({ storeId: 'fresh', clusterId: null })).toBe('OTHER_STORE');
  });

  test('refuses an answer from somebody else than the one dialled, and from itself', () => {
    expect(codeOf({ nodeId: 'n3', storeId: 'store-n3' }, { expected: 'n2' })).toBe('UNKNOWN_NODE');
    expect(codeOf({ nodeId: 'n1', storeId: 'store-n1' })).toBe('SELF');
  });

  test('refuses other versions and other intervals, with both values', () => {
    expect(codeOf({ versionMin: 2, versionMax: 3 })).toBe('VERSION');
    const refusal = refuseHello({ ...hello, electionMs: 1_000 }, context);
    expect(refusal?.code).toBe('INTERVALS');
    expect(refusal?.message).toMatch(/1000.*500/);
  });

  test('a newer boot is welcome; an older one, or a twin of the same count, is a clone', () => {
    const knownBoot = { bootId: 'boot-2', bootCount: 7 };
    expect(codeOf({}, { knownBoot })).toBe(null);
    expect(codeOf({ bootCount: 8, bootId: 'x' }, { knownBoot })).toBe(null);
    expect(codeOf({ bootId: 'x' }, { knownBoot })).toBe('CLONED');
    expect(codeOf({ bootCount: 6, bootId: 'boot-2' }, { knownBoot })).toBe('CLONED');
  });

  test('a node that is not in the configuration is heard: a voter may not know it yet', () => {
    expect(codeOf({ nodeId: 'n9', storeId: 'store-n9' })).toBe(null);
  });
});
