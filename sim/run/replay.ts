// Runs the script of one file and tells what happens in it.

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeScript } from '../script/describe.ts';
import { attempting } from './attempt.ts';
import { EXIT, firstLine, print } from './command.ts';
import type { Command, Given } from './command.ts';
import { STAGE_MS_MAX } from './crew.ts';
import { reportPage } from './report-page.ts';
import { createRunner } from './run.ts';
import { readScriptFile } from './script-files.ts';
import { traceLines } from './trace-lines.ts';
import { describeParting, partingOf } from './twice.ts';
import type { RunScript } from './types.ts';

/** `replay`. */
export const replayCommand = replayWith(() => attempting(createRunner()));

/** The same with another way to run. */
export function replayWith(runner: () => RunScript): Command {
  return {
    name: 'replay',
    usage: 'FILE [--trace] [--report]',
    summary: 'Runs the script of a file twice; exit code 1 when it breaks a promise.',
    help: [
      '  FILE      a script, as `run` writes them and sim/corpus keeps them',
      '  --trace   writes every event of the run to FILE.ndjson, one JSON object a line',
      '  --report  writes a page to FILE.html, where FILE ends with .json without that: what led',
      '            to the violation, as a picture',
    ],
    options: { trace: { type: 'boolean' }, report: { type: 'boolean' } },
    run: (given) => replay(given, runner()),
  };
}

async function replay(given: Given, run: RunScript): Promise<number> {
  const path = given.file();
  const { about, violated, script } = readScriptFile(path);
  if (violated === 'SPIN' && hangs(path)) {
    const message = `a run did not end within ${STAGE_MS_MAX / 1_000} s`;
    print(...describeScript(script, { oracle: 'SPIN', message, atUs: 0 }));
    return EXIT.violated;
  }
  const first = await run(script, { trace: true });
  const second = await run(script, { trace: true });
  const { violation } = first;
  // What the file is about may be just what the last line of the story says.
  const isKnown = violation !== null && about === firstLine(violation.message);
  print(...(isKnown ? [] : [about, '']), ...describeScript(script, violation));
  const isSame = first.traceHash === second.traceHash;
  const parting = isSame ? [] : describeParting(partingOf(first.trace, second.trace));
  const twice = isSame ? 'the same in two runs' : 'different in two runs of the same script:';
  print(`trace ${first.traceHash}, ${first.events} events, ${twice}`, ...parting);
  if (given.has('trace') && first.trace !== null) {
    const target = `${resolve(path)}.ndjson`;
    writeFileSync(target, `${traceLines(first.trace).join('\n')}\n`);
    print(`events: ${target}`);
  }
  if (given.has('report')) {
    const target = pageOf(resolve(path));
    writeFileSync(target, await reportPage(script, run, `npm run sim -- replay ${path}`));
    print(`report: ${target}`);
  }
  return violation === null && isSame ? EXIT.kept : EXIT.violated;
}

/** The page beside a script. */
function pageOf(path: string): string {
  return `${path.replace(/\.json$/, '')}.html`;
}

/** Asks another process: whoever hangs cannot tell. */
function hangs(path: string): boolean {
  const program = fileURLToPath(new URL('./cli.js', import.meta.url));
  const { signal } = spawnSync(process.execPath, [program, 'trace', path], {
    stdio: 'ignore',
    timeout: STAGE_MS_MAX,
    killSignal: 'SIGKILL',
  });
  return signal === 'SIGKILL';
}
