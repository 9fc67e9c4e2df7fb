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
  readonly record: Uint8Array | null;
}

const NOTHING = new Uint8Array(0);

/** Content of the first entry of a term (RAFT.md §7.1). */
export const NOOP: Content = { type: 'noop', payload: NOTHING, config: null, record: null };

/** Appends a configuration, which is in force from now on. Its index. */
export function appendConfig(core: Core, config: ClusterConfig): Index {
  const payload = core.encodeConfig(config);
  return appendOwn(core, { type: 'config', payload, config, record: null });
}

/** Appends an entry of the current term; a configuration takes effect with it. Its index. */
export function appendOwn(core: Core, content: Content): Index {
  const { log, hard, configurations } = core;
  const index = log.lastIndex + 1;
  const { type, payload, config, record } = content;
  const prevTerm = log.lastTerm;
  log.append({ index, term: hard.term, prevTerm, type, payload, config, record });
  if (config !== null) configurations.append(index, config);
  return index;
}
