// Worker processes: each always has a few tasks, so that none waits for a message. Only the parent
// can tell that a run hangs: what loops without end inside one hears nothing any more.

import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { clearTimeout, setTimeout } from 'node:timers';
import { fileURLToPath } from 'node:url';
import { EXIT, Failure } from './command.ts';
import { isReport, isStage } from './protocol.ts';
import type { Report, Stage, Task } from './protocol.ts';

/** Tasks that a worker has at a time. */
const IN_FLIGHT = 4;

/**
 * Real time that a script may take, twice or once, and that shrinking may take: both take well
 * below half of it even on a busy machine.
 */
export const STAGE_MS_MAX = 30_000;

/** Real time until a process tells of its first stage: it has to start and to be loaded before. */
const START_MS_MAX = 120_000;

/** Where tasks come from and where reports go. */
export interface Employer {
  /** The next task; null when there are no more. */
  next(): Task | null;
  /** Nothing is to begin any more, not even what was handed out. */
  readonly isStopped: boolean;
  /** Told of all stages; false: nobody needs to know how it ends. */
  entered(stage: Stage): boolean;
  reported(report: Report): void;
  /** A worker died of it, or did not come back: `cause` goes on after "a run". */
  lost(task: Task, stage: Stage, cause: string): void;
}

/** Worker processes for a number of jobs. */
export class Crew {
  private readonly workers: readonly Worker[];

  constructor(employer: Employer, jobs: number, stageMsMax = STAGE_MS_MAX) {
    this.workers = Array.from({ length: jobs }, () => new Worker(employer, stageMsMax));
  }

  /** Works until there are no more tasks; then no process is left. */
  async work(): Promise<void> {
    try {
      await Promise.all(this.workers.map((worker) => worker.work()));
    } finally {
      this.end();
    }
  }

  /** Ends all processes at once, whatever they do. */
  end(): void {
    for (const worker of this.workers) worker.end();
  }
}

class Worker {
  private readonly employer: Employer;
  private readonly stageMsMax: number;
  private child: ChildProcess | null = null;
  /** The first is the one that runs. At most `IN_FLIGHT`. */
  private tasks: Task[] = [];
  private stage: Stage | null = null;
  private isEnded = false;
  private isLate = false;
  private timeout: NodeJS.Timeout | undefined;

  constructor(employer: Employer, stageMsMax: number) {
    this.employer = employer;
    this.stageMsMax = stageMsMax;
  }

  /** One process after the other, as long as they are lost and there is something to do. */
  async work(): Promise<void> {
    do {
      this.isLate = false;
      const ending = await this.employ();
      const limit = `did not end within ${this.stageMsMax / 1_000} s`;
      const cause = this.isLate ? limit : `ended its process (${ending})`;
      const { stage } = this;
      this.stage = null;
      const task = this.isEnded ? undefined : this.tasks.shift();
      if (task === undefined) return;
      if (stage?.number !== task.number) {
        throw new Failure(EXIT.internal, `INTERNAL: a worker without a run ${cause}`);
      }
      this.employer.lost(task, stage, cause);
    } while (!this.employer.isStopped);
  }

  end(): void {
    this.isEnded = true;
    this.child?.kill('SIGKILL');
  }

  /** Resolves with how the process ended. */
  private async employ(): Promise<string> {
    const program = fileURLToPath(new URL('./cli.js', import.meta.url));
    const child = fork(program, ['worker']);
    this.child = child;
    child.on('message', (message) => this.heard(message));
    const left = this.tasks;
    this.tasks = [];
    for (const task of left) this.give(child, task);
    this.refill(child);
    this.expectWithin(START_MS_MAX);
    try {
      return await new Promise((resolve, reject) => {
        child.once('error', reject);
        child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
      });
    } finally {
      clearTimeout(this.timeout);
      this.child = null;
    }
  }

  private heard(message: unknown): void {
    const { child } = this;
    if (this.isEnded || child === null) return;
    this.expectWithin(this.stageMsMax);
    if (isStage(message)) {
      this.stage = message;
      if (!this.employer.entered(message)) this.end();
    }
    if (!isReport(message)) return;
    this.tasks.shift();
    this.stage = null;
    this.employer.reported(message);
    if (this.employer.isStopped) this.end();
    else this.refill(child);
  }

  private expectWithin(ms: number): void {
    clearTimeout(this.timeout);
    this.timeout = setTimeout(() => {
      this.isLate = true;
      this.child?.kill('SIGKILL');
    }, ms);
  }

  private refill(child: ChildProcess): void {
    while (this.tasks.length < IN_FLIGHT) {
      const task = this.employer.next();
      if (task === null) break;
      this.give(child, task);
    }
    if (this.tasks.length === 0 && child.connected) child.disconnect();
  }

  private give(child: ChildProcess, task: Task): void {
    this.tasks.push(task);
    // What cannot be sent any more is told by the end of the process.
    child.send(task, () => {});
  }
}
