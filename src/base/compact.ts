/**
 * The same number. A whole one that fits into 31 bits and a sign comes in the form that needs no
 * place of its own in memory, which the difference of two large numbers otherwise has: 16 bytes.
 */
export function compact(value: number): number {
  const word = value | 0;
  return word === value ? word : value;
}
