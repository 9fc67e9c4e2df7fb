// Entries that this node puts into its own log as leader.

import type { Index } from '../base/units.ts';
import type { ClusterConfig } from './config.ts';
import type { EntryType } from './entry.ts';
import type { Core } from './state.ts';

/** What an entry carries. */
export interface Content {
  readonly type: EntryType;
  readonly payload: Uint8Array;
  readonly config: ClusterConfig | null;
}

const NOTHING = new Uint8Array(0);

/** Content of the first entry of a term (RAFT.md §7.1). */
export const NOOP: Content = { type: 'noop', payload: NOTHING, config: null };

/** Appends a configuration, which is in force from now on. Its index. */
export function appendConfig(core: Core, config: ClusterConfig): Index {
  return appendOwn(core, { type: 'config', payload: core.encodeConfig(config), config });
}

/** Appends an entry of the current term; a configuration takes effect with it. Its index. */
export function appendOwn(core: Core, content: Content): Index {
  const { log, hard, configurations } = core;
  const index = log.lastIndex + 1;
  const { type, payload, config } = content;
  const prevTerm = log.lastTerm;
  log.append({ index, term: hard.term, prevTerm, type, payload, config, record: null });
  if (config !== null) configurations.append(index, config);
  return index;
}
