// How objects of this library look when a program prints them: short, with no internals, and never
// with the number of a session, by which others could act in it.

/** By which Node's console asks an object for its text; see util.inspect.custom. */
export const SHOWN = Symbol.for('nodejs.util.inspect.custom');

/** `Kind { key: value, … }`, with the values as JSON. */
export function shown(kind: string, facts: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(facts).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return `${kind} { ${pairs.join(', ')} }`;
}
