// Lives of processes, read from the trace: when they are dead and when they stand still.

import type { Trace, TraceEvent } from '../world/trace.ts';
import type { SeenMark } from './node-book.ts';
import type { MarkKind, Span, SpanKind } from './recording.ts';

/** What the trace tells of processes. */
export interface Lives {
  readonly spans: readonly Span[];
  readonly marks: readonly SeenMark[];
}

const SPAN_MAX = 5_000;

/** `names`: of the processes, the first of them is number 1 in the trace. */
export function livesOf(trace: Trace, names: readonly string[], endUs: number): Lives {
  const reader = new LifeReader(names);
  for (let place = 0; place < trace.length; place++) {
    const event = trace.at(place);
    if (event !== null && event.process > 0) reader.read(event);
  }
  return reader.end(endUs);
}

class LifeReader {
  private readonly names: readonly string[];
  private readonly spans: Span[] = [];
  private readonly marks: SeenMark[] = [];
  /** By kind and process, since when. */
  private readonly open = new Map<string, { kind: SpanKind; lane: string; fromUs: number }>();

  constructor(names: readonly string[]) {
    this.names = names;
  }

  read(event: TraceEvent): void {
    const lane = this.names[event.process - 1] ?? '';
    switch (event.kind) {
      case 'start':
        this.close('dead', lane, event.timeUs);
        return this.mark(event, lane, 'start', `starts: life ${event.a}`);
      case 'crash':
        this.close('paused', lane, event.timeUs);
        this.begin('dead', lane, event.timeUs);
        return this.mark(event, lane, 'crash', 'dies');
      case 'pause':
        this.begin('paused', lane, event.timeUs);
        return this.mark(event, lane, 'note', 'stands still from now on');
      case 'resume':
        if (this.close('paused', lane, event.timeUs)) this.mark(event, lane, 'note', 'goes on');
        return;
      default:
    }
  }

  end(endUs: number): Lives {
    for (const { kind, lane } of [...this.open.values()]) this.close(kind, lane, endUs);
    return { spans: this.spans, marks: this.marks };
  }

  private begin(kind: SpanKind, lane: string, fromUs: number): void {
    const key = `${kind} ${lane}`;
    if (!this.open.has(key)) this.open.set(key, { kind, lane, fromUs });
  }

  private close(kind: SpanKind, lane: string, toUs: number): boolean {
    const open = this.open.get(`${kind} ${lane}`);
    if (open === undefined) return false;
    this.open.delete(`${kind} ${lane}`);
    const label = kind === 'dead' ? 'dead' : 'stands still';
    if (this.spans.length < SPAN_MAX) this.spans.push({ ...open, toUs, label, term: null });
    return true;
  }

  private mark(event: TraceEvent, lane: string, kind: MarkKind, text: string): void {
    const { timeUs: atUs, seq } = event;
    this.marks.push({ atUs, seq, kind, lane, text });
  }
}
