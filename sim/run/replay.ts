// Runs the script of one file and tells what happens in it.

import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describeScript } from '../script/describe.ts';
import { attempting } from './attempt.ts';
import { EXIT, firstLine, print } from './command.ts';
import type { Command, Given } from './command.ts';
import { createRunner } from './run.ts';
import { readScriptFile } from './script-files.ts';
import { traceLines } from './trace-lines.ts';
import { describeParting, partingOf } from './twice.ts';

/** `replay`. */
export const replayCommand: Command = {
  name: 'replay',
  usage: 'FILE [--trace]',
  summary: 'Runs the script of a file twice; exit code 1 when it breaks a promise.',
  help: [
    '  FILE     a script, as `run` writes them and sim/corpus keeps them',
    '  --trace  writes every event of the run to FILE.ndjson, one JSON object a line',
  ],
  options: { trace: { type: 'boolean' } },
  run: replay,
};

async function replay(given: Given): Promise<number> {
  const path = given.file();
  const { about, script } = readScriptFile(path);
  const run = attempting(createRunner());
  const first = await run(script, { trace: true });
  const second = await run(script, { trace: true });
  const { violation } = first;
  const verdict =
    violation === null
      ? 'kept every promise'
      : `${violation.oracle} broken: ${firstLine(violation.message)}`;
  print(about, '', ...describeScript(script, violation), '', verdict);
  const isSame = first.traceHash === second.traceHash;
  const parting = isSame ? [] : describeParting(partingOf(first.trace, second.trace));
  const twice = isSame ? 'the same in two runs' : 'different in two runs of the same script:';
  print(`trace ${first.traceHash}, ${first.events} events, ${twice}`, ...parting);
  if (given.has('trace') && first.trace !== null) {
    const target = `${resolve(path)}.ndjson`;
    writeFileSync(target, `${traceLines(first.trace).join('\n')}\n`);
    print(`events: ${target}`);
  }
  return violation === null && isSame ? EXIT.kept : EXIT.violated;
}
