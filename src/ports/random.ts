/** A source of uniformly random bits. */
export interface Random {
  /** A whole number from 0 to 2^32 - 1. */
  u32(): number;
}
