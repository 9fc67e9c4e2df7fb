// How prose names what a script counts.

/** `c1` for place 0: references wrap around. */
export function nameOf(letter: 'n' | 'c' | 'k', place: number, count: number): string {
  return `${letter}${(place % count) + 1}`;
}

/** A time span, in the unit that suits it. */
export function spanOf(durationMs: number): string {
  return durationMs < 1_000 ? `${durationMs} ms` : `${durationMs / 1_000} s`;
}

/** Names as a person lists them. */
export function listOf(names: readonly string[]): string {
  const last = names.at(-1) ?? 'nobody';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}

/** Parts per million as a percentage with its sign. */
export function rateOf(ppm: number): string {
  return `${ppm < 0 ? '−' : '+'}${Math.abs(ppm) / 10_000} %`;
}
