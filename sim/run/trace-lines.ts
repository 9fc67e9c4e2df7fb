// Traces as text, one JSON object a line: for tools, and to compare runs of different processes.

import { Trace } from '../world/trace.ts';
import type { TraceEvent } from '../world/trace.ts';
import type { RunTrace } from './types.ts';

interface TraceLine extends TraceEvent {
  /** Of the process; empty for the world. */
  readonly name: string;
}

/** Every event with the name of its process. */
export function traceLines({ trace, processes }: RunTrace): readonly string[] {
  return Array.from({ length: trace.length }, (_, place) => {
    const event = trace.at(place);
    const name = processes[(event?.process ?? 0) - 1] ?? '';
    return JSON.stringify({ ...event, name });
  });
}

/** The trace that such lines came from. */
export function readTraceLines(lines: readonly string[]): RunTrace {
  const trace = new Trace();
  const processes: string[] = [];
  for (const line of lines) {
    const event: TraceLine = JSON.parse(line);
    trace.add(event.timeUs, event);
    if (event.process > 0) processes[event.process - 1] = event.name;
  }
  return { trace, processes };
}
