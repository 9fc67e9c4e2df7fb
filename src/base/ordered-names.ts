// Lock names in UTF-8 byte order, for listing by prefix and page.

import { compareUtf8 } from './name.ts';
import { OrderedSet } from './ordered-set.ts';

/** A set of well-formed names, in the order of their UTF-8 bytes. */
export class OrderedNames extends OrderedSet<string> {
  constructor() {
    super(compareUtf8);
  }

  /** Names that begin with `prefix` and come after `after`, in order, at most `limit`. */
  page(prefix: string, after: string, limit: number): readonly string[] {
    const page: string[] = [];
    if (limit <= 0) return page;
    const start = compareUtf8(prefix, after) > 0 ? prefix : after;
    for (const name of this.valuesFrom(start)) {
      if (name === after) continue;
      // Names with a common prefix stand together in byte order.
      if (!name.startsWith(prefix)) break;
      page.push(name);
      if (page.length >= limit) break;
    }
    return page;
  }
}
