import { expect, test } from 'vitest';
import { Adoption } from '../../src/node/adoption.ts';
import { silentLogger } from '../../src/ports/logger.ts';
import type { RaftMessage } from '../../src/raft/messages.ts';
import { FOUNDING, IncomingRig, machineWith } from './checkpoint-rig.ts';
import { ManualClock } from './manual-clock.ts';
import { LEADER, piecesOf } from './snapshot-rig.ts';

/** What a blank node answers to a whole checkpoint, and how often it took it for its own. */
function join(storeId: string, clusterId = FOUNDING.clusterId) {
  const clock = new ManualClock();
  const incoming = new IncomingRig(clock);
  const answers: RaftMessage[] = [];
  let adopted = 0;
  const adoption = new Adoption({
    self: { nodeId: 'n2', storeId },
    storage: {
      receive: (checkpoint) => incoming.receive(checkpoint),
      adopt: () => void adopted++,
    },
    clock,
    logger: silentLogger,
    isFounding: () => false,
    onAdopted: () => {},
    onFailed: () => {},
  });
  for (const part of piecesOf(machineWith(20))) {
    const message = { type: 'snapshotPart', term: 3, part, round: 1 } as const;
    adoption.visit({ from: LEADER, message, clusterId, answer: (said) => answers.push(said) });
    clock.turn();
  }
  return { answers, adopted };
}

test('J1 a blank node becomes a member by a state that names it with its directory', () => {
  const { answers, adopted } = join('store-2');
  expect(adopted).toBe(1);
  expect(answers.at(-1)).toMatchObject({ type: 'snapshotResponse', status: 'stored' });
});

test('INV-20 a state that names its node id with another directory is not its own', () => {
  const { answers, adopted } = join('store-of-a-wiped-one');
  expect(adopted).toBe(0);
  expect(answers.at(-1)).toMatchObject({ type: 'snapshotResponse', status: 'refused' });
});

test('a state of another cluster than that of its leader is refused', () => {
  const { answers, adopted } = join('store-2', 'f'.repeat(32));
  expect(adopted).toBe(0);
  expect(answers.at(-1)).toMatchObject({ type: 'snapshotResponse', status: 'refused' });
});
