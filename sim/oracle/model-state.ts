import type { Index, SessionId, Term, Token } from '../../src/base/units.ts';
import type { OpenSession } from '../../src/locks/commands.ts';
import type { LockEvent } from '../../src/locks/outcomes.ts';

/** A session that lives. */
export interface ModelSession {
  readonly id: SessionId;
  readonly open: OpenSession;
  isUsed: boolean;
  ackedBelow: number;
  /** Answers that are kept, by seq; a null hash stands for any content. */
  readonly answers: Map<number, { readonly hash: number | null; readonly answer: string }>;
  /** Live acquires by seq, in the order in which they came. */
  readonly requests: Map<number, ModelRequest>;
}

/** A live acquire. */
export interface ModelRequest {
  readonly session: ModelSession;
  readonly seq: number;
  readonly hash: number;
  readonly index: Index;
  readonly names: readonly string[];
  /** 0 while it waits. */
  token: Token;
}

/** One entry on its way through the model. */
export interface ModelStep {
  readonly index: Index;
  readonly term: Term;
  /** What follows, in any order. */
  readonly facts: LockEvent[];
  /** The answer in one line, without the texts that are for people. */
  answer: string;
  /** False when it was answered from memory, or refused, and must change nothing. */
  isExecuted: boolean;
}

/**
 * One line of requests for each name, in the order in which they came. A request holds its names
 * as soon as it stands first in all of their lines: this is the whole granting rule for exclusive
 * locks, and hence who is first in a line and has no token waits for another name.
 */
export class ModelLines {
  private readonly lines = new Map<string, ModelRequest[]>();

  first(name: string): ModelRequest | null {
    return this.lines.get(name)?.[0] ?? null;
  }

  join(request: ModelRequest): void {
    for (const name of request.names) {
      const line = this.lines.get(name);
      if (line === undefined) this.lines.set(name, [request]);
      else line.push(request);
    }
  }

  leave(request: ModelRequest): void {
    for (const name of request.names) {
      const line = this.lines.get(name) ?? [];
      line.splice(line.indexOf(request), 1);
      if (line.length === 0) this.lines.delete(name);
    }
  }

  isFirst(request: ModelRequest): boolean {
    return request.names.every((name) => this.first(name) === request);
  }

  /** How many wait before it, in the longest of its lines. */
  ahead(request: ModelRequest): number {
    let most = 0;
    for (const name of request.names) {
      const line = this.lines.get(name) ?? [];
      const holders = (line[0]?.token ?? 0) > 0 ? 1 : 0;
      most = Math.max(most, line.indexOf(request) - holders);
    }
    return most;
  }

  /** Those who may have come to stand first everywhere, now that these names lost somebody. */
  candidates(names: readonly string[]): readonly ModelRequest[] {
    const found = new Set<ModelRequest>();
    for (const name of names) {
      const first = this.first(name);
      if (first !== null && first.token === 0 && this.isFirst(first)) found.add(first);
    }
    return [...found].sort((left, right) => left.index - right.index);
  }
}
