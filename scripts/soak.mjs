// A soak: a real cluster under a mixed load at a steady rate for as long as it is told, with faults
// all the time; memory, descriptors and disk must stay flat, and nothing may be lost. docs/soak.md.
//
//   npm run soak -- --minutes 60 --json soak.json

import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { exitOnSignals, withWill } from '../bench/lib/last-will.mjs';
import { startCluster } from './lib/local-cluster.mjs';
import { drawer } from './lib/soak-draw.mjs';
import { SOAK_USAGE, readSoakOptions } from './lib/soak-options.mjs';
import { markdownLines, reportLines, scheduleLines } from './lib/soak-report.mjs';
import { SoakRun } from './lib/soak-run.mjs';
import { drawSchedule } from './lib/soak-schedule.mjs';

const FORMAT = 1;
const PROBE = new URL('./lib/soak-probe.mjs', import.meta.url).href;

const say = (lines) => process.stdout.write(`${lines.join('\n')}\n`);

function emptyReport(settings, schedule) {
  const { minutes, rate, nodes, kinds, seed } = settings;
  const [{ model }] = cpus();
  return {
    format: FORMAT,
    state: 'running',
    startedAt: new Date().toISOString(),
    machine: { processors: cpus().length, model: model.trim(), node: process.version },
    settings: { minutes, rate, nodes, kinds },
    seed,
    steadyId: `n${1 + Math.floor(drawer(seed + 1)() * nodes)}`,
    elapsedMs: 0,
    schedule,
    faults: [],
    load: null,
    samples: [],
    trends: [],
    violations: [],
    misses: [],
  };
}

async function soak(settings, directory) {
  const { minutes, kinds, seed, nodes: size } = settings;
  const schedule = drawSchedule({ seed, totalMs: minutes * 60_000, kinds });
  const report = emptyReport(settings, schedule);
  const head = `seed ${seed}, ${report.steadyId} is never ended, ${schedule.length} faults:`;
  say([head, ...scheduleLines(schedule)]);
  const cluster = await start(size, directory);
  const run = new SoakRun({ cluster, report, schedule, settings, say });
  const killAll = () => {
    report.state = 'interrupted';
    run.write();
    if (report.load !== null) say(reportLines(report));
    run.kill();
    killNodes(cluster);
  };
  try {
    await withWill(killAll, () => run.run());
    report.state = 'done';
  } catch (error) {
    report.state = 'failed';
    report.violations.push(`the run could not go on: ${error.stack}`, ...lastWords(cluster));
  } finally {
    run.kill();
    await cluster.stop();
  }
  run.write();
  say(['', ...(report.load === null ? report.violations : reportLines(report))]);
  return report.violations.length + report.misses.length === 0 ? 0 : 1;
}

/** No node is left if a signal comes meanwhile. */
function start(size, dir) {
  const made = [];
  const options = {
    size,
    dir,
    execArgv: ['--import', PROBE],
    nodeOptions: { logLevel: 'debug' },
    onMade: (cluster) => made.push(cluster),
  };
  return withWill(
    () => made.forEach(killNodes),
    () => startCluster(options),
  );
}

function killNodes({ processes }) {
  for (const child of processes.values()) child.kill('SIGKILL');
}

/** The last lines of what every node has logged. */
function lastWords({ processes }) {
  return [...processes].map(([id, child]) => `${id}: ${child.lastLog().slice(-2_000)}`);
}

async function main(args) {
  if (args.includes('--help')) return say([SOAK_USAGE]);
  const settings = readSoakOptions(args);
  if (settings.tableFile !== null) {
    return say(markdownLines(JSON.parse(await readFile(settings.tableFile, 'utf8'))));
  }
  const parent = settings.directory === null ? tmpdir() : resolve(settings.directory);
  await mkdir(parent, { recursive: true });
  const directory = await mkdtemp(join(parent, 'holdfast-soak-'));
  exitOnSignals();
  const removeAll = () => rmSync(directory, { recursive: true, force: true });
  const code = await withWill(removeAll, () => soak(settings, directory)).finally(removeAll);
  process.exitCode = code;
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`soak: ${error.message}\n`);
  process.exitCode = 1;
}
