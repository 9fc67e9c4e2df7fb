import type { Undo } from './direction.ts';
import type { DiskOperation, PlannedFailure } from './disk-options.ts';

interface Planned {
  readonly plan: PlannedFailure;
  /** Operations of its kind that come through before it. */
  left: number;
}

/** Errors to come, of one life of a disk's owner. */
export class PlannedFailures {
  private planned: Planned[] = [];

  /** Until it is undone, or has come. */
  add(plan: PlannedFailure): Undo {
    const failure = { plan, left: plan.after ?? 0 };
    this.planned.push(failure);
    return () => {
      this.planned = this.planned.filter((each) => each !== failure);
    };
  }

  /** The error of the operation that begins now; null when it is to go well. */
  take(operation: DiskOperation): PlannedFailure | null {
    const at = this.planned.findIndex(({ plan }) => plan.operation === operation);
    const failure = this.planned[at];
    if (failure === undefined) return null;
    failure.left -= 1;
    if (failure.left >= 0) return null;
    this.planned.splice(at, 1);
    return failure.plan;
  }

  clear(): void {
    this.planned = [];
  }
}
