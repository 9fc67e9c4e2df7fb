const PLACES_MIN = 16;

/**
 * A map by whole numbers from 0 to 2^53 - 1 for what comes and goes all the time. The language's
 * own Map leaves behind every table that it outgrew, and each leads to the next: once one of them
 * is old, all that was ever in the map stays until the whole heap is swept.
 *
 * A number is at the first free place from its own on (open addressing), and half of the places
 * are free at least. It never shrinks: its owner bounds it.
 */
export class NumberMap<V> {
  /** Numbers by place; of no meaning where there is no value. */
  private keys: number[] = new Array(PLACES_MIN).fill(0);
  private places: (V | undefined)[] = new Array(PLACES_MIN).fill(undefined);
  private count = 0;

  get size(): number {
    return this.count;
  }

  get(key: number): V | undefined {
    return this.places[this.placeOf(key)];
  }

  set(key: number, value: V): void {
    if (2 * this.count >= this.places.length) this.grow();
    const place = this.placeOf(key);
    if (this.places[place] === undefined) this.count++;
    this.keys[place] = key;
    this.places[place] = value;
  }

  /** False if the number was not there. */
  delete(key: number): boolean {
    const place = this.placeOf(key);
    if (this.places[place] === undefined) return false;
    this.places[place] = undefined;
    this.count--;
    this.close(place);
    return true;
  }

  clear(): void {
    this.places.fill(undefined);
    this.count = 0;
  }

  /** All of them, by ascending numbers. */
  entries(): readonly (readonly [number, V])[] {
    const all: (readonly [number, V])[] = [];
    for (let place = 0; place < this.places.length; place++) {
      const key = this.keys[place];
      const value = this.places[place];
      if (key !== undefined && value !== undefined) all.push([key, value]);
    }
    return all.sort(([one], [other]) => one - other);
  }

  /** The values by ascending numbers. */
  values(): readonly V[] {
    return this.entries().map(([, value]) => value);
  }

  /** Where the number is, or would be. */
  private placeOf(key: number): number {
    const { keys, places } = this;
    const mask = places.length - 1;
    let place = firstPlace(key, mask);
    while (places[place] !== undefined && keys[place] !== key) place = (place + 1) & mask;
    return place;
  }

  // Whoever had to go past the free place may move there, and leaves another one free.
  private close(freed: number): void {
    const { keys, places } = this;
    const mask = places.length - 1;
    let free = freed;
    for (let place = (free + 1) & mask; ; place = (place + 1) & mask) {
      const value = places[place];
      const key = keys[place];
      if (value === undefined || key === undefined) return;
      const way = (place - firstPlace(key, mask)) & mask;
      if (way < ((place - free) & mask)) continue;
      keys[free] = key;
      places[free] = value;
      places[place] = undefined;
      free = place;
    }
  }

  private grow(): void {
    const { keys, places } = this;
    this.keys = new Array(2 * keys.length).fill(0);
    this.places = new Array(2 * keys.length).fill(undefined);
    for (let place = 0; place < places.length; place++) {
      const key = keys[place];
      const value = places[place];
      if (key === undefined || value === undefined) continue;
      const at = this.placeOf(key);
      this.keys[at] = key;
      this.places[at] = value;
    }
  }
}

// Neighbours lie far apart, so that no long rows come about.
function firstPlace(key: number, mask: number): number {
  const low = key | 0;
  const high = (key / 0x1_0000_0000) | 0;
  const mixed = Math.imul(low ^ high, 0x9e3779b1);
  return (mixed ^ (mixed >>> 15)) & mask;
}
