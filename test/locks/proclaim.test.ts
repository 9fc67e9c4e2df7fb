import { describe, expect, test } from 'vitest';
import { Rig, expectRefused, shared } from './rig.ts';

const DONE = { code: 'DONE' };

describe('proclaim', () => {
  test('replaces the value of a grant for all to see, in its row too', () => {
    const rig = new Rig();
    const client = rig.open();
    const token = rig.take(client, 'a', { value: 'first' });
    const before = rig.machine.stateHash();
    rig.machine.takeChanges();
    expect(rig.proclaim(client, { name: 'a', token, acquireSeq: 1 }, 'zweite ü')).toEqual(DONE);
    expect(rig.events).toEqual([
      {
        type: 'proclaimed',
        session: client.id,
        acquireSeq: 1,
        token,
        names: ['a'],
        value: 'zweite ü',
      },
    ]);
    expect(rig.machine.inspect('a').holders).toMatchObject([{ token, value: 'zweite ü' }]);
    const row = rig.machine.takeChanges().find(({ key }) => key.includes('/g/'));
    expect(row?.key).toBe('s/00000000000001/g/00000000000001');
    expect(row?.value).toMatchObject({ 3: 'zweite ü' });
    expect(rig.machine.stateHash()).not.toBe(before);
  });

  test('of the value that is there already is told like any other', () => {
    const rig = new Rig();
    const client = rig.open();
    const token = rig.take(client, 'a', { value: 'same' });
    expect(rig.proclaim(client, { name: 'a', token }, 'same')).toEqual(DONE);
    expect(rig.events).toMatchObject([{ type: 'proclaimed', value: 'same' }]);
  });

  test('INV-14 takes effect once, however often it arrives', () => {
    const rig = new Rig();
    const client = rig.open();
    const token = rig.take(client, 'a');
    rig.proclaim(client, { name: 'a', token }, 'one');
    const first = rig.index;
    rig.proclaim(client, { name: 'a', token }, 'two');
    expect(rig.repeat(first)).toEqual(DONE);
    expect(rig.events).toEqual([]);
    expect(rig.machine.inspect('a').holders[0]?.value).toBe('two');
  });

  test('is NOT_HOLDER for a waiter, for a grant that is over, and for one of somebody else', () => {
    const rig = new Rig();
    const [client, other] = [rig.open(), rig.open()];
    const token = rig.take(client, 'a', { value: 'mine' });
    rig.acquire(other, 'a', { value: 'waiting' });
    for (const acquireSeq of [undefined, 1]) {
      const grant = { name: 'a', token, ...(acquireSeq === undefined ? {} : { acquireSeq }) };
      expectRefused(rig.proclaim(other, grant, 'no'), 'NOT_HOLDER', /does not hold "a"/);
    }
    const waiting = { name: 'a', token: 0, acquireSeq: 1 };
    expectRefused(rig.proclaim(other, waiting, 'no'), 'NOT_HOLDER', /held with token/);
    const wrong = { name: 'b', token, acquireSeq: 1 };
    expectRefused(rig.proclaim(client, wrong, 'no'), 'NOT_HOLDER', /nobody holds it/);
    rig.release(client, 'a', token);
    expectRefused(rig.proclaim(client, { name: 'a', token }, 'no'), 'NOT_HOLDER', /held with/);
    expect(rig.machine.inspect('a').holders).toMatchObject([{ value: 'waiting' }]);
  });

  test('needs the acquire to be named when the session has several such grants', () => {
    const rig = new Rig();
    const [client, writer] = [rig.open(), rig.open()];
    const written = rig.take(writer, 'a');
    rig.acquire(client, 'a', shared('a'));
    rig.acquire(client, 'a', shared('a'));
    rig.release(writer, 'a', written);
    const grant = { name: 'a', token: rig.index };
    expectRefused(rig.proclaim(client, grant, 'v'), 'INVALID', /acquireSeq must be given/);
    expect(rig.proclaim(client, { ...grant, acquireSeq: 2 }, 'v')).toEqual(DONE);
    const values = rig.machine.inspect('a').holders.map((holder) => holder.value);
    expect(values).toEqual([null, 'v']);
  });

  test('carries a bounded text', () => {
    const rig = new Rig({ metaBytesMax: 8 });
    const client = rig.open({ meta: '' });
    const token = rig.take(client, 'a');
    const long = rig.proclaim(client, { name: 'a', token }, 'ü'.repeat(5));
    expectRefused(long, 'INVALID', /value may have at most 8 bytes; it has 10/);
    const odd = rig.proclaim(client, { name: 'a', token }, '\ud800');
    expectRefused(odd, 'INVALID', /value must be well-formed/);
    expect(rig.proclaim(client, { name: 'a', token }, 'ü'.repeat(4))).toEqual(DONE);
  });

  test('is refused by a full window, unlike what gives something back', () => {
    const rig = new Rig({ windowMax: 2 });
    const client = rig.open();
    client.ackedBelow = 1;
    client.seq = 1;
    const token = rig.take(client, 'a');
    const grant = { name: 'a', token };
    expect(rig.proclaim(client, grant, 'one')).toEqual(DONE);
    expect(rig.proclaim(client, grant, 'two')).toEqual(DONE);
    expectRefused(rig.proclaim(client, grant, 'three'), 'WINDOW', /raise ackedBelow/);
    expect(rig.release(client, 'a', token)).toEqual(DONE);
  });
});
