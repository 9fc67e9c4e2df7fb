// Gathers what a person needs to see why a run broke a promise. Attached to a cluster from its
// first event on, it looks at frames, roles, the log and the trace; whoever runs the world tells
// it of faults, stores and programs. What it keeps is bounded, newest first.

import type { NodeId } from '../../src/base/units.ts';
import type { HostWatch } from '../../src/node/host-types.ts';
import type { ClusterRecorder } from '../cluster-plan.ts';
import type { SimCluster } from '../cluster.ts';
import type { Hold } from '../oracle/belief.ts';
import type { StruckFault } from '../script/faults.ts';
import { Bounded } from './bounded.ts';
import { coneOf, lastSeqAt } from './cone.ts';
import { FrameBook } from './frame-book.ts';
import type { Moment, SeenFrame } from './frame-book.ts';
import { HoldBook } from './hold-book.ts';
import { livesOf } from './lives.ts';
import { LockBook } from './lock-book.ts';
import { NodeBook } from './node-book.ts';
import type { SeenMark } from './node-book.ts';
import type { Ending, Frame, Lane, Mark, MarkKind, Recording, Span } from './recording.ts';

const TOLD_MAX = 5_000;
/** Frames that were sent so long before the end may still be under way. */
const UNDER_WAY_US = 20_000;
/** What happened so long before the violation is shown with what it follows from. */
const NEAR_US = 200_000;
/** So many of the newest facts of each lock that a violation speaks of have causes to be shown. */
const FACTS_OF_LOCK = 3;

const SPOKEN_MAX = 4;
/** Signs of life are shown if the violation follows from them, and they are not older than that. */
const SIGN_US = 1_000_000;

/** See the head of this file. For one run. */
export class Recorder implements ClusterRecorder {
  private cluster: SimCluster | null = null;
  private readonly frames: FrameBook;
  private readonly nodes: NodeBook;
  private readonly locks: LockBook;
  private readonly holds: HoldBook;
  private readonly told = new Bounded<SeenMark>(TOLD_MAX);
  private readonly faults = new Bounded<StruckFault>(TOLD_MAX);
  private readonly stores = new Set<string>();
  /** Of all that ever lived. */
  private readonly nodeIds = new Set<NodeId>();
  private startUs = 0;

  constructor() {
    const now = (): Moment => this.now();
    this.locks = new LockBook(now);
    this.nodes = new NodeBook(now, this.locks);
    this.holds = new HoldBook();
    this.frames = new FrameBook(
      () => {
        const moment = this.now();
        this.holds.look(moment.atUs);
        return moment;
      },
      (name) => this.isNode(name),
    );
  }

  /** When the scenario began, in virtual microseconds of the world. */
  get originUs(): number {
    return this.startUs;
  }

  attach(cluster: SimCluster): void {
    this.cluster = cluster;
    cluster.world.network.observe(this.frames);
  }

  watch(id: NodeId): HostWatch {
    this.nodeIds.add(id);
    return this.nodes.watch(id);
  }

  /** The cluster is there, and the scenario begins now. */
  begin(): void {
    this.startUs = this.now().atUs;
  }

  /** A fault strikes, or has struck. */
  fault(fault: StruckFault): void {
    this.faults.add(fault);
  }

  /** The same for one whose end is not known yet: gives what is to be called then. */
  beginFault(target: string, text: string): () => void {
    const fault = { target, text, fromUs: this.now().atUs, toUs: Infinity };
    this.faults.add(fault);
    return () => {
      fault.toUs = Math.min(fault.toUs, this.now().atUs);
    };
  }

  /** A client was told that it holds something: shown for as long as it may believe so. */
  holding(hold: Hold): void {
    this.holds.begin(hold, this.now().atUs);
  }

  /** Something happens now in a process, in words. */
  note(process: string, text: string): void {
    this.mark(process, 'remark', text);
  }

  /** A fenced store is written to now. */
  write(store: string, text: string, isTaken: boolean): void {
    this.stores.add(store);
    this.mark(store, isTaken ? 'write' : 'refused', text);
  }

  /** What the run looked like. To be called when it is over. */
  recording(ending: Ending): Recording {
    const { cluster } = this;
    if (cluster === null) throw new Error('the recorder was attached to no cluster');
    const { trace, names, nowUs } = cluster.world;
    const endUs = ending.violation?.atUs ?? nowUs;
    const lives = livesOf(trace, [...names], endUs);
    const isInTime = ({ atUs }: Moment): boolean => atUs <= endUs;
    const marks = [...lives.marks, ...this.nodes.marks.items(), ...this.told.items()]
      .filter(isInTime)
      .sort((left, right) => left.seq - right.seq);
    const spans = this.spans(lives.spans, endUs);
    const lanes = this.lanes(spans);
    const message = ending.violation?.message ?? '';
    const accused = accusedIn(message, lanes);
    const spokenUs = spokenIn(message).filter((timeUs) => timeUs < endUs);
    const times = [endUs, ...spokenUs];
    const roots = [...times.map((timeUs) => lastSeqAt(trace, timeUs)), ...rootsOf(marks, accused)];
    const cone = coneOf(trace, roots);
    const isWithin = ({ atUs }: Moment, spanUs: number): boolean =>
      times.some((timeUs) => atUs <= timeUs && atUs >= timeUs - spanUs);
    const isNear = (moment: Moment): boolean => cone.has(moment.seq) || isWithin(moment, NEAR_US);
    const isSign = (moment: Moment): boolean => cone.has(moment.seq) && isWithin(moment, SIGN_US);
    return {
      ...ending,
      originUs: this.startUs,
      traceHash: cluster.world.traceHash(),
      events: trace.length,
      endUs,
      lanes,
      spans,
      marks: marks.map(({ seq, ...mark }): Mark => ({
        ...mark,
        isInCone: isNear({ ...mark, seq }),
      })),
      frames: this.frames
        .frames()
        .filter(({ sent }) => isInTime(sent))
        .map((frame) => frameOf(frame, endUs, frame.text.isRoutine ? isSign : isNear)),
      accused,
      spokenUs,
      aliases: this.locks.aliasesIn(message),
      leftOut: this.leftOut(),
    };
  }

