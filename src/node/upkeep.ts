import type { Engine } from './engine.ts';
import { DiskWatch } from './disk-watch.ts';
import type { HostExit, HostPorts, HostSettings } from './host-types.ts';
import { DEFAULT_SCRUB, Scrub } from './scrub.ts';
import type { NodeStorage } from './storage/types.ts';

/** Whose disk it is, and who hears when it fails. */
export interface UpkeepOptions {
  readonly engine: Engine;
  readonly storage: NodeStorage;
  readonly ports: HostPorts;
  readonly settings: HostSettings;
  readonly onFailed: (exit: HostExit) => void;
}

/** What a node does for its disk beside its work. */
export class Upkeep {
  private readonly diskWatch: DiskWatch;
  private readonly scrub: Scrub;

  constructor({ engine, storage, ports, settings, onFailed }: UpkeepOptions) {
    const { clock, logger } = ports;
    const { reserveBytes, scrub = DEFAULT_SCRUB } = settings;
    this.diskWatch = new DiskWatch({ storage, engine, clock, logger, reserveBytes, onFailed });
    this.scrub = new Scrub({ storage, clock, settings: scrub, onFailed });
  }

  /** Less space than the reserve: no new sessions and locks. */
  get isBelowReserve(): boolean {
    return this.diskWatch.isBelowReserve;
  }

  start(): void {
    this.diskWatch.start();
    this.scrub.start();
  }

  /** Before the end: raises the durable floor as far as it is safe. */
  raiseFloor(done: () => void): void {
    this.diskWatch.raiseFloor(done);
  }

  stop(): void {
    this.diskWatch.stop();
    this.scrub.stop();
  }
}
