import { expect, test } from 'vitest';
import { Lab, tokenIn } from './linear-lab.ts';

/** LINEAR_OPS=1000000 for the large one. */
const OPERATIONS = Number(process.env['LINEAR_OPS'] ?? 20_000);
const CLIENTS = 50;

test('INV-12 judges a long history in time that grows with its length', () => {
  const lab = new Lab();
  const clients = Array.from({ length: CLIENTS }, (_, at) => lab.client(`c${at}`));
  const look = { kind: 'inspect', name: 'k0' } as const;
  for (let done = 0; done < OPERATIONS; done += 3) {
    const client = clients[done % CLIENTS];
    if (client === undefined) break;
    const name = `k${done % CLIENTS}`;
    client.acknowledgeAll();
    const grant = client.call(client.acquire([name]));
    client.answer(client.ask(look), lab.look(look));
    client.call(client.release(name, tokenIn(grant)));
  }
  const before = process.cpuUsage();
  expect(lab.misfit()).toBeNull();
  const { user } = process.cpuUsage(before);
  const count = lab.history.operations.length;
  console.log(`certificate of ${count} operations: ${Math.round(user / 1_000)} ms of CPU time`);
});
