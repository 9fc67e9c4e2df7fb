// Directories as a founding leaves them, so that a campaign of thousands of runs founds once.

import type { DiskImage } from './world/disk-image.ts';

/** Foundings that are kept; beyond them the oldest is made again when it is asked for. */
const FOUNDINGS_MAX = 64;

/** Owned by whoever runs many clusters. A run is the same whether or not its images are here. */
export class FoundedImages {
  private readonly known = new Map<string, readonly DiskImage[]>();

  /** One image per node for the founding of that name; `found` makes them if they are not here. */
  async of(
    name: string,
    found: () => Promise<readonly DiskImage[]>,
  ): Promise<readonly DiskImage[]> {
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const images = await found();
    this.known.set(name, images);
    const [oldest] = this.known.keys();
    if (this.known.size > FOUNDINGS_MAX && oldest !== undefined) this.known.delete(oldest);
    return images;
  }
}
