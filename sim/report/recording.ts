// What a run looked like, as plain data: lanes with what lasts, what happens, and what travels.

/** What has a lane of its own: a node, a process of the user, a fenced store, a lock. */
export type LaneKind = 'node' | 'process' | 'store' | 'lock';

/** One of them. */
export interface Lane {
  readonly name: string;
  readonly kind: LaneKind;
}

/** What lasts: roles of nodes, lives of processes, what is held and waited for, what is broken. */
export type SpanKind =
  | 'follower'
  | 'candidate'
  | 'leader'
  | 'dead'
  | 'paused'
  | 'belief'
  | 'hold'
  | 'wait'
  | 'delay'
  | 'fault';

/** Something that lasts. Times are virtual microseconds of the world. */
export interface Span {
  readonly kind: SpanKind;
  /** Name of its lane; of a fault: whom it strikes, or nobody in particular. */
  readonly lane: string;
  readonly fromUs: number;
  /** At most the end of the recording. */
  readonly toUs: number;
  /** A few words, to be written into it. */
  readonly label: string;
  /** Of roles: the term. */
  readonly term: number | null;
}

/** What happens in an instant. */
export type MarkKind =
  'start' | 'crash' | 'commit' | 'disk' | 'write' | 'refused' | 'note' | 'remark';

/** Something that happens. */
export interface Mark {
  readonly kind: MarkKind;
  readonly lane: string;
  readonly atUs: number;
  /** A sentence or two. */
  readonly text: string;
  /** The violation follows from it. */
  readonly isInCone: boolean;
}

/** A frame: `lost` is what was not taken in until the end, unless it may still be under way. */
export interface Frame {
  readonly from: string;
  readonly to: string;
  readonly sentUs: number;
  /** null: it was not taken in. */
  readonly heardUs: number | null;
  readonly fate: 'heard' | 'lost' | 'underWay';
  /** It came over an old link, after its successor had begun to deliver. */
  readonly isStale: boolean;
  /** Nothing but signs of life. */
  readonly isRoutine: boolean;
  /** The names of its messages. */
  readonly label: string;
  /** Its messages, one a line. */
  readonly lines: readonly string[];
  readonly isInCone: boolean;
}

/** What was broken. */
export interface RecordedViolation {
  /** Its name: `INV-17`, `CHECK`, … */
  readonly oracle: string;
  /** One sentence; what follows on further lines is evidence. */
  readonly message: string;
  readonly atUs: number;
}

/** What is told around the picture. */
export interface Ending {
  /** null: nothing was broken, as when a recording is there to be compared with. */
  readonly violation: RecordedViolation | null;
  /** What was done to the world, in prose, one line each. */
  readonly scenario: readonly string[];
  /** How the run is seen again: a command, or a line of code. */
  readonly replay: string;
}

/** All of it, in the order of time. */
export interface Recording extends Ending {
  /** When the scenario began: what is told is counted from here. */
  readonly originUs: number;
  readonly traceHash: string;
  /** Events of the whole run. */
  readonly events: number;
  readonly endUs: number;
  readonly lanes: readonly Lane[];
  readonly spans: readonly Span[];
  readonly marks: readonly Mark[];
  readonly frames: readonly Frame[];
  /** Names of processes and locks that the violation speaks of, or follows from. */
  readonly accused: readonly string[];
  /** Times that the violation speaks of, other than its own. */
  readonly spokenUs: readonly number[];
  /** Who is behind ids in the sentence of the violation, in words. */
  readonly aliases: readonly string[];
  /** What was left out because there was too much, in words. */
  readonly leftOut: readonly string[];
}