  private now(): Moment {
    const world = this.cluster?.world;
    return { atUs: world?.nowUs ?? 0, seq: world?.eventSeq ?? 0 };
  }

  private mark(lane: string, kind: MarkKind, text: string): void {
    this.told.add({ ...this.now(), kind, lane, text });
  }

  private isNode(name: string): boolean {
    return this.nodeIds.has(name);
  }

  private spans(lives: readonly Span[], endUs: number): readonly Span[] {
    const faults = this.faults.items().map(({ target, text, fromUs, toUs }): Span => {
      return { kind: 'fault', lane: target, fromUs, toUs, label: text, term: null };
    });
    const all = [
      ...faults,
      ...this.nodes.spans(endUs),
      ...lives,
      ...this.holds.spans(endUs),
      ...this.locks.spans(endUs),
    ];
    return all
      .filter(({ fromUs }) => fromUs <= endUs)
      .map((span) => ({ ...span, toUs: Math.min(span.toUs, endUs) }))
      .sort((left, right) => left.fromUs - right.fromUs);
  }

  private lanes(spans: readonly Span[]): readonly Lane[] {
    const names = [...(this.cluster?.world.names ?? [])];
    const isLock = ({ kind }: Span): boolean => ['hold', 'wait', 'delay'].includes(kind);
    const locks = [...new Set(spans.filter(isLock).map(({ lane }) => lane))];
    const lane =
      (kind: Lane['kind']) =>
      (name: string): Lane => ({ name, kind });
    return [
      ...names.filter((name) => this.isNode(name)).map(lane('node')),
      ...names.filter((name) => !this.isNode(name)).map(lane('process')),
      ...[...this.stores].map(lane('store')),
      ...locks.map(lane('lock')),
    ];
  }

  private leftOut(): readonly string[] {
    const counts = [
      [this.frames.dropped, 'frames'],
      [this.nodes.dropped, 'events of nodes'],
      [this.locks.dropped, 'spans of locks'],
      [this.told.dropped + this.faults.dropped, 'notes and faults'],
    ] as const;
    return counts
      .filter(([count]) => count > 0)
      .map(([count, what]) => `the oldest ${count} ${what}`);
  }
}

/** Names that the sentence of a violation speaks of, as whole words. */
function accusedIn(message: string, lanes: readonly Lane[]): readonly string[] {
  const words = new Set(message.split(/[\s,;:"'`()]+/).map((word) => word.replace(/\.+$/, '')));
  return [...new Set(lanes.map(({ name }) => name).filter((name) => words.has(name)))];
}

/** Times in microseconds: oracles say `at 2279403`. */
function spokenIn(message: string): readonly number[] {
  const found = [...message.matchAll(/\bat (\d{4,15})\b/g)].map(([, digits]) => Number(digits));
  return [...new Set(found)].slice(0, SPOKEN_MAX);
}

/** The newest facts of what is accused, and all that stores refused. */
function rootsOf(marks: readonly SeenMark[], accused: readonly string[]): readonly number[] {
  const refused = marks.filter(({ kind }) => kind === 'refused');
  const of = accused.flatMap((name) =>
    marks
      .filter(({ kind, text, lane }) => {
        return (
          (kind === 'commit' && text.includes(` ${name} `)) || (kind === 'write' && lane === name)
        );
      })
      .slice(-FACTS_OF_LOCK),
  );
  return [...refused.slice(-FACTS_OF_LOCK), ...of].map(({ seq }) => seq);
}

function frameOf(
  { way, sent, heard, isStale, text }: SeenFrame,
  endUs: number,
  isShown: (moment: Moment) => boolean,
): Frame {
  const { from, to } = way;
  const taken = heard !== null && heard.atUs <= endUs ? heard : null;
  const isYoung = sent.atUs > endUs - UNDER_WAY_US;
  return {
    from,
    to,
    sentUs: sent.atUs,
    heardUs: taken?.atUs ?? null,
    fate: taken !== null ? 'heard' : isYoung ? 'underWay' : 'lost',
    isStale,
    isRoutine: text.isRoutine,
    label: text.label,
    lines: text.lines,
    isInCone: isShown(taken ?? sent),
  };
}
