// Chance from a seed: the same seed draws the same.

/** A function that draws the next number from 0 up to but not including 1. */
export function drawer(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A copy in an order that is drawn. */
export function shuffled(list, draw) {
  const rest = [...list];
  for (let last = rest.length - 1; last > 0; last--) {
    const other = Math.floor(draw() * (last + 1));
    [rest[last], rest[other]] = [rest[other], rest[last]];
  }
  return rest;
}
