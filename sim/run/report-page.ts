// The page about one script that fails (docs/failure-report.md).

import type { Violation } from '../oracle/verdict.ts';
import { Recorder } from '../report/recorder.ts';
import type { Recording } from '../report/recording.ts';
import { renderReport } from '../report/render.ts';
import { describeFault } from '../script/describe-fault.ts';
import { describeScript } from '../script/describe.ts';
import type { Fault, Script } from '../script/types.ts';
import type { RunScript } from './types.ts';

/**
 * Runs the script again, and once more without its last fault, for what differs then; gives the
 * page. `replay`: how a reader sees it again.
 */
export async function reportPage(script: Script, run: RunScript, replay: string): Promise<string> {
  const recording = await record(script, run, replay);
  const last = lastFault(script, recording.violation);
  if (last === undefined) return renderReport(recording);
  const faults = script.faults.filter((fault) => fault !== last);
  const without = await record({ ...script, faults }, run, replay);
  return renderReport(recording, { without, withoutWhat: describeFault(script, last) });
}

async function record(script: Script, run: RunScript, replay: string): Promise<Recording> {
  const recorder = new Recorder();
  const { violation } = await run(script, { recorder });
  // Its last line is the violation, which the page has on its top.
  const scenario = describeScript(script, violation).slice(0, violation === null ? undefined : -1);
  return recorder.recording({ violation, scenario, replay });
}

function lastFault(
  { faults }: Script,
  violation: Pick<Violation, 'atUs'> | null,
): Fault | undefined {
  const atMs = (violation?.atUs ?? Infinity) / 1_000;
  const inTime = faults.filter((fault) => fault.atMs <= atMs);
  return inTime.toSorted((left, right) => left.atMs - right.atMs).at(-1);
}
