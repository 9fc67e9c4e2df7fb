/** When checkpoints are taken, and what of the log stays behind them (RAFT.md §9). */
export interface CheckpointSettings {
  /** A checkpoint begins when so many rows have changed … */
  readonly dirtyRowsMax: number;
  /** … or so long after the last one, if anything was applied. */
  readonly intervalMs: number;
  /** Applying pauses at so many changed rows until the checkpoint under way is durable. */
  readonly pauseRowsMax: number;
  /** Rows that are encoded in one turn. */
  readonly sliceRows: number;
  /** Entries kept behind the checkpoint for followers that lag a little. */
  readonly trailingEntries: number;
  /** What a transfer pins of the log at most, beyond the trailing entries. */
  readonly pinnedEntriesMax: number;
  /** Bytes of one piece of a transfer. */
  readonly partBytesMax: number;
  /** Pieces on their way at a time. */
  readonly partsInFlightMax: number;
  /** State hashes are compared at entries whose index is a multiple of this. */
  readonly hashEvery: number;
}

/** The values of RAFT.md §0 and §9. */
export const DEFAULT_CHECKPOINTS: CheckpointSettings = {
  dirtyRowsMax: 8_192,
  intervalMs: 1_000,
  pauseRowsMax: 16_384,
  sliceRows: 512,
  trailingEntries: 10_000,
  pinnedEntriesMax: 1_000_000,
  partBytesMax: 192 * 1024,
  partsInFlightMax: 4,
  hashEvery: 16_384,
};
