/** What the store needs of a grant. */
export interface StoreGrant {
  readonly name: string;
  readonly names: readonly string[];
  readonly token: number;
  readonly mode: 'exclusive' | 'shared';
  readonly slots: readonly number[];
  held(): boolean;
}

/** A holder inside. */
export interface Visit {
  readonly grant: StoreGrant;
  readonly keys: readonly string[];
}

/** What the locks protect. */
export class FencedStore {
  constructor(onViolation: (text: string) => void);
  readonly written: number;
  readonly refused: number;
  enter(grant: StoreGrant): Visit;
  leave(visit: Visit): void;
  /** Whether it was taken. */
  write(key: string, token: number): boolean;
}
