// One soak: a cluster, a load, faults at their times, samples meanwhile, and the checks in the end.

import { renameSync, writeFileSync } from 'node:fs';
import { Crew } from '../../bench/lib/crew.mjs';
import { Faults } from './soak-faults.mjs';
import { Sampler } from './soak-sampler.mjs';
import { judgeSamples } from './soak-trend.mjs';
import { sleep, until } from './local-cluster.mjs';
import { faultLine, progressLine } from './soak-report.mjs';

const LOAD = '../../scripts/lib/soak-load';
const SAMPLE_MS = 10_000;
const TELL_MS = 60_000;

/** The whole of it; `report` is filled as it goes, and written to `jsonFile` every minute. */
export class SoakRun {
  #isOver = false;
  #toldMs = 0;

  constructor({ cluster, report, schedule, settings, say }) {
    Object.assign(this, { cluster, report, schedule, settings, say });
    this.sampler = new Sampler(cluster, (text) => report.violations.push(text));
    report.samples = this.sampler.samples;
  }

  /** Throws when the run cannot go on; violations are in the report. */
  async run() {
    const { addresses } = this.cluster;
    const { seed, rate } = this.settings;
    this.crew = await Crew.start(LOAD, [{ addresses, seed, ratePerSecond: rate }]);
    this.faults = this.#makeFaults();
    await this.#call('start');
    this.startMs = performance.now();
    try {
      await this.#both();
      await this.#conclude();
    } finally {
      if (this.report.load !== null) this.#judge();
    }
  }

  /** What the load has found, and what grows. */
  #judge() {
    const { report, settings } = this;
    for (const kind of ['violations', 'misses']) {
      const { texts, count } = report.load[kind];
      report[kind].push(...texts);
      if (count > texts.length) report[kind].push(`and ${count - texts.length} more`);
    }
    report.trends = judgeSamples(this.sampler.samples, settings.minutes * 60_000);
    for (const { node, measure, isFlat, slopePerHour } of report.trends) {
      if (isFlat) continue;
      report.misses.push(`${node}: ${measure} grows by ${Math.round(slopePerHour)} an hour`);
    }
  }

  /** Ends every process but those of the cluster, at once. */
  kill() {
    this.faults?.kill();
    // Not SIGKILL: it ends its victims first, which may be stopped and could not end themselves.
    for (const { child } of this.crew?.members ?? []) child.kill('SIGTERM');
  }

  /** Faults and samples, until the time is over or one of them cannot go on; then both end. */
  async #both() {
    const end = () => (this.#isOver = true);
    const ends = await Promise.allSettled([this.#harm().finally(end), this.#look().finally(end)]);
    for (const { reason } of ends) if (reason !== undefined) throw reason;
  }

  #makeFaults() {
    return new Faults({
      cluster: this.cluster,
      steadyId: this.report.steadyId,
      onSpawn: (id) => this.sampler.listen(id),
      harm: (fault) => this.#call('harm', fault),
      useAddresses: (list) => this.#call('useAddresses', list),
    });
  }

  async #call(method, ...args) {
    const [{ value }] = await this.crew.all(method, ...args);
    return value;
  }

  /** All faults at their times, or once those before them are over; then quiet until the end. */
  async #harm() {
    const endMs = this.startMs + this.settings.minutes * 60_000;
    let term = (await this.cluster.waitAll()).term;
    for (const fault of this.schedule) {
      await this.#sleepUntil(this.startMs + fault.atMs);
      if (this.#isOver) return;
      term = await this.#runFault(fault, term);
    }
    await this.#sleepUntil(endMs);
    if (this.#isOver) return;
    this.#checkTerm(await this.cluster.waitAll(), term);
  }

  /** Returns the term that the cluster is in afterwards. */
  async #runFault(fault, term) {
    this.#checkTerm(await this.cluster.waitLeader(), term);
    await this.#call('beginFault', fault.number);
    const startMs = performance.now();
    const done = await this.faults.run(fault);
    const tookMs = Math.round(performance.now() - startMs);
    await this.#call('endFault');
    const result = { ...fault, ...done, tookMs, termBefore: term };
    this.report.faults.push(result);
    this.say([faultLine(result)]);
    return done.term;
  }

  #checkTerm(leader, term) {
    if (leader.term === term) return;
    this.report.misses.push(`term ${leader.term} after ${term}: an election in quiet time`);
  }

  async #sleepUntil(ms) {
    while (!this.#isOver && performance.now() < ms)
      await sleep(Math.min(1_000, ms - performance.now()));
  }

  /** Samples every few seconds until the run is over. */
  async #look() {
    let nextMs = performance.now();
    while (!this.#isOver) {
      await this.#takeSample();
      nextMs += SAMPLE_MS;
      while (!this.#isOver && performance.now() < nextMs) await sleep(100);
    }
  }

  async #takeSample() {
    const { report, sampler } = this;
    report.load = await this.#call('look');
    report.elapsedMs = Math.round(performance.now() - this.startMs);
    const { memory } = report.load;
    await sampler.take({ loadPid: this.crew.members[0].child.pid, memory });
    this.#noteGaps();
    if (report.elapsedMs - this.#toldMs < TELL_MS && this.#toldMs > 0) return;
    this.#toldMs = report.elapsedMs;
    this.say([progressLine(report, report.elapsedMs)]);
    this.write();
  }

  #noteGaps() {
    const gaps = new Map(this.report.load.gaps.map(({ number, gapMs }) => [number, gapMs]));
    for (const fault of this.report.faults) fault.gapMs = Math.round(gaps.get(fault.number) ?? 0);
  }

  /** Whole again, with nothing to do: what was acknowledged is listed, and all nodes agree. */
  async #conclude() {
    const { report } = this;
    await this.#call('finish');
    await this.cluster.waitAll();
    report.kept = await this.#call('verify');
    report.load = await this.#call('look');
    report.elapsedMs = Math.round(performance.now() - this.startMs);
    this.#noteGaps();
    await this.#checkStates();
    await this.crew.close();
  }

  async #checkStates() {
    const statuses = await until('all nodes to have applied the same', async () => {
      const list = await this.cluster.statuses();
      const isWhole = list.length === this.cluster.nodes.length;
      return isWhole && list.every(({ applied }) => applied === list[0].applied) ? list : null;
    });
    const hashes = new Set(statuses.map(({ stateHash }) => stateHash));
    this.report.states = statuses.map(({ id, applied, stateHash }) => ({ id, applied, stateHash }));
    if (hashes.size > 1) this.report.violations.push('the nodes do not agree on the state');
    const alarms = statuses.flatMap(({ id, alarms: list }) => list.map((text) => `${id}: ${text}`));
    this.report.violations.push(...alarms);
  }

  /** The report as it stands; a reader never sees half of one. */
  write() {
    const { jsonFile } = this.settings;
    if (jsonFile === null) return;
    writeFileSync(`${jsonFile}.part`, `${JSON.stringify(this.report, null, 1)}\n`);
    renameSync(`${jsonFile}.part`, jsonFile);
  }
}
