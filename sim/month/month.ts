// A month of cluster time: five clusters one after the other, each but the first made of a backup
// of one before it. All that the outside world relies on must hold over all of them.

import { Hasher } from '../../src/base/hash.ts';
import type { Violation } from '../oracle/verdict.ts';
import { Verdict, promiseIn } from '../oracle/verdict.ts';
import { reportRejections } from '../workload/rejections.ts';
import type { Backup } from './backup.ts';
import { Era } from './era.ts';
import {
  badNetwork,
  isolateOne,
  killAll,
  killClient,
  killOne,
  pauseOne,
  slowDisk,
} from './faults.ts';
import { Ledger } from './ledger.ts';
import { growAndShrink, replaceOne, rollingRestart, transfer } from './operations.ts';
import { DAY_MS, MINUTE_MS } from './settings.ts';
import { Tally } from './tally.ts';
import type { ActName } from './tally.ts';

/** For each era but the first, the one whose backup it is made of: one backup is used twice. */
const MADE_OF: readonly (number | null)[] = [null, 0, 0, 2, 3];
/** An act begins so often in a whole month, and no more often than that in a short one. */
const ACTS = 240;
const PAUSE_MS_MIN = 4 * MINUTE_MS;
/** The part of an era after which its backup is taken; then it goes on issuing tokens. */
const BACKUP_AT = 0.6;

/** In this order, again and again. */
const ACT_ORDER: readonly ActName[] = [
  'replacement',
  'crash',
  'transfer',
  'isolation',
  'client crash',
  'replacement of a dead node',
  'power loss',
  'rolling restart',
  'pause',
  'slow disk',
  'replacement',
  'isolation',
  'backup',
  'bad network',
  'all nodes down',
  'growth and shrinking',
];

/** How long, and with whose luck. */
export interface MonthOptions {
  /** Of cluster time, above 0; 30 for a month. */
  readonly days: number;
  readonly seed: number;
  /** Hears of the end of every act. */
  readonly onProgress?: (tally: Tally, timeMs: number) => void;
}

/** What came of it. */
export interface MonthResult {
  readonly tally: Tally;
  readonly violation: Violation | null;
  /** Equal for equal runs. */
  readonly traceHash: string;
}

/** Runs it; ends with the first broken promise. */
export async function runMonth(options: MonthOptions): Promise<MonthResult> {
  const month = new Month(options);
  await month.play();
  return month.result();
}

class Month {
  private readonly options: MonthOptions;
  private readonly tally = new Tally();
  private readonly ledger = new Ledger(new Verdict(() => 0));
  private readonly hashes = new Hasher();
  private readonly backups: Backup[] = [];
  private violation: Violation | null = null;
  private acts = 0;

  constructor(options: MonthOptions) {
    this.options = options;
  }

  async play(): Promise<void> {
    for (let number = 0; number < MADE_OF.length && this.violation === null; number++) {
      await this.live(number);
    }
  }

  result(): MonthResult {
    const { tally, violation, hashes } = this;
    return { tally, violation, traceHash: hashes.hex() };
  }

  private async live(number: number): Promise<void> {
    const { ledger, tally, options } = this;
    const source = MADE_OF[number] ?? null;
    const from = source === null ? null : (this.backups[source] ?? null);
    const seed = options.seed * MADE_OF.length + number;
    const descendants = descendantsOf(number);
    const beginMs = tally.timeMs;
    const era = await Era.create({ number, seed, beginMs, from, descendants, ledger, tally });
    const { verdict, world } = era.cluster;
    const release = reportRejections(verdict);
    try {
      await era.begin();
      await this.pass(era);
      await era.end();
    } catch (error) {
      // What was found breaks the run off; anything else that does is a finding itself.
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      verdict.report(promiseIn(text, 'ASSERT'), text);
    } finally {
      release();
    }
    this.violation = verdict.violation;
    this.hashes.text(world.traceHash());
  }

  // Its part of the month, a pause and an act in turns, with the backup in the middle of it.
  private async pass(era: Era): Promise<void> {
    const totalMs = this.options.days * DAY_MS;
    const { number } = era.plan;
    const endMs = (totalMs * (number + 1)) / MADE_OF.length - era.plan.beginMs;
    const pauseMs = Math.max(PAUSE_MS_MIN, totalMs / ACTS);
    while (era.timeMs < endMs) {
      const isBackupDue = this.backups.length <= number && era.timeMs >= endMs * BACKUP_AT;
      if (isBackupDue) await this.backup(era);
      const untilMs = Math.min(endMs, era.timeMs + pauseMs);
      await era.cluster.runFor(untilMs - era.timeMs);
      this.ledger.wakeStale();
      if (untilMs === endMs) break;
      await this.act(era);
    }
    if (this.backups.length <= number) await this.backup(era);
  }

  private async backup(era: Era): Promise<void> {
    const backup = await era.backup();
    era.keep(backup);
    this.backups.push(backup);
    this.tally.did('backup');
  }

  private async act(era: Era): Promise<void> {
    const name = ACT_ORDER[this.acts % ACT_ORDER.length] ?? 'crash';
    await perform(era, name, this.acts++);
    await era.look();
    this.tally.did(name);
    this.options.onProgress?.(this.tally, era.plan.beginMs + era.timeMs);
  }
}

async function perform(era: Era, name: ActName, act: number): Promise<void> {
  switch (name) {
    case 'crash':
      return killOne(era, act, 'crash');
    case 'power loss':
      return killOne(era, act, 'losePower');
    case 'isolation':
      return isolateOne(era, act);
    case 'pause':
      return pauseOne(era, act);
    case 'slow disk':
      return slowDisk(era, act);
    case 'bad network':
      return badNetwork(era, act);
    case 'client crash':
      return killClient(era, act);
    case 'all nodes down':
      return killAll(era);
    case 'replacement':
      return replaceOne(era, act, false);
    case 'replacement of a dead node':
      return replaceOne(era, act, true);
    case 'growth and shrinking':
      return growAndShrink(era, act);
    case 'transfer':
      return transfer(era);
    case 'rolling restart':
      return rollingRestart(era);
    case 'backup':
      await era.backup();
  }
}

/** Clusters that are made of its backup, and of those of them, and so on. */
function descendantsOf(number: number): number {
  let count = 0;
  for (const [child, source] of MADE_OF.entries()) {
    if (source === number) count += 1 + descendantsOf(child);
  }
  return count;
}
