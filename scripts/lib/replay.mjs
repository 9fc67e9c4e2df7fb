// Reads the log of a stopped node with the shipped storage code, replays it through the lock
// machine, and tells what happened at every index. The log is the truth that answers are held to.

import { join } from 'node:path';
import { createLevelStore } from '../../dist/src/adapters/level-store.js';
import { createSlotFile } from '../../dist/src/adapters/slot-file.js';
import { createSystemRandom } from '../../dist/src/adapters/system-random.js';
import { createLockMachine } from '../../dist/src/locks/machine.js';
import { createNodeStorage } from '../../dist/src/node/storage/storage.js';
import { silentLogger } from '../../dist/src/ports/logger.js';
import { decodePayload } from '../../dist/src/wire/command.js';

const promised = (call) =>
  new Promise((resolve, reject) => {
    call((result) => (result.ok ? resolve(result.value) : reject(new Error(result.exit.message))));
  });

/**
 * Replays the entries up to `commitIndex`. Returns outcomes by index, grants in order as
 * {index, token, session, seq, name, isContested}, and the state hash at the end.
 */
export async function replayDirectory(directory, nodeId, commitIndex) {
  const storage = createNodeStorage({
    keyValue: createLevelStore(join(directory, 'log')),
    slots: [createSlotFile(join(directory, 'slot-a')), createSlotFile(join(directory, 'slot-b'))],
    nodeId,
    random: createSystemRandom(),
    logger: silentLogger,
    tailBytesMax: 1024,
  });
  const { founding, raft } = await promised((done) => storage.open(done));
  const machine = createLockMachine(founding.limits);
  const result = {
    outcomes: new Map(),
    grants: [],
    ends: [],
    stateHash: '',
    origin: founding.origin,
  };
  const last = Math.min(commitIndex, raft.lastIndex);
  for (let from = raft.anchor.index + 1; from <= last;) {
    const entries = await promised((done) => storage.load(from, 1024 * 1024, done));
    for (const entry of entries) {
      if (entry.index <= last) applyEntry(machine, entry, result);
    }
    from = entries.at(-1).index + 1;
  }
  result.lastIndex = last;
  result.stateHash = machine.stateHash();
  await new Promise((resolve) => storage.close(resolve));
  return result;
}

function applyEntry(machine, entry, result) {
  if (entry.type !== 'command') return;
  const command = decodePayload(entry.payload);
  const { outcome, events } = machine.apply(entry.index, entry.term, command);
  result.outcomes.set(entry.index, { outcome, command });
  for (const event of events) {
    if (event.type === 'granted') {
      const isContested = !(command.op === 'acquire' && command.session === event.session);
      for (const name of event.names) {
        result.grants.push({
          index: entry.index,
          token: event.token,
          session: event.session,
          name,
          isContested,
        });
      }
    } else if (event.type === 'freed') {
      for (const name of event.names)
        result.ends.push({ index: entry.index, token: event.token, name });
    }
  }
}

/** Throws unless grants of each lock have growing tokens and never overlap in revision order. */
export function checkExclusion({ grants, ends }) {
  const holder = new Map();
  const newest = new Map();
  const events = [
    ...ends.map((end) => ({ ...end, isEnd: true })),
    ...grants.map((grant) => ({ ...grant, isEnd: false })),
  ].sort((left, right) => left.index - right.index || Number(right.isEnd) - Number(left.isEnd));
  for (const { name, token, index, isEnd } of events) {
    if (isEnd) {
      if (holder.get(name) !== token)
        throw new Error(`${name}: ${token} ended at ${index}, not held`);
      holder.delete(name);
      continue;
    }
    if (holder.has(name))
      throw new Error(`${name}: ${token} granted while ${holder.get(name)} held`);
    if (!(token > (newest.get(name) ?? 0))) throw new Error(`${name}: token ${token} did not grow`);
    holder.set(name, token);
    newest.set(name, token);
  }
}
