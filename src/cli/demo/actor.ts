// A process of the story, which ends with us: its reports can be awaited, and it can be stopped.

import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { EXIT, Failure } from '../exit-code.ts';
import { readReport } from './messages.ts';
import type { Milestone, Order, Report } from './messages.ts';

/** How a process is started. */
export interface ActorPlan {
  /** For people. */
  readonly name: string;
  /** The module that it runs, beside this one. */
  readonly program: './worker.js' | './database.js';
  /** Its only argument. */
  readonly argument: string;
  /** See deathSignalPrefix. */
  readonly prefix: readonly string[];
  /** Where its errors go; read if it ends too early. */
  readonly logFile: string;
}

/** Until each next report; far beyond what a machine at work needs. */
const PATIENCE_MS = 60_000;

/** A running process. */
export class Actor {
  readonly name: string;
  readonly ended: Promise<void>;
  private readonly child: ChildProcess;
  private readonly logFile: string;
  private readonly reports = new Map<Milestone, Report>();
  private readonly waiting = new Map<Milestone, (report: Report) => void>();

  constructor({ name, program, argument, prefix, logFile }: ActorPlan) {
    const module = fileURLToPath(new URL(program, import.meta.url));
    const [file = '', ...args] = [...prefix, process.execPath, module, argument];
    const log = openSync(logFile, 'a');
    // A group of its own: Ctrl-C reaches us alone.
    this.child = spawn(file, args, { stdio: ['ignore', log, log, 'ipc'], detached: true });
    closeSync(log);
    this.name = name;
    this.logFile = logFile;
    this.ended = new Promise((resolve) => {
      this.child.once('error', () => resolve());
      this.child.once('exit', () => resolve());
    });
    this.child.on('message', (message) => this.onMessage(message));
  }

  /** The process id, 0 if it could not be started. */
  get pid(): number {
    return this.child.pid ?? 0;
  }

  /**
   * Resolves with a report of this kind, even if it came before. Rejects with a Failure (69) when
   * the process ends without it, or takes longer than a minute.
   */
  async next(what: Milestone): Promise<Report> {
    const timer = new AbortController();
    const late = new Promise<null>((resolve) => {
      const id = setTimeout(() => resolve(null), PATIENCE_MS);
      timer.signal.addEventListener('abort', () => clearTimeout(id));
    });
    try {
      const end = this.ended.then(() => null);
      const report = await Promise.race([this.reported(what), end, late]);
      if (report !== null) return report;
    } finally {
      timer.abort();
    }
    throw this.failure(what);
  }

  /** Tells it to go on. */
  order(order: Order): void {
    // It may be gone already; then whoever waits for its next report hears of it.
    if (this.child.connected) this.child.send(order, () => {});
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  private reported(what: Milestone): Promise<Report> {
    const earlier = this.reports.get(what);
    if (earlier !== undefined) return Promise.resolve(earlier);
    return new Promise((resolve) => this.waiting.set(what, resolve));
  }

  private onMessage(message: unknown): void {
    const report = readReport(message);
    if (report === null) return;
    this.reports.set(report.what, report);
    this.waiting.get(report.what)?.(report);
  }

  private failure(what: Milestone): Failure {
    const last = readFileSync(this.logFile, 'utf8').trimEnd().split('\n').at(-1) ?? '';
    const told = last === '' ? '' : `; it said: ${last}`;
    const text = `UNAVAILABLE: ${this.name} was to report "${what}" and did not${told}`;
    return new Failure(EXIT.unavailable, text);
  }
}
