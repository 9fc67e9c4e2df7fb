import type { WatchTarget } from '../wire/client-messages.ts';

type ByText<Watcher> = Map<string, Set<Watcher>>;

/**
 * Who watches which names. Finding the watchers of a name costs its length times the number of
 * different lengths that prefixes have, however many watch something else.
 */
export class WatchIndex<Watcher> {
  private readonly names: ByText<Watcher> = new Map();
  /** By the length of the prefix, so that a name is looked up once for each length. */
  private readonly prefixes = new Map<number, ByText<Watcher>>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  add(target: WatchTarget, watcher: Watcher): void {
    const { text, group } = this.placeOf(target);
    const watchers = group.get(text);
    if (watchers === undefined) group.set(text, new Set([watcher]));
    else watchers.add(watcher);
    this.count += 1;
  }

  /** Of one that was added for this target. */
  delete(target: WatchTarget, watcher: Watcher): void {
    const { text, group } = this.placeOf(target);
    const watchers = group.get(text);
    if (watchers?.delete(watcher) === true) this.count -= 1;
    if (watchers?.size === 0) group.delete(text);
    if (group.size === 0 && group !== this.names) this.prefixes.delete(text.length);
  }

  /** All that watch this name. */
  *of(name: string): IterableIterator<Watcher> {
    yield* this.names.get(name) ?? [];
    for (const [length, group] of this.prefixes) {
      if (length <= name.length) yield* group.get(name.slice(0, length)) ?? [];
    }
  }

  private placeOf({ name, prefix }: WatchTarget): { text: string; group: ByText<Watcher> } {
    if (name !== null) return { text: name, group: this.names };
    const group: ByText<Watcher> = this.prefixes.get(prefix.length) ?? new Map();
    this.prefixes.set(prefix.length, group);
    return { text: prefix, group };
  }
}
