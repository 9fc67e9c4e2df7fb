import { US_PER_MS } from '../base/units.ts';
import type { LockMachine } from '../locks/machine-types.ts';
import { createCore } from '../raft/create.ts';
import type { RaftStart } from '../raft/events.ts';
import { DEFAULT_RAFT_SETTINGS } from '../raft/events.ts';
import { Raft } from '../raft/raft.ts';
import { encodeConfig } from '../wire/config.ts';
import type { EngineListener } from './engine.ts';
import { Engine } from './engine.ts';
import type { HostPorts, HostSettings } from './host-types.ts';
import type { NodeStorage } from './storage/types.ts';

/** What consensus of one life of a node is made of. */
export interface ConsensusParts {
  readonly ports: HostPorts;
  readonly settings: HostSettings;
  readonly storage: NodeStorage;
  readonly start: RaftStart;
  /** Shown to whoever watches the host. */
  readonly machine: LockMachine;
  readonly listener: EngineListener;
  readonly onTick: (nowUs: number) => void;
}

/** The core as recovery left it, with the engine that drives it. */
export function createConsensus(parts: ConsensusParts): Engine {
  const { ports, settings, storage, start, machine, listener, onTick } = parts;
  const raftSettings = {
    ...DEFAULT_RAFT_SETTINGS,
    ...settings.replication,
    heartbeatUs: settings.heartbeatMs * US_PER_MS,
    electionUs: settings.electionMs * US_PER_MS,
  };
  const core = createCore({
    start,
    settings: raftSettings,
    random: () => ports.random.u32(),
    encodeConfig,
    nowUs: ports.clock.monoUs(),
  });
  ports.watch?.started(core, start, machine);
  return new Engine({
    raft: new Raft(core),
    storage,
    watch: ports.watch,
    clock: ports.clock,
    tickUs: raftSettings.heartbeatUs / 2,
    onTick,
    listener,
  });
}
