// The story: a holder looks at its lock and is stopped before it writes; its lease ends, another
// one takes the lock and writes; the first one goes on and writes, too. Every step waits for the
// one before it to have happened, never for a time.

import type { Actor } from './actor.ts';
import type { ActorPlan } from './actor.ts';
import { isRecord } from './messages.ts';
import type { Report, WorkerPlan } from './messages.ts';

/** One of the two workers. */
export type WorkerName = 'worker-1' | 'worker-2';

/** What happened, in the order in which it was seen. */
export interface StoryEvent {
  /** Since the first worker has the lock. */
  readonly atMs: number;
  readonly kind: 'granted' | 'looked' | 'stopped' | 'resumed' | 'taken' | 'refused' | 'told';
  readonly who: WorkerName;
  /** Of the worker's grant. */
  readonly token: number;
  /** `refused`: the largest token that the database had seen; else 0. */
  readonly seen: number;
  /** `refused`: what the database answered; `told`: the code of the loss; else empty. */
  readonly text: string;
}

/** How one act ended. */
export interface Act {
  /** Whether the database compares tokens. */
  readonly isGuarded: boolean;
  readonly events: readonly StoryEvent[];
  /** What the database holds in the end. */
  readonly value: string;
  /** What was not as the story tells it; empty when it was. */
  readonly problems: readonly string[];
}

/** Where an act is played. */
export interface Stage {
  readonly nodes: readonly string[];
  readonly ttlMs: number;
  /** Of the database. */
  readonly url: string;
  /** Starts a process that will be ended, whatever happens. */
  start(plan: Omit<ActorPlan, 'prefix' | 'logFile'>): Actor;
  /** Called for each event as it happens. */
  onEvent(event: StoryEvent): void;
}

/** Plays one act. Rejects with a Failure when a process ends or hangs. */
export async function playAct(stage: Stage, isGuarded: boolean): Promise<Act> {
  const table = isGuarded ? 'guarded' : 'open';
  const url = `${stage.url}/${table}/stock`;
  const log = new EventLog(stage);
  const first = startWorker(stage, 'worker-1', { url, lock: `demo/${table}` });
  const second = startWorker(stage, 'worker-2', { url, lock: `demo/${table}` });
  await Promise.all([first.next('ready'), second.next('ready')]);
  first.order('acquire');
  log.add('granted', 'worker-1', await first.next('granted'));
  const looked = await first.next('looked');
  log.add('looked', 'worker-1', looked);
  first.signal('SIGSTOP');
  log.add('stopped', 'worker-1', looked);
  second.order('acquire');
  log.add('granted', 'worker-2', await second.next('granted'));
  log.add('looked', 'worker-2', await second.next('looked'));
  second.order('write');
  log.addAnswer('worker-2', await second.next('answered'));
  // It reads this as soon as it goes on: the write that it was about to make.
  first.order('write');
  log.add('resumed', 'worker-1', looked);
  first.signal('SIGCONT');
  await Promise.all([
    first.next('told').then((told) => log.add('told', 'worker-1', told)),
    first.next('answered').then((answer) => log.addAnswer('worker-1', answer)),
  ]);
  const { events } = log;
  const value = await readValue(url);
  await Promise.all([first, second].map(endWorker));
  return { isGuarded, events, value, problems: problemsOf(events, { value, isGuarded }) };
}

class EventLog {
  readonly events: StoryEvent[] = [];
  private readonly stage: Stage;
  private beganMs = 0;

  constructor(stage: Stage) {
    this.stage = stage;
  }

  add(kind: StoryEvent['kind'], who: WorkerName, { token, seen, text }: Report): void {
    const nowMs = performance.now();
    if (this.events.length === 0) this.beganMs = nowMs;
    const event = { atMs: Math.round(nowMs - this.beganMs), kind, who, token, seen, text };
    this.events.push(event);
    this.stage.onEvent(event);
  }

  addAnswer(who: WorkerName, answer: Report): void {
    this.add(answer.isTaken ? 'taken' : 'refused', who, answer);
  }
}

function startWorker(
  stage: Stage,
  name: WorkerName,
  { url, lock }: Pick<WorkerPlan, 'url' | 'lock'>,
): Actor {
  const { nodes, ttlMs } = stage;
  const plan: WorkerPlan = { name, nodes, ttlMs, lock, url };
  return stage.start({ name, program: './worker.js', argument: JSON.stringify(plan) });
}

async function endWorker(worker: Actor): Promise<void> {
  worker.signal('SIGKILL');
  await worker.ended;
}

async function readValue(url: string): Promise<string> {
  const answer: unknown = await (await fetch(url)).json();
  const value = isRecord(answer) ? answer['value'] : null;
  return typeof value === 'string' ? value : '';
}

/** What the events are held against. */
export interface Ending {
  /** What the database holds in the end. */
  readonly value: string;
  readonly isGuarded: boolean;
}

/** What is not as the story tells it; empty when all is. */
export function problemsOf(events: readonly StoryEvent[], { value, isGuarded }: Ending): string[] {
  const answerOf = (who: WorkerName): StoryEvent | undefined =>
    events.find((event) => event.who === who && ['taken', 'refused'].includes(event.kind));
  const [late, next] = [answerOf('worker-1'), answerOf('worker-2')];
  const wanted = isGuarded ? 'worker-2' : 'worker-1';
  const isRefusalWhole = late?.seen === next?.token;
  const checks: readonly (readonly [boolean, string])[] = [
    [(late?.token ?? 0) < (next?.token ?? 0), 'the second grant has no larger token'],
    [next?.kind === 'taken', 'the write of the holder was refused'],
    [
      late?.kind === (isGuarded ? 'refused' : 'taken'),
      `the late write was ${late?.kind ?? 'not answered'}`,
    ],
    [!isGuarded || isRefusalWhole, 'the refusal does not tell the token that was seen'],
    [value === wanted, `the database holds what ${value} wrote, not ${wanted}`],
  ];
  return checks.flatMap(([isGood, problem]) => (isGood ? [] : [problem]));
}
