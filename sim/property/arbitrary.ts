// What goes wrong, as a fast-check value. Drawing and shrinking know nothing of each other: what is
// drawn is aimed (`drawFaults`), and any list that is of the right shape can be made smaller, also
// one that was written by hand or read from a file.

import * as fc from 'fast-check';
import { checkKnown, checkWhole, invalid } from '../../src/client/options.ts';
import { ARG_MAX, FAULT_MS_MAX, drawFaults } from './draw.ts';
import type { FaultPlan } from './draw.ts';
import { WORLD_FAULT_KINDS } from './world-fault.ts';
import type { WorldFault, WorldFaultKind } from './world-fault.ts';

/** What `faults` may draw. */
export interface FaultsOptions {
  /** Kinds of faults; default: all of them. */
  readonly kinds?: readonly WorldFaultKind[];
  /**
   * Whom they strike: see `WorldFault.target`. Default: `holder`, `leader`, the nodes n1 to n3, and
   * the first four processes.
   */
  readonly targets?: readonly (number | string)[];
  /** Most faults of one run, from 1 to 32; default 4. */
  readonly countMax?: number;
  /** The last fault begins so many virtual milliseconds after the beginning; default 5,000. */
  readonly horizonMs?: number;
  /**
   * The TTL of the sessions under test, in milliseconds: many faults last a bit longer than that.
   * Default 15,000, as of clients.
   */
  readonly ttlMs?: number;
}

const TARGETS: readonly (number | string)[] = ['holder', 'leader', 'n1', 'n2', 'n3', 0, 1, 2, 3];
const COUNT_MAX = 32;
const SEED_MAX = 0x7fff_ffff;

/**
 * Lists of faults for `simulate({ faults })`: fc.asyncProperty(faults(), async (list) => …). They
 * shrink to fewer, milder and earlier ones. Throws HoldfastError INVALID for wrong options.
 */
export function faults(options: FaultsOptions = {}): fc.Arbitrary<readonly WorldFault[]> {
  return new FaultsArbitrary(planOf(options));
}

/** The options with their defaults. Throws HoldfastError INVALID. */
export function planOf(options: FaultsOptions): FaultPlan {
  checkKnown(options, ['kinds', 'targets', 'countMax', 'horizonMs', 'ttlMs']);
  const { kinds = WORLD_FAULT_KINDS, targets = TARGETS } = options;
  const { countMax = 4, horizonMs = 5_000, ttlMs = 15_000 } = options;
  checkWhole('countMax', countMax, [1, COUNT_MAX]);
  checkWhole('horizonMs', horizonMs, [0, FAULT_MS_MAX]);
  checkWhole('ttlMs', ttlMs, [1, FAULT_MS_MAX]);
  const known = kinds.filter((kind) => WORLD_FAULT_KINDS.includes(kind));
  if (kinds.length === 0 || known.length < kinds.length) {
    throw invalid('kinds', `some of ${WORLD_FAULT_KINDS.join(', ')}`, kinds);
  }
  if (targets.length === 0) throw invalid('targets', 'at least one target', targets);
  return { kinds, targets, countMax, horizonMs, ttlMs };
}

class FaultsArbitrary extends fc.Arbitrary<readonly WorldFault[]> {
  private readonly plan: FaultPlan;
  private readonly shape: fc.Arbitrary<readonly WorldFault[]>;

  constructor(plan: FaultPlan) {
    super();
    this.plan = plan;
    const ms = fc.integer({ min: 0, max: FAULT_MS_MAX });
    const fault = fc.record({
      kind: fc.constantFrom(...plan.kinds),
      target: fc.constantFrom(...plan.targets),
      atMs: ms,
      forMs: ms,
      arg: fc.integer({ min: 0, max: ARG_MAX }),
    });
    this.shape = fc.array(fault, { maxLength: plan.countMax });
  }

  override generate(random: fc.Random): fc.Value<readonly WorldFault[]> {
    return new fc.Value(drawFaults(random.nextInt(0, SEED_MAX), this.plan), undefined);
  }

  override canShrinkWithoutContext(value: unknown): value is readonly WorldFault[] {
    return this.shape.canShrinkWithoutContext(value);
  }

  override shrink(
    value: readonly WorldFault[],
    context: unknown,
  ): fc.Stream<fc.Value<readonly WorldFault[]>> {
    return this.shape.shrink(value, context);
  }
}
