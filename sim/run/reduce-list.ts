// The shortest list that will do, by leaving parts out: halves first, single items last.

/** Says whether the rest will do; a search that has run out of budget says no. */
export type Accepts<T> = (rest: readonly T[]) => Promise<boolean>;

/**
 * Leaves out what is not needed. The result is accepted, and so is no list with one item less,
 * unless leaving out one made another one superfluous: callers repeat until nothing changes.
 */
export async function reduceList<T>(
  list: readonly T[],
  accepts: Accepts<T>,
): Promise<readonly T[]> {
  let kept = list;
  for (let size = list.length; size >= 1; size = Math.floor(size / 2)) {
    // From the end: what comes late is rarely the cause of what comes before it.
    for (let end = kept.length; end > 0; end -= size) {
      const rest = [...kept.slice(0, Math.max(0, end - size)), ...kept.slice(end)];
      if (rest.length < kept.length && (await accepts(rest))) kept = rest;
    }
  }
  return kept;
}

/** Leaves out whole groups of items that share a key: connected by more than their order. */
export async function reduceGroups<T>(
  list: readonly T[],
  keyOf: (item: T) => number | string,
  accepts: Accepts<T>,
): Promise<readonly T[]> {
  let kept = list;
  for (const key of new Set(list.map(keyOf))) {
    const rest = kept.filter((item) => keyOf(item) !== key);
    if (rest.length > 0 && rest.length < kept.length && (await accepts(rest))) kept = rest;
  }
  return kept;
}
