// The thread that renews the leases of one client: a worker of Node with this package's own file.

import { Worker } from 'node:worker_threads';
import type { ThreadNews, ThreadOrder, ThreadOwner } from '../client/thread-messages.ts';
import type { RenewalThread, StartRenewalThread } from '../client/thread-messages.ts';
import { setImmediate } from './real-timers.ts';

/** What keeps no process alive: neither the thread nor what it has open. */
export const startRenewalThread: StartRenewalThread = (owner) => new WorkerThread(owner);

const PROGRAM = new URL('./renewal-worker.js', import.meta.url);

class WorkerThread implements RenewalThread {
  private readonly owner: ThreadOwner;
  private readonly worker: Worker | null = null;
  private isOver = false;

  constructor(owner: ThreadOwner) {
    this.owner = owner;
    try {
      this.worker = this.start();
    } catch (error) {
      // No thread can be had, or none may be (a permission of the process).
      setImmediate(() => this.ended(reasonOf(error)));
    }
  }

  post(order: ThreadOrder): void {
    this.worker?.postMessage(order);
  }

  end(): void {
    this.isOver = true;
    void this.worker?.terminate();
  }

  private start(): Worker {
    // Options of the process may be ones that a thread does not take, or load what it cannot.
    const worker = new Worker(PROGRAM, { name: 'holdfast renewals', execArgv: [], env: {} });
    worker.on('message', (news: ThreadNews) => {
      if (!this.isOver) this.owner.onNews(news);
    });
    worker.on('error', (error) => this.ended(reasonOf(error)));
    worker.on('exit', (code) => this.ended(`exit code ${code}`));
    worker.unref();
    return worker;
  }

  private ended(reason: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.owner.onEnded(reason);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
