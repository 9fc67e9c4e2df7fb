// Entry file of the thread that renews leases: joins the program with the adapters.

import { parentPort } from 'node:worker_threads';
import type { ThreadOrder } from '../client/thread-messages.ts';
import { RenewalProgram } from '../client/thread-program.ts';
import { createSystemClock } from './system-clock.ts';
import { createSystemRandom } from './system-random.ts';
import { createWsTransport } from './ws-transport.ts';

const program = new RenewalProgram({
  clock: createSystemClock(),
  random: createSystemRandom(),
  transport: createWsTransport({}),
  tell: (news) => parentPort?.postMessage(news),
});
parentPort?.on('message', (order: ThreadOrder) => program.onOrder(order));
