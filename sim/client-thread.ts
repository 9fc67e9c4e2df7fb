// The thread that renews a client's leases, as another event loop of the same simulated process.

import { RenewalProgram } from '../src/client/thread-program.ts';
import type {
  RenewalThread,
  StartRenewalThread,
  ThreadNews,
  ThreadOrder,
  ThreadOwner,
} from '../src/client/thread-messages.ts';
import type { Transport } from '../src/ports/transport.ts';
import type { ProcessPorts, ThreadPorts } from './world/ports.ts';

/** It takes so long until a thread runs its program. */
const START_US = 30_000;
/** Between threads a message takes so long. */
const MESSAGE_US = 20;

/** Lets a client start its thread in this life; `onStarted` is told of it. */
export function threadStarter(
  ports: ProcessPorts,
  tap: (transport: Transport) => Transport,
  onStarted: (thread: SimThread) => void,
): StartRenewalThread {
  return (owner) => {
    const thread = new SimThread(ports, tap, owner);
    onStarted(thread);
    return thread;
  };
}

/** See the head of this file. */
export class SimThread implements RenewalThread {
  private readonly main: ProcessPorts;
  private readonly own: ThreadPorts;
  private readonly owner: ThreadOwner;
  private readonly program: RenewalProgram;
  private readonly startedUs: number;
  private isOver = false;

  constructor(main: ProcessPorts, tap: (transport: Transport) => Transport, owner: ThreadOwner) {
    this.main = main;
    this.own = main.beginThread();
    this.owner = owner;
    this.startedUs = main.life.nowUs() + START_US;
    const { clock, random, transport } = this.own;
    const tell = (news: ThreadNews): void => this.tell(() => owner.onNews(news));
    this.program = new RenewalProgram({ clock, random, transport: tap(transport), tell });
  }

  post(order: ThreadOrder): void {
    const { life } = this.own;
    const atUs = Math.max(this.startedUs, life.nowUs() + MESSAGE_US);
    const run = (): void => this.program.onOrder(order);
    life.schedule(atUs, { kind: 'message', lane: 'orders', run });
  }

  end(): void {
    this.isOver = true;
    this.main.endThread(this.own.life);
  }

  /** It fails, and its client learns of it. False when it had ended before. */
  fail(): boolean {
    if (this.isOver || !this.own.life.isAlive) return false;
    this.main.endThread(this.own.life);
    this.tell(() => this.owner.onEnded('the simulated thread failed'));
    return true;
  }

  private tell(run: () => void): void {
    const { life } = this.main;
    const work = { kind: 'message', lane: 'news', run: () => void (this.isOver || run()) } as const;
    life.schedule(life.nowUs() + MESSAGE_US, work);
  }
}
