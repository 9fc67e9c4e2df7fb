import { decodeSlot } from '../../src/wire/slots.ts';
import type { SimCluster } from '../../sim/cluster.ts';

const NONE = new Uint8Array(0);

/** Of every slot that rots from now on: its version, and that of the other one, at that moment. */
export function watchSlots(cluster: SimCluster): readonly SlotVersions[] {
  const struck: SlotVersions[] = [];
  for (const { disk } of cluster.all()) {
    const versionOf = (at: 0 | 1): number => decodeSlot(disk.slots[at].read() ?? NONE).version;
    for (const at of [0, 1] as const) {
      const slot = disk.slots[at];
      const overwrite = slot.overwrite.bind(slot);
      slot.overwrite = (content) => {
        struck.push({ version: versionOf(at), other: versionOf(at === 0 ? 1 : 0) });
        overwrite(content);
      };
    }
  }
  return struck;
}

interface SlotVersions {
  readonly version: number;
  readonly other: number;
}
