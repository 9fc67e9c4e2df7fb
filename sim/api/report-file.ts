// The page about a failing simulation (docs/failure-report.md).

import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Hasher } from '../../src/base/hash.ts';
import { US_PER_MS } from '../../src/base/units.ts';
import type { Recorder } from '../report/recorder.ts';
import type { Recording } from '../report/recording.ts';
import { renderReport } from '../report/render.ts';
import type { ReportOptions } from '../report/render.ts';
import type { SimulationError } from './error.ts';
import type { SimulateOptions } from './types.ts';

/** Where pages go unless told otherwise. */
const FOLDER = '.holdfast';

/** What the recorder of a run saw; `error` is null if nothing was broken. */
export function recordingOf(
  recorder: Recorder,
  error: SimulationError | null,
  replay: string,
): Recording {
  const story = error?.story ?? [];
  if (error === null) return recorder.recording({ violation: null, scenario: story, replay });
  const { oracle, message, atMs } = error;
  const violation = { oracle, message, atUs: recorder.originUs + Math.round(atMs * US_PER_MS) };
  return recorder.recording({ violation, scenario: story, replay });
}

/**
 * Writes the page; gives its path. The next failure of the same scenario with the same promise
 * takes its place, so that of many that shrink the smallest one stays.
 */
export function writeReport(
  recording: Recording,
  { report }: Pick<SimulateOptions, 'report'>,
  { scenario, ...options }: ReportOptions & { readonly scenario: string },
): string {
  const folder = resolve(typeof report === 'string' ? report : FOLDER);
  mkdirSync(folder, { recursive: true });
  const hash = new Hasher(0).text(scenario).hex().slice(0, 8);
  const oracle = recording.violation?.oracle ?? 'run';
  const path = join(folder, `${oracle}-${hash}.html`.toLowerCase());
  writeFileSync(path, renderReport(recording, options));
  return path;
}
