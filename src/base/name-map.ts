// A map for up to millions of texts of which some come and go all the time. The language's own
// Map keeps deleted entries in its chains until it is rebuilt as a whole: with a million entries, a
// name that is set and deleted over and over gets a hundred times slower, and each rebuild stops
// the process for a tenth of a second. Many small maps have neither fault.

const SHARD_COUNT = 4_096;

/** Values by text. For an order, keep OrderedNames beside it. */
export class NameMap<V> {
  private readonly shards: (Map<string, V> | undefined)[] = new Array(SHARD_COUNT);
  private count = 0;

  get size(): number {
    return this.count;
  }

  get(name: string): V | undefined {
    return this.shards[shardOf(name)]?.get(name);
  }

  set(name: string, value: V): void {
    const at = shardOf(name);
    const shard = this.shards[at] ?? new Map<string, V>();
    const sizeBefore = shard.size;
    shard.set(name, value);
    this.shards[at] = shard;
    this.count += shard.size - sizeBefore;
  }

  /** False if the name was not there. */
  delete(name: string): boolean {
    const isThere = this.shards[shardOf(name)]?.delete(name) === true;
    if (isThere) this.count--;
    return isThere;
  }
}

// FNV-1a; its high bits are folded in because the low ones alone are weak.
function shardOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at++) {
    hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  }
  return (hash ^ (hash >>> 15)) & (SHARD_COUNT - 1);
}
