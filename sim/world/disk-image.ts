import type { SlotImage } from './slot-image.ts';
import type { StoreImage } from './store-image.ts';

/** What a disk holds at rest. Disks made from it copy it, so that one image serves many. */
export interface DiskImage {
  readonly store: StoreImage;
  readonly slots: readonly [SlotImage, SlotImage];
}
