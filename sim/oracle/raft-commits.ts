import type { Index, NodeId, Term } from '../../src/base/units.ts';
import { LogTerms } from './log-terms.ts';
import type { NodeHistory } from './raft-history.ts';
import type { LifeView } from './raft-view.ts';
import type { Verdict } from './verdict.ts';

/** Everything up to `end` was committed by the leader of this term, or an earlier one. */
interface Reign {
  readonly term: Term;
  end: Index;
}

/** What all nodes together ever treated as committed. */
export class Commits {
  private readonly histories: ReadonlyMap<NodeId, NodeHistory>;
  private readonly lives: ReadonlyMap<NodeId, LifeView>;
  private readonly verdict: Verdict;
  private log: LogTerms | null = null;
  /** In log order; their terms need not be, for an old leader may learn late. */
  private readonly reigns: Reign[] = [];

  constructor(parts: {
    readonly histories: ReadonlyMap<NodeId, NodeHistory>;
    readonly lives: ReadonlyMap<NodeId, LifeView>;
    readonly verdict: Verdict;
  }) {
    this.histories = parts.histories;
    this.lives = parts.lives;
    this.verdict = parts.verdict;
  }

  /** Nobody has committed anything yet. */
  get isEmpty(): boolean {
    return this.log === null;
  }

  /** The largest index that anybody treated as committed; 0 before the first. */
  get lastIndex(): Index {
    return this.log?.lastIndex ?? 0;
  }

  /** The first entry of a log that is not committed as it is. */
  firstDoubtful(log: LogTerms): Index {
    let index = log.lastIndex;
    while (index > log.anchorIndex && !this.has(index, log.termAt(index))) index--;
    return index + 1;
  }

  /** Whether this very entry is committed. */
  has(index: Index, term: Term | null): boolean {
    const { log } = this;
    return log !== null && index >= log.anchorIndex && log.termAt(index) === term && term !== null;
  }

  /** The node now treats everything up to `upTo` as committed. */
  advance(life: LifeView, from: Index, upTo: Index): void {
    const { id, mirror } = life;
    this.log ??= new LogTerms({ index: mirror.anchorIndex, term: mirror.anchorTerm });
    const before = this.log.lastIndex;
    // What a checkpoint contains is not told entry by entry; its last one is.
    const first = Math.max(from + 1, mirror.anchorIndex);
    for (let index = first; index <= upTo; index++) {
      const term = mirror.termAt(index);
      if (term === null) return;
      const known = this.log.termAt(index);
      if (known === null && index > this.log.lastIndex + 1) {
        const what = `${id} has a checkpoint up to entry ${index}`;
        this.verdict.report('INV-5', `${what}; only ${this.log.lastIndex} entries are committed`);
        return;
      }
      if (known === null) this.log.append(term);
      else if (known !== term) {
        const what = `${id} treats entry ${index} of term ${term} as committed`;
        this.verdict.report('INV-5', `${what}, another node that of term ${known}`);
        return;
      }
    }
    if (upTo > before) this.extended(life, upTo);
  }

  /** INV-4: a new leader has everything that leaders of earlier terms committed. */
  checkLeader({ id, mirror, core }: LifeView): void {
    const { term } = core.hard;
    const reign = this.reigns.findLast((each) => each.term < term);
    if (reign === undefined || reign.end < mirror.anchorIndex) return;
    if (this.has(reign.end, mirror.termAt(reign.end))) return;
    this.verdict.report('INV-4', `${id} leads in term ${term} without entry ${reign.end}`);
  }

  private extended(life: LifeView, end: Index): void {
    const { id, mirror, core } = life;
    const { term } = core.hard;
    const last = this.reigns.at(-1);
    if (last?.term === term) last.end = end;
    else this.reigns.push({ term, end });
    this.checkQuorum(life, end);
    // Whoever was elected meanwhile has it too, though it learned nothing of its commitment.
    for (const other of this.lives.values()) {
      if (other.ledTerm <= term || other.mirror.covers(end, mirror.termAt(end))) continue;
      const who = `${other.id}, leader of term ${other.ledTerm}`;
      this.verdict.report('INV-4', `${who}, lacks entry ${end}, which ${id} committed`);
    }
  }

  /** INV-6: at this moment a majority of each half has the entry on disk. */
  private checkQuorum({ id, mirror, core }: LifeView, index: Index): void {
    const term = mirror.termAt(index);
    const { voters, votersOutgoing } = core.configurations.latest.config;
    for (const half of [voters, votersOutgoing]) {
      if (half.length === 0) continue;
      let having = 0;
      for (const { nodeId, storeId } of half) {
        const disk = this.histories.get(nodeId)?.disk;
        if (disk?.storeId === storeId && disk.log.covers(index, term)) having++;
      }
      this.verdict.expect(
        having * 2 > half.length,
        'INV-6',
        () =>
          `${id} treats entry ${index} as committed; it is on ${having} of ${half.length} disks`,
      );
    }
  }
}
