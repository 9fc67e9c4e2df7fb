// Measures Holdfast on this machine: npm run bench -- --help, docs/benchmarks.md.

import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { arch, cpus, loadavg, platform, release, tmpdir, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { experiments } from './experiments/all.mjs';
import { compareReports } from './lib/compare.mjs';
import { exitOnSignals, withWill } from './lib/last-will.mjs';
import { measureLimits, meanLimits, startEcho } from './lib/limits.mjs';
import { USAGE, chosen, readOptions } from './lib/options.mjs';
import { comparisonLines, experimentLines } from './lib/table.mjs';

const FORMAT = 1;

const say = (lines) => process.stdout.write(`${lines.join('\n')}\n`);

function machineFacts() {
  const [{ model }] = cpus();
  return {
    processors: cpus().length,
    model: model.trim(),
    memoryMib: Math.round(totalmem() / 1024 / 1024),
    system: `${platform()} ${release()} ${arch()}`,
    node: process.version,
    load: loadavg()[0],
  };
}

/** One experiment with the limits before and after it; what goes wrong is kept, not thrown. */
async function runExperiment({ name, about, run }, settings, echo) {
  const { directory, limitCount } = settings;
  const result = { name, about, limits: null, figures: [], notes: [], failed: null };
  try {
    const before = await measureLimits(directory, echo, limitCount);
    const note = (text) => result.notes.push(text);
    const figures = await run({ ...settings, note });
    // What did not happen in a round has no figure.
    result.figures = figures.filter(({ median }) => Number.isFinite(median));
    const after = await measureLimits(directory, echo, limitCount);
    result.limits = meanLimits(before, after);
  } catch (error) {
    result.failed = error.message;
    process.stderr.write(`${name}: ${error.stack}\n`);
  }
  return result;
}

async function runAll(settings) {
  const { rounds, seconds, trials, processes, isQuick } = settings;
  const report = {
    format: FORMAT,
    startedAt: new Date().toISOString(),
    machine: machineFacts(),
    settings: { rounds, seconds, trials, processes, isQuick },
    experiments: [],
  };
  const { processors, model, node, load } = report.machine;
  say([`${processors} × ${model}, Node ${node}, load ${load.toFixed(2)} at the start`]);
  const echo = await startEcho();
  try {
    for (const experiment of chosen(experiments, settings.only)) {
      const result = await runExperiment(experiment, settings, echo);
      report.experiments.push(result);
      say(['', ...experimentLines(result)]);
    }
  } finally {
    await echo.stop();
  }
  return report;
}

async function compareWith(file, report) {
  const earlier = JSON.parse(await readFile(file, 'utf8'));
  if (earlier.format !== FORMAT) throw new Error(`${file} is of format ${earlier.format}`);
  say(['', `compared with ${file} of ${earlier.startedAt}:`]);
  say(comparisonLines(compareReports(earlier, report)));
}

async function main(args) {
  if (args.includes('--help')) return say([USAGE]);
  const options = readOptions(args);
  if (options.isList) return say(experiments.map(({ name, about }) => `${name}: ${about}`));
  const parent = options.directory === null ? tmpdir() : resolve(options.directory);
  await mkdir(parent, { recursive: true });
  const directory = await mkdtemp(join(parent, 'holdfast-bench-'));
  exitOnSignals();
  const removeAll = () => rmSync(directory, { recursive: true, force: true });
  await withWill(removeAll, () => measure({ ...options, directory })).finally(removeAll);
}

async function measure(settings) {
  const report = await runAll(settings);
  const { jsonFile, compareFile } = settings;
  if (jsonFile !== null) await writeFile(jsonFile, `${JSON.stringify(report, null, 2)}\n`);
  if (compareFile !== null) await compareWith(compareFile, report);
  process.exitCode = report.experiments.some(({ failed }) => failed !== null) ? 1 : 0;
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`bench: ${error.message}\n`);
  process.exitCode = 1;
}
