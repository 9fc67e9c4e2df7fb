import { expect, test } from 'vitest';
import { Crowd } from '../../src/locks/crowd.ts';
import { LockTable } from '../../src/locks/lock-table.ts';
import { Claim, Request, Session } from '../../src/locks/state.ts';
import { acquireCommand, openCommand, permits } from './rig.ts';

test('G3 a semaphore that is never free remembers nobody who left', () => {
  const item = permits('s', 2, 5);
  const session = new Session(1, openCommand(0));
  const client = { id: session.id, seq: 0, ackedBelow: 0 };
  const request = new Request(session, 2, acquireCommand(client, [], { items: [item] }));
  const claim = new Claim(request, new LockTable().obtain('s'), item);
  const crowd = new Crowd(item);
  crowd.addHolder(claim);
  expect(crowd.slotsOf(claim)).toEqual([0, 1]);
  crowd.removeHolder(claim);
  expect(crowd.slotsOf(claim)).toEqual([]);
});
