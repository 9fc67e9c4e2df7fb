import type { NodeId } from '../src/base/units.ts';
import type { HostExit, HostSettings, HostWatch } from '../src/node/host-types.ts';
import type { SimCluster } from './cluster.ts';
import type { FoundedImages } from './founded-images.ts';
import type { LockModel } from './oracle/model.ts';
import type { Verdict } from './oracle/verdict.ts';
import type { ClockSettings } from './world/clock.ts';
import type { SimDiskOptions } from './world/disk-options.ts';
import type { DiskImage } from './world/disk-image.ts';
import type { NetworkSettings } from './world/network.ts';
import type { World } from './world/world.ts';

/** Where a cluster begins that is in the same world as another one. */
export interface Neighbour {
  readonly world: World;
  /** What the oracles of both report to. */
  readonly verdict: Verdict;
}

/** Takes down what happens to a cluster, from before its first event; it changes nothing. */
export interface ClusterRecorder {
  /** The world and the nodes are there, and nothing has happened. */
  attach(cluster: SimCluster): void;
  /** Looks over the shoulder of each life of a node. */
  watch(id: NodeId): HostWatch;
}

/** What a simulated cluster is made of; only the seed must be given. */
export interface SimClusterOptions {
  readonly seed: number;
  /** How many, from 1; default 3. They are named n1, n2, … */
  readonly nodes?: number;
  /** What names of nodes begin with; default n. */
  readonly prefix?: string;
  /** In a world that is there, whose seed and network count; default: a world of its own. */
  readonly beside?: Neighbour;
  readonly settings?: Partial<HostSettings>;
  readonly network?: NetworkSettings;
  /** Simultaneous events run in a drawn order. */
  readonly shuffleTies?: boolean;
  readonly clocks?: Readonly<Record<NodeId, ClockSettings>>;
  readonly disk?: Omit<SimDiskOptions, 'name' | 'luck' | 'schedule' | 'image'>;
  /** Looks over the shoulder of a life of a node, after the cluster's own oracle. */
  readonly watch?: (id: NodeId, life: number) => HostWatch;
  readonly recorder?: ClusterRecorder | undefined;
  /** A node ended by itself. */
  readonly onExit?: (id: NodeId, exit: HostExit) => void;
  /** False leaves all directories blank; default true. */
  readonly isFounded?: boolean;
  /** So many, the first ones, are founded together; the others stay blank. Default: all. */
  readonly founders?: number;
  /** Entry after which the log begins, 0 by default; blank nodes join only behind a checkpoint. */
  readonly origin?: number;
  /** Of a cluster that is to be made of a backup: the state of the backup in the oracles' model. */
  readonly model?: LockModel;
  /** See WorldOptions. */
  readonly eventsMax?: number;
  /** What the disks hold at first, in order of the nodes: they are founded, or made of a backup. */
  readonly directories?: readonly DiskImage[];
  /** Directories come founded from here; without it the founding is part of the run. */
  readonly images?: FoundedImages;
}
