// The story as lines for a terminal: a lane for each worker and the database, time downwards.

import { showDuration } from '../duration.ts';
import type { Act, StoryEvent } from './story.ts';

/** How lines are drawn. */
export interface TimelineStyle {
  readonly isColourful: boolean;
  readonly ttlMs: number;
}

const PLAIN = { red: '', green: '', dim: '', bold: '', off: '' } as const;
const COLOURS = {
  red: '\u001b[31m',
  green: '\u001b[32m',
  dim: '\u001b[2m',
  bold: '\u001b[1m',
  off: '\u001b[0m',
} as const;

/** Draws one act line by line, as it happens. */
export class Timeline {
  private readonly style: TimelineStyle;
  private readonly colours: typeof PLAIN | typeof COLOURS;
  private isStopped = false;
  private hasTwo = false;

  constructor(style: TimelineStyle) {
    this.style = style;
    this.colours = style.isColourful ? COLOURS : PLAIN;
  }

  /** The line above an act. */
  heading(isGuarded: boolean): string {
    const { bold, off } = this.colours;
    const what = isGuarded ? 'the database compares tokens' : 'nobody compares tokens';
    return `${bold}${isGuarded ? 'With a guard' : 'Without a guard'}${off}: ${what}`;
  }

  /** The line for one event. */
  line(event: StoryEvent): string {
    const lanes = this.lanes(event);
    if (event.kind === 'stopped') this.isStopped = true;
    if (event.kind === 'resumed') this.isStopped = false;
    if (event.who === 'worker-2') this.hasTwo = true;
    const time = `${(event.atMs / 1_000).toFixed(2)} s`.padStart(8);
    return `${time}  ${lanes}  ${this.painted(event)}`;
  }

  /** What an act came to. */
  verdict({ isGuarded, problems, value }: Act): string {
    const { red, green, off } = this.colours;
    if (problems.length > 0) return `${red}not as told: ${problems.join('; ')}${off}`;
    const holds = `the database holds what ${value} wrote`;
    return isGuarded
      ? `${green}${holds}: the late write was refused${off}`
      : `${red}${holds}: nobody noticed that worker-2 was overwritten${off}`;
  }

  private lanes({ kind, who }: StoryEvent): string {
    const isFirst = who === 'worker-1';
    if (kind === 'taken') return isFirst ? '●──┼──▶' : `${this.first()}  ●──▶`;
    if (kind === 'refused') return isFirst ? '●──┼──✗' : `${this.first()}  ●──✗`;
    const marks = { granted: '◆', looked: '●', stopped: '▒', resumed: '●', told: '!' } as const;
    const mark = marks[kind];
    const second = isFirst ? (this.hasTwo ? '│' : ' ') : mark;
    return `${isFirst ? mark : this.first()}  ${second}  │`;
  }

  private first(): string {
    return this.isStopped ? '▒' : '│';
  }

  private painted(event: StoryEvent): string {
    const { red, green, dim, off } = this.colours;
    const text = eventText(event, this.style.ttlMs);
    if (event.kind === 'refused') return `${green}${text}${off}`;
    if (event.kind === 'taken' && event.who === 'worker-1') return `${red}${text}${off}`;
    return event.kind === 'stopped' ? `${dim}${text}${off}` : text;
  }
}

/** What happened, in one sentence. */
export function eventText({ kind, who, token, seen, text }: StoryEvent, ttlMs: number): string {
  const late = who === 'worker-1';
  switch (kind) {
    case 'granted':
      return late
        ? `${who} has the lock: token ${token}, TTL ${showDuration(ttlMs)}`
        : `the lease is over, ${who} has the lock: token ${token}`;
    case 'looked':
      return `${who} looks: it holds the lock, and is about to write`;
    case 'stopped':
      return `${who} is stopped (SIGSTOP)`;
    case 'resumed':
      return `${who} goes on (SIGCONT), and writes as it was about to`;
    case 'taken':
      return `${who} wrote with token ${token}: taken${late ? ', over the newer value' : ''}`;
    case 'refused':
      return `${who} wrote with token ${token}: refused, STALE_TOKEN: ${seen} was seen`;
    case 'told':
      return `${who} is told that its lock is lost (${text}); its write is on its way`;
  }
}
