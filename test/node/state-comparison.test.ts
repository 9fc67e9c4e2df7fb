import { expect, test } from 'vitest';
import { Alarms } from '../../src/node/alarms.ts';
import { StateComparison } from '../../src/node/state-comparison.ts';
import type { HostExit } from '../../src/node/host-types.ts';

const self = {
  nodeId: 'n1',
  storeId: 's-n1',
  bootId: 'b',
  bootCount: 1,
  heartbeatMs: 50,
  electionMs: 500,
  commandSet: 2,
};

function comparison() {
  const alarms = new Alarms();
  const exits: HostExit[] = [];
  const quiet = (): void => {};
  const made = new StateComparison({
    self,
    voters: () =>
      ['n1', 'n2', 'n3'].map((nodeId) => ({ nodeId, storeId: `s-${nodeId}`, address: 'a:1' })),
    alarms,
    logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    broadcast: quiet,
    onFailed: (exit) => void exits.push(exit),
  });
  const hear = (nodeId: string, hash: string): void =>
    made.onPeer(
      { nodeId, storeId: `s-${nodeId}`, bootCount: 1 },
      { type: 'stateHash', index: 8, hash },
    );
  return { made, alarms, exits, hear };
}

test('INV-5 nobody can tell which state is right, until the third voter says its own', () => {
  const { made, alarms, exits, hear } = comparison();
  made.onOwn(8, 'right');
  hear('n2', 'wrong');
  expect(alarms.list()).toHaveLength(1);
  expect(alarms.list()[0]).toContain('no majority agrees');
  hear('n3', 'right');
  expect(alarms.list()).toHaveLength(1);
  expect(alarms.list()[0]).toContain('The state of n2 differed');
  expect(exits).toEqual([]);
});

test('INV-20 whoever differs from the majority ends, whenever it hears of it', () => {
  const { made, exits, hear } = comparison();
  hear('n2', 'right');
  hear('n3', 'right');
  made.onOwn(8, 'wrong');
  expect(exits).toMatchObject([{ exitCode: 88 }]);
});
