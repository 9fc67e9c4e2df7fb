/** One value and its bytes. */
export interface GoldenItem {
  readonly name: string;
  readonly about: string;
  /** As plain JSON; bytes are {"hex": "…"}. */
  readonly value: unknown;
  readonly bytes: Uint8Array;
  /** The value of such bytes, as plain JSON. */
  readonly read: (bytes: Uint8Array) => unknown;
}

/** An item from a sample and the functions that ship. */
export function item<T>(of: {
  readonly name: string;
  readonly about: string;
  readonly value: T;
  readonly encode: (value: T) => Uint8Array;
  readonly decode: (bytes: Uint8Array) => unknown;
}): GoldenItem {
  return {
    name: of.name,
    about: of.about,
    value: plain(of.value),
    bytes: of.encode(of.value),
    read: (bytes) => plain(of.decode(bytes)),
  };
}

/** The same as JSON has it. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return { hex: Buffer.from(value).toString('hex') };
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plain(part)]));
}
