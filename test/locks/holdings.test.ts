import { expect, test } from 'vitest';
import { UNNUMBERED_SEQ_MIN } from '../../src/locks/commands.ts';
import { Rig, permits, shared } from './rig.ts';

test('a session that is resumed is told what it holds and waits for, page by page', () => {
  const rig = new Rig({ windowMax: 100 });
  const [client, other] = [rig.open(), rig.open()];
  const busy = rig.take(other, 'b');
  const first = rig.take(client, ['a', 'c'], { value: 'v' });
  rig.acquire(client, 'b');
  const third = rig.take(client, [], { items: [permits('s', 2, 3)] });
  const fourth = rig.take(client, 'r', shared('r'));
  const gone = rig.take(client, 'x');
  rig.release(client, 'x', gone);
  const common = { mode: 'exclusive', slots: [], value: null };
  const all = [
    { ...common, acquireSeq: 1, token: first, names: ['a', 'c'], value: 'v' },
    { ...common, acquireSeq: 2, token: 0, names: ['b'] },
    { ...common, acquireSeq: 3, token: third, names: ['s'], slots: [[0, 1]] },
    { ...common, acquireSeq: 4, token: fourth, names: ['r'], mode: 'shared' },
  ];
  const page = (after: number, limit: number) => rig.machine.holdings(client.id, after, limit);
  expect(page(0, 10)).toEqual({ holdings: all, hasMore: false, nextSeq: 107 });
  expect(page(0, 2)).toEqual({ holdings: all.slice(0, 2), hasMore: true, nextSeq: 107 });
  expect(page(2, 2)).toEqual({ holdings: all.slice(2), hasMore: false, nextSeq: 107 });
  rig.release(other, 'b', busy);
  expect(page(1, 1)?.holdings).toMatchObject([{ acquireSeq: 2, token: rig.index }]);
  expect(rig.machine.holdings('1-nobody', 0, 10)).toBeNull();
});

test('the next number lies above all that the client can have used, unnumbered ones aside', () => {
  const rig = new Rig({ windowMax: 10 });
  const client = rig.open();
  const nextSeq = () => rig.machine.holdings(client.id, 0, 10)?.nextSeq;
  expect(nextSeq()).toBe(11);
  client.ackedBelow = 50;
  client.seq = 50;
  const token = rig.take(client, 'a');
  expect(nextSeq()).toBe(62);
  rig.release(client, 'a', token);
  expect(nextSeq()).toBe(63);
  client.seq = UNNUMBERED_SEQ_MIN;
  rig.take(client, 'b');
  expect(nextSeq()).toBe(63);
});
