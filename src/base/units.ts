// Names for the numbers that must not be mixed up. Each is a plain number at run time; the
// optional tag lets a literal or a sum be used, but refuses a Term where an Index is wanted.

/** Raft term: counts elections. 0 before the first one. */
export type Term = number & {
  /** Never there at run time: it keeps a term from being taken for an index. */
  readonly unit?: 'term';
};
/** Position of an entry in the replicated log. Below 2^53. */
export type Index = number & {
  /** Never there at run time: it keeps an index from being taken for a term. */
  readonly unit?: 'index';
};
/** Fencing token: it is the index of the entry that performed the grant. 0 is never a token. */
export type Token = Index;
/** The applied index that an answer reflects. */
export type Revision = Index;
/** Microseconds of a process's own monotonic clock; comparable only within that process. */
export type MonoUs = number & {
  /** For the compiler alone: no number has it. */
  readonly unit?: 'monoUs';
};
/** Lease time Λ of a leader in microseconds (RAFT.md §14.1); never runs faster than its clock. */
export type LeaseUs = number & { readonly unit?: 'leaseUs' };

/** A configured name of a node, such as `n1`. Never reused after removal. */
export type NodeId = string;
/** 128 random bits in hex, minted with a data directory: two directories are never one voter. */
export type StoreId = string;
/** `<index>-<96-bit nonce, base64url>`: cannot be guessed, and is not met in another cluster. */
export type SessionId = string;

/** Microseconds in a millisecond. */
export const US_PER_MS = 1_000;
