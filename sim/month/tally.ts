// What happened in a month, counted.

import type { Index } from '../../src/base/units.ts';
import type { HostWatch } from '../../src/node/host-types.ts';
import type { RaftEffect } from '../../src/raft/events.ts';
import { DAY_MS } from './settings.ts';

/** What operators do, and what goes wrong, each once so often. */
export type ActName =
  | 'crash'
  | 'power loss'
  | 'isolation'
  | 'pause'
  | 'slow disk'
  | 'bad network'
  | 'client crash'
  | 'all nodes down'
  | 'replacement'
  | 'replacement of a dead node'
  | 'growth and shrinking'
  | 'transfer'
  | 'rolling restart'
  | 'backup';

/** Counts of a run; see `lines`. */
export class Tally {
  /** Cluster time. */
  timeMs = 0;
  /** Acquires and releases that were acknowledged to clients. */
  operations = 0;
  /** The same that came to an end with an error that clients must expect. */
  failures = 0;
  entries = 0;
  checkpoints = 0;
  compactions = 0;
  installs = 0;
  joins = 0;
  replacements = 0;
  restores = 0;
  elections = 0;
  staleWritesRefused = 0;
  events = 0;
  readonly acts = new Map<ActName, number>();

  /** Counts what a life of a node does. */
  watch(): HostWatch {
    let anchor: Index = Infinity;
    return {
      started: (_, start) => {
        anchor = start.anchor.index;
      },
      stepped: (event, effects) => {
        if (event.type === 'compacted') {
          this.checkpoints++;
          if (event.anchor.index > anchor) this.compactions++;
          anchor = Math.max(anchor, event.anchor.index);
        }
        if (isElected(effects)) this.elections++;
      },
      applied: () => {},
      installed: () => {
        this.installs++;
      },
    };
  }

  did(act: ActName): void {
    this.acts.set(act, (this.acts.get(act) ?? 0) + 1);
  }

  /** For people: a count in each line. */
  lines(): readonly string[] {
    const seconds = this.timeMs / 1_000;
    const counts: readonly (readonly [string, string])[] = [
      ['cluster time', `${(this.timeMs / DAY_MS).toFixed(2)} days`],
      ['operations acknowledged', `${this.operations}`],
      ['per second of cluster time', (this.operations / seconds).toFixed(2)],
      ['operations failed', `${this.failures}`],
      ['entries of the logs', `${this.entries}`],
      ['checkpoints', `${this.checkpoints}`],
      ['compactions of a log', `${this.compactions}`],
      ['snapshots installed', `${this.installs}`],
      ['blank nodes that joined', `${this.joins}`],
      ['replacements', `${this.replacements}`],
      ['restores', `${this.restores}`],
      ['elections', `${this.elections}`],
      ['stale writes refused', `${this.staleWritesRefused}`],
      ['events simulated', `${this.events}`],
      ...[...this.acts].map(([act, count]) => [act, `${count}`] as const),
    ];
    return counts.map(([name, count]) => `${name.padEnd(28)} ${count.padStart(12)}`);
  }
}

/** Whether the node begins to lead with this step. */
export function isElected(effects: readonly RaftEffect[]): boolean {
  return effects.some((effect) => effect.type === 'role' && effect.role === 'leader');
}
