// Rare states that a test suite must have seen to be worth anything. Production code marks them
// where they happen; a campaign counts the marks and names those that nothing reached. Outside a
// campaign a mark costs one comparison. Nothing ever reads a mark back into a decision.

/** Every rare state by its id, with one sentence; docs/probes.md is made from it. */
export const PROBES = {
  'leader-deposed-with-tail': 'A leader steps down while entries of its own are uncommitted.',
} as const satisfies Readonly<Record<string, string>>;

/** One of them. */
export type ProbeId = keyof typeof PROBES;

/** Where marks go. */
export type ProbeSink = (id: ProbeId) => void;

/** The one place that marks are sent to. */
class Probes {
  private sink: ProbeSink | null = null;

  /** This state has come about. */
  reach(id: ProbeId): void {
    this.sink?.(id);
  }

  /** The same, if it is so. */
  sometimes(id: ProbeId, isSo: boolean): void {
    if (isSo) this.sink?.(id);
  }

  /** Sends marks there until the function that it returns is called. Not nested. */
  collect(sink: ProbeSink): () => void {
    this.sink = sink;
    return () => {
      this.sink = null;
    };
  }
}

/** See the head of this file. */
export const probes = new Probes();
