// The code of docs/when-not-to-lock.md that needs no database.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { functionOf } from './declared.ts';
import { blocksOf, execute } from './snippets.ts';

const text = readFileSync(new URL('../../docs/when-not-to-lock.md', import.meta.url), 'utf8');
const [, mutex = '', refresh = '', charge = ''] = blocksOf(text, 'ts');

describe('docs/when-not-to-lock.md', () => {
  test('shows a mutex, without which a deposit would be lost', async () => {
    const balanceAfter = async (block: string): Promise<number> => {
      let balance = 0;
      const deposit = async (amount: number): Promise<void> => {
        const before = balance;
        await Promise.resolve();
        balance = before + amount;
      };
      await execute(block, { deposit });
      return balance;
    };
    expect(await balanceAfter(mutex)).toBe(15);
    expect(await balanceAfter(mutex.replace('last.then(work)', 'work()'))).toBe(5);
  });

  test('shows a mutex that goes on after a failure, which its caller sees', async () => {
    const [declared = ''] = mutex.split('const inTurn');
    const make = await functionOf(declared, 'mutex');
    const inTurn = await make();
    if (typeof inTurn !== 'function') throw new Error('no mutex');
    const failed = inTurn(() => Promise.reject(new Error('empty')));
    const next = inTurn(() => 'next');
    await expect(failed).rejects.toThrow('empty');
    expect(await next).toBe('next');
  });

  test('shows a refresh that is done by whoever comes first', async () => {
    let kept: { text: string; isOld: boolean } | null = null;
    const cache = {
      get: async () => kept,
      set: async (_key: string, text: string) => (kept = { text, isOld: false }),
    };
    const waits: number[] = [];
    const wait = async (ms: number): Promise<void> => void waits.push(ms);
    const run = await functionOf(refresh, 'refresh');
    const make = (text: string) => async (): Promise<string> => text;
    const first = await run({ cache, wait, make: make('first') });
    expect(await run({ cache, wait, make: make('second') })).toBe(first);
    expect(first).toMatchObject({ text: 'first' });
    // Two at the same moment do it twice, which harms nobody.
    kept = null;
    await Promise.all(['a', 'b'].map((each) => run({ cache, wait, make: make(each) })));
    expect(await cache.get()).toMatchObject({ isOld: false });
    expect(new Set(waits).size).toBeGreaterThan(1);
    expect(waits.every((ms) => ms >= 0 && ms <= 30_000)).toBe(true);
  });

  test('shows a charge that a provider books once, however often it is sent', async () => {
    const booked = new Map<unknown, number>();
    let requests = 0;
    const provider = createServer((request, response) => {
      requests += 1;
      const key = request.headers['idempotency-key'];
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const { amount }: { amount: number } = JSON.parse(Buffer.concat(parts).toString());
        if (!booked.has(key)) booked.set(key, amount);
        response.end(JSON.stringify({ charge: [...booked.keys()].indexOf(key) }));
      });
    });
    await new Promise<void>((done) => provider.listen(0, '127.0.0.1', done));
    onTestFinished(() => void provider.close());
    const bound = provider.address();
    const port = typeof bound === 'object' ? bound?.port : 0;
    const send = await functionOf(charge, 'charge', { provider: `http://127.0.0.1:${port}/` });
    const order = { id: 42, amount: 990 };
    const answers = await Promise.all([send(order), send(order)]);
    answers.push(await send({ id: 43, amount: 5 }));
    expect(answers).toEqual([{ charge: 0 }, { charge: 0 }, { charge: 1 }]);
    expect([requests, [...booked.values()]]).toEqual([3, [990, 5]]);
  });
});
