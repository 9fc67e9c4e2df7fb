// What the processes of the story say to each other. Everything that comes is looked at before it
// is believed: a message is plain data from another process.

/** What a process is told to do next. */
export type Order = 'acquire' | 'write';

/** What happened to a process, each once in its life. */
export type Milestone = 'ready' | 'granted' | 'looked' | 'answered' | 'told';

/** What a process reports. */
export interface Report {
  readonly what: Milestone;
  /** Of its grant; 0 where there is none. */
  readonly token: number;
  /** `answered`: whether the write was taken. */
  readonly isTaken: boolean;
  /** `answered`: the largest token that the database had seen, 0 if that was not told. */
  readonly seen: number;
  /** An address, the code of a loss, or what an answer said. */
  readonly text: string;
}

/** What a worker is started with. */
export interface WorkerPlan {
  readonly name: string;
  readonly nodes: readonly string[];
  readonly ttlMs: number;
  /** The lock. */
  readonly lock: string;
  /** Where to write what the lock protects. */
  readonly url: string;
}

/** A write to the database, as the body of a request. */
export interface StockWrite {
  readonly value: string;
  readonly token: number;
}

const MILESTONES: readonly string[] = [
  'ready',
  'granted',
  'looked',
  'answered',
  'told',
] satisfies readonly Milestone[];

/** Sends a report to whoever started this process. */
export function report(what: Milestone, facts: Partial<Omit<Report, 'what'>> = {}): void {
  process.send?.({ what, token: 0, isTaken: false, seen: 0, text: '', ...facts });
}

/** A report, or null for anything else. */
export function readReport(message: unknown): Report | null {
  if (!isRecord(message)) return null;
  const { what, token, isTaken, seen, text } = message;
  if (!isMilestone(what) || typeof token !== 'number' || typeof seen !== 'number') return null;
  if (typeof isTaken !== 'boolean' || typeof text !== 'string') return null;
  return { what, token, isTaken, seen, text };
}

/** A worker's plan from its argument. Throws for anything else. */
export function readPlan(json: string | undefined): WorkerPlan {
  const plan: unknown = JSON.parse(json ?? 'null');
  if (isRecord(plan)) {
    const { name, nodes, ttlMs, lock, url } = plan;
    const isNamed = typeof name === 'string' && typeof lock === 'string';
    if (isNamed && typeof url === 'string' && typeof ttlMs === 'number' && isTexts(nodes)) {
      return { name, nodes, ttlMs, lock, url };
    }
  }
  throw new Error(`expected the plan of a worker; got ${String(json)}`);
}

/** A write, or null for anything else. */
export function readWrite(json: string): StockWrite | null {
  const body: unknown = JSON.parse(json);
  if (!isRecord(body)) return null;
  const { value, token } = body;
  return typeof value === 'string' && typeof token === 'number' ? { value, token } : null;
}

/** Whether it is an object whose fields may be looked at. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isMilestone(value: unknown): value is Milestone {
  return typeof value === 'string' && MILESTONES.includes(value);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
