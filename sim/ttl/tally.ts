/** A share of all cases as it was measured. */
export interface Estimate {
  /** From 0 to 1. */
  readonly share: number;
  /** Standard error of `share`. */
  readonly error: number;
}

/**
 * Estimates a share from cases that were not drawn as often as they happen: each counts with the
 * weight "how often it happens : how often it is drawn". Weight 1 is plain counting.
 */
export class Tally {
  private cases = 0;
  private total = 0;
  private squares = 0;

  /** One case more. */
  add(isHit: boolean, weight = 1): void {
    this.cases += 1;
    if (!isHit) return;
    this.total += weight;
    this.squares += weight * weight;
  }

  /** Of all cases so far; there must be two of them at least. */
  estimate(): Estimate {
    const share = this.total / this.cases;
    const variance = (this.squares / this.cases - share * share) / (this.cases - 1);
    return { share, error: Math.sqrt(Math.max(0, variance)) };
  }
}
