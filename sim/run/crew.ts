// Worker processes: each always has a few tasks, so that none waits for a message.

import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { clearTimeout, setTimeout } from 'node:timers';
import { fileURLToPath } from 'node:url';
import { isReport } from './protocol.ts';
import type { Report, Task } from './protocol.ts';

/** Tasks that a worker has at a time. */
const IN_FLIGHT = 4;

/** A task takes well below a second of work; with shrinking, ten. Machines may be busy. */
const TASK_MS_MAX = 300_000;

/** Where tasks come from and where reports go. */
export interface Employer {
  /** The next task; null when there are no more. */
  next(): Task | null;
  reported(report: Report): void;
  /** A worker died of it, or did not come back. */
  lost(task: Task, cause: string): void;
}

/** Works until there are no more tasks, or no more workers. */
export async function employ(employer: Employer, jobs: number): Promise<void> {
  const workers = Array.from({ length: jobs }, () => new Worker(employer));
  try {
    await Promise.all(workers.map((worker) => worker.done));
  } finally {
    for (const worker of workers) worker.end();
  }
}

class Worker {
  readonly done: Promise<void>;
  private readonly child: ChildProcess;
  private readonly employer: Employer;
  /** The first is the one that runs. At most `IN_FLIGHT`. */
  private readonly tasks: Task[] = [];
  private timeout: NodeJS.Timeout | undefined;

  constructor(employer: Employer) {
    this.employer = employer;
    const program = fileURLToPath(new URL('./cli.js', import.meta.url));
    this.child = fork(program, ['worker']);
    this.done = new Promise((resolve, reject) => {
      this.child.once('error', reject);
      this.child.once('exit', (code, signal) => {
        this.ended(signal ?? `exit code ${code}`);
        resolve();
      });
    });
    this.child.on('message', (message) => this.heard(message));
    this.refill();
  }

  end(): void {
    if (this.child.exitCode === null) this.child.kill();
  }

  private ended(cause: string): void {
    clearTimeout(this.timeout);
    const [task] = this.tasks;
    if (task !== undefined) this.employer.lost(task, cause);
  }

  private heard(message: unknown): void {
    if (!isReport(message)) return;
    this.tasks.shift();
    this.employer.reported(message);
    this.refill();
  }

  private refill(): void {
    clearTimeout(this.timeout);
    this.timeout = setTimeout(() => this.child.kill('SIGKILL'), TASK_MS_MAX);
    while (this.tasks.length < IN_FLIGHT) {
      const task = this.employer.next();
      if (task === null) break;
      this.tasks.push(task);
      this.child.send(task);
    }
    if (this.tasks.length === 0 && this.child.connected) this.child.disconnect();
  }
}
