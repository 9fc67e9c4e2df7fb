// The nodes of a simulated cluster: those that it began with, and those that came later on disks
// of their own. Who is gone for good is known by name still, for names are never given again.

import { InvariantError, present } from '../src/base/assert.ts';
import type { NodeId } from '../src/base/units.ts';
import type { HostExit, HostSettings, HostWatch } from '../src/node/host-types.ts';
import { SimNode } from './cluster-node.ts';
import { addressOf } from './cluster-settings.ts';
import type { ClockSettings } from './world/clock.ts';
import { SimDisk } from './world/disk.ts';
import type { DiskImage } from './world/disk-image.ts';
import type { SimDiskOptions } from './world/disk-options.ts';
import type { World } from './world/world.ts';

/** Nodes of one run, those that are gone included. */
const NODES_MAX = 512;

/** How a node may differ: by default it is blank, and listens where its name says. */
export interface SimNodeOptions {
  readonly address?: string;
  readonly clock?: ClockSettings;
  /** Where it differs from the others, as one of another release does. */
  readonly settings?: Partial<HostSettings>;
  /** What its disk holds at first. */
  readonly image?: DiskImage | undefined;
}

/** What all nodes have in common. */
export interface SimNodesParts {
  readonly world: World;
  readonly settings: HostSettings;
  readonly disk: Omit<SimDiskOptions, 'name' | 'luck' | 'schedule' | 'image'>;
  /** For each life. */
  readonly watch: (id: NodeId, life: number) => HostWatch;
  readonly onExit: (id: NodeId, exit: HostExit) => void;
  readonly onWriteFailed: (id: NodeId) => void;
}

/** See the head of this file. */
export class SimNodes {
  private readonly parts: SimNodesParts;
  private readonly known = new Map<NodeId, SimNode>();

  constructor(parts: SimNodesParts) {
    this.parts = parts;
  }

  /** All that ever were, in the order in which they came. */
  get ever(): ReadonlyMap<NodeId, SimNode> {
    return this.known;
  }

  /** Those whose machines are there, dead or alive. */
  present(): readonly SimNode[] {
    return [...this.known.values()].filter((node) => !node.isGone);
  }

  /** A machine with a disk, not started. */
  add(id: NodeId, options: SimNodeOptions = {}): SimNode {
    const { address = addressOf(id), clock = {}, image } = options;
    const { settings, world, watch, onExit } = this.parts;
    if (this.known.has(id)) throw new InvariantError(`there is a node ${id} already`);
    if (this.known.size >= NODES_MAX) throw new InvariantError(`more than ${NODES_MAX} nodes`);
    const isListed = settings.nodes.some((each) => each.id === id);
    const nodes = isListed ? settings.nodes : [...settings.nodes, { id, address }];
    const node = new SimNode(world, {
      settings: { ...settings, ...options.settings, nodes, nodeId: id },
      address,
      clock,
      disk: this.createDisk(id, image),
      watch: (life) => watch(id, life),
      onExit: (exit) => onExit(id, exit),
    });
    this.known.set(id, node);
    return node;
  }

  get(id: NodeId): SimNode {
    return present(this.known.get(id), `node ${id}`);
  }

  private createDisk(id: NodeId, image: DiskImage | undefined): SimDisk {
    const { world, disk, onWriteFailed } = this.parts;
    return new SimDisk({
      name: id,
      luck: world.random,
      schedule: (delayUs, callback) => {
        const timer = world.after(delayUs, callback);
        return () => timer.cancel();
      },
      onFailed: () => onWriteFailed(id),
      ...disk,
      ...(image === undefined ? {} : { image }),
    });
  }
}
