// The partitions that a scenario asked for. They hold for processes that come later, too.

import type { Undo } from '../world/direction.ts';
import type { Recorder } from '../report/recorder.ts';
import type { World as EventWorld } from '../world/world.ts';

/** Names on one side; null: everybody else. */
type Side = readonly string[] | null;

interface Partition {
  readonly left: readonly string[];
  readonly right: Side;
  readonly undos: Undo[];
}

/** See the head of this file. */
export class Partitions {
  private readonly world: EventWorld;
  private readonly recorder: Recorder | null;
  private readonly list: Partition[] = [];

  constructor(world: EventWorld, recorder: Recorder | null = null) {
    this.world = world;
    this.recorder = recorder;
  }

  /** Cuts these off from those, or from everybody else. */
  add(left: readonly string[], right: Side): void {
    const from = right === null ? 'everybody' : right.join(' and ');
    const text = `${left.join(' and ')} cut off from ${from}`;
    const told = this.recorder?.beginFault(left[0] ?? '', text);
    const partition: Partition = { left, right, undos: told === undefined ? [] : [told] };
    this.list.push(partition);
    const others = right ?? [...this.world.names].filter((name) => !left.includes(name));
    for (const name of others) this.cut(partition, name);
  }

  /** A process came into the world. */
  onProcess(name: string): void {
    for (const partition of this.list) if (partition.right === null) this.cut(partition, name);
  }

  /** Ends them all. */
  heal(): void {
    for (const { undos } of this.list.splice(0)) for (const undo of undos) undo();
    this.world.network.released();
  }

  private cut({ left, undos }: Partition, other: string): void {
    const { network } = this.world;
    for (const name of left) {
      if (name === other) continue;
      undos.push(network.impair(name, other, { isCut: true }));
      undos.push(network.impair(other, name, { isCut: true }));
    }
  }
}
