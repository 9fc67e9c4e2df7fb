// Where oracles report. They never throw: they look from inside events of the product, which would
// take an exception for its own.

/** What a user's run may break beside the promises of the product; see sim/api/error.ts. */
export type UserOracleName = 'CHECK' | 'PROGRAM' | 'AMBIENT' | 'DEADLOCK' | 'LIMIT';

/** The name of what was promised and not kept: an invariant, liveness, determinism, a crash. */
export type OracleName =
  | `INV-${number}`
  | `LIV-${number}`
  | `DET-${number}`
  | 'EXIT'
  | 'ASSERT'
  | 'API'
  | 'SPIN'
  | UserOracleName;

/** A broken promise. */
export interface Violation {
  readonly oracle: OracleName;
  /** One sentence with the facts. */
  readonly message: string;
  /** Virtual time in microseconds. */
  readonly atUs: number;
}

/** Keeps the first violation of a run. */
export class Verdict {
  private first: Violation | null = null;
  private readonly nowUs: () => number;

  constructor(nowUs: () => number) {
    this.nowUs = nowUs;
  }

  get violation(): Violation | null {
    return this.first;
  }

  report(oracle: OracleName, message: string): void {
    this.first ??= { oracle, message, atUs: this.nowUs() };
  }

  /** Reports unless it is so. The message is only made when it is needed. */
  expect(isSo: boolean, oracle: OracleName, message: () => string): void {
    if (!isSo) this.report(oracle, message());
  }
}

/** The invariant that an assertion of the product names in its text; `otherwise` if none. */
export function promiseIn(text: string, otherwise: OracleName): OracleName {
  const [, kind, number] = /\b(INV|LIV)-(\d+)/.exec(text) ?? [];
  if (number === undefined) return otherwise;
  return kind === 'LIV' ? `LIV-${Number(number)}` : `INV-${Number(number)}`;
}

/** Exit code of a node that met a broken assertion of its own. */
const EXIT_INTERNAL = 70;

/** A node ended by itself, and its disk is not to blame. */
export function reportExit(
  verdict: Verdict,
  id: string,
  { exitCode, message }: { readonly exitCode: number; readonly message: string },
): void {
  const [text = ''] = message.split('\n');
  const oracle = promiseIn(text, exitCode === EXIT_INTERNAL ? 'ASSERT' : 'EXIT');
  verdict.report(oracle, `${id} ended with exit code ${exitCode}: ${text}`);
}
