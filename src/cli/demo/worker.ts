// A worker of the story, a process of its own: takes the lock, looks whether it holds it, and
// writes. Between the look and the write it waits to be told, so that it can be stopped there for
// certain; it does not look again, as no program can that is stopped after its last look.

import { connect } from '../../index.ts';
import type { Grant } from '../../index.ts';
import { HoldfastError } from '../../base/error.ts';
import { silentLogger } from '../../ports/logger.ts';
import { isRecord, readPlan, report } from './messages.ts';
import type { Order, StockWrite, WorkerPlan } from './messages.ts';

const CONNECT_MS = 30_000;

async function main(plan: WorkerPlan): Promise<void> {
  const { nodes, name, ttlMs } = plan;
  const client = await connect({
    ...{ nodes, name, ttlMs },
    ...{ connectMs: CONNECT_MS, logger: silentLogger },
  });
  const mayAcquire = ordered('acquire');
  const mayWrite = ordered('write');
  report('ready');
  await mayAcquire;
  const grant = await client.lock(plan.lock).acquire({ waitMs: Infinity });
  grant.signal.addEventListener('abort', () => {
    const reason: unknown = grant.signal.reason;
    const text = HoldfastError.is(reason) ? reason.code : String(reason);
    report('told', { token: grant.token, text });
  });
  report('granted', { token: grant.token });
  grant.assertHeld();
  report('looked', { token: grant.token });
  await mayWrite;
  await write(plan, grant);
}

async function write({ url, name }: WorkerPlan, { token }: Grant): Promise<void> {
  const body: StockWrite = { value: name, token };
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  const answer: unknown = await response.json();
  const facts = isRecord(answer) ? answer : {};
  const { seen, message } = facts;
  report('answered', {
    ...{ token, isTaken: response.ok },
    seen: typeof seen === 'number' ? seen : 0,
    text: typeof message === 'string' ? message : '',
  });
}

function ordered(order: Order): Promise<void> {
  return new Promise((resolve) => {
    process.on('message', (message) => {
      if (message === order) resolve();
    });
  });
}

process.on('disconnect', () => process.exit(1));
await main(readPlan(process.argv[2]));
