export interface RaceResult {
  readonly store: string;
  readonly mode: string;
  readonly seconds: number;
  readonly workers: number;
  readonly pauses: number;
  readonly accepted: number;
  readonly refused: number;
  readonly failed: number;
  readonly overwrites: number;
  readonly failures: readonly string[];
}

export const MODES: readonly string[];

export function fenceRaces(options: {
  readonly stores: readonly string[];
  readonly modes?: readonly string[];
  readonly seconds?: number;
  readonly isJoint?: boolean;
}): Promise<RaceResult[]>;
