/** One change of a batch. */
export type KeyValueOp =
  | { readonly type: 'put'; readonly key: string; readonly value: Uint8Array }
  | { readonly type: 'delete'; readonly key: string };

/** A stored pair; keys are ASCII. */
export interface KeyValuePair {
  readonly key: string;
  readonly value: Uint8Array;
}

/** Why a call failed. `full`: no space left (ENOSPC, EDQUOT). `locked`: another process has it. */
export interface StorageFailure {
  readonly kind: 'full' | 'io' | 'locked' | 'corrupt';
  readonly message: string;
}

/** The answer to a call: its value, or why there is none. */
export type Stored<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: StorageFailure };

/**
 * An ordered store with atomic, synced batches. Keys are ASCII text, compared byte by byte.
 * No call-back runs inside the call that asked for it.
 */
export interface KeyValue {
  /** Opens, creating it when `create` is set and nothing is there. */
  open(create: boolean, done: (result: Stored<{ readonly created: boolean }>) => void): void;
  /**
   * All operations or none, on disk (fdatasync) before `done`. Deletes come before puts. Many are
   * taken a few at a time, between turns of the event loop, so they may be made as they are taken.
   */
  batch(ops: Iterable<KeyValueOp>, done: (result: Stored<void>) => void): void;
  /** Pairs with from <= key < to in key order, ending after about maxBytes (at least one pair). */
  range(
    from: string,
    to: string,
    maxBytes: number,
    done: (result: Stored<readonly KeyValuePair[]>) => void,
  ): void;
  /** A view of the store as it is now, whatever is written later. Several may be open. */
  snapshot(done: (result: Stored<KeyValueSnapshot>) => void): void;
  /** Free bytes of the medium, for the reserve (RAFT.md §15.4). */
  freeBytes(done: (result: Stored<number>) => void): void;
  close(done: () => void): void;
}

/** An unchanging view of a store. Must be closed; is worth nothing once the store is closed. */
export interface KeyValueSnapshot {
  /** As KeyValue.range. */
  range(
    from: string,
    to: string,
    maxBytes: number,
    done: (result: Stored<readonly KeyValuePair[]>) => void,
  ): void;
  /** Idempotent. */
  close(): void;
}

/** One small file that is always replaced as a whole and synced (RAFT.md §15.2). */
export interface SlotFile {
  /** Its content, or null when the file does not exist. */
  read(done: (result: Stored<Uint8Array | null>) => void): void;
  /** Replaces the content; durable (file and directory) before `done`. */
  write(content: Uint8Array, done: (result: Stored<void>) => void): void;
}
