// The core of consensus: one event in, its effects out. This file only dispatches; each sentence
// of the protocol has a file of its own, and all of them work on the state in state.ts.
//
//   message -> term rules (§5) -> follower | acknowledgements | election | prevote
//   tick    -> timers            propose -> proposals           read -> reads
//   then, whatever happened: commit, apply, write, send what is due (settle)
//
// Caller's duties: 1. Give every event to step() with a fresh clock reading. 2. Carry out all
// effects, in order. 3. Answer each persist, writeSlots, load, apply, storePart and
// installSnapshot. 4. Tick every H.

import { unreachable } from '../base/assert.ts';
import type { Index, MonoUs, Term } from '../base/units.ts';
import { onPeerLink } from './acknowledgements.ts';
import { applyCommitted, forgetOldEntries, onApplied } from './apply.ts';
import { advanceCommit } from './commit.ts';
import { onCompacted } from './compaction.ts';
import type { ConfigAt } from './configurations.ts';
import { startFastFailover } from './election-timer.ts';
import type { RaftCore, RaftEffect, RaftEvent, RaftStatus } from './events.ts';
import { followConfiguration } from './leadership.ts';
import { advanceMembership, onChangeConfig } from './membership.ts';
import { onNotMember } from './membership-standing.ts';
import { releaseBarrier } from './outbox.ts';
import { onPersisted, onSlotsWritten, persistEntries, writeHardState } from './persistence.ts';
import { onPropose } from './proposals.ts';
import { advanceReads, onRead } from './reads.ts';
import { replicate } from './replication.ts';
import { stepDownWithGoodbye } from './roles.ts';
import { advanceInstall, onPartStored, onSnapshotInstalled } from './snapshot-receiving.ts';
import { endTransfers, onSnapshotAborted, onSnapshotPiece } from './snapshot-sending.ts';
import type { Core } from './state.ts';
import { reportChanges, statusOf } from './status.ts';
import { onMessage } from './term-rules.ts';
import { nextDeadlineUs, onTick, onTime } from './timers.ts';
import { advanceTransfer, onTransfer } from './transfer.ts';

/** Drives a core; its state is open to tests, the simulator and invariant checks. */
export class Raft implements RaftCore {
  readonly internals: Core;

  constructor(core: Core) {
    this.internals = core;
  }

  step(event: RaftEvent, nowUs: MonoUs): readonly RaftEffect[] {
    const core = this.internals;
    if (core.isStopped) return [];
    core.effects = [];
    onTime(core, nowUs, event.type === 'tick');
    dispatch(core, event);
    if (!core.isStopped) settle(core);
    return core.effects;
  }

  nextDeadlineUs(): MonoUs {
    return nextDeadlineUs(this.internals);
  }

  status(): RaftStatus {
    return statusOf(this.internals);
  }

  configAt(index: Index): ConfigAt {
    return this.internals.configurations.at(index);
  }

  termAt(index: Index): Term | null {
    return this.internals.log.termAt(index);
  }
}

function dispatch(core: Core, event: RaftEvent): void {
  switch (event.type) {
    case 'tick':
      return onTick(core);
    case 'message':
      return onMessage(core, event.from, event.message);
    case 'persisted':
      return onPersisted(core, event.sequence);
    case 'slotsWritten':
      return onSlotsWritten(core, event.version);
    case 'loaded':
      return core.loader.onLoaded(event.from, event.entries);
    case 'applied':
      return onApplied(core, event.index);
    case 'propose':
      return onPropose(core, event.proposals);
    case 'read':
      return onRead(core, event.id);
    case 'link':
      return onLink(core, event);
    case 'stepDown':
      return stepDownWithGoodbye(core);
    case 'changeConfig':
      return onChangeConfig(core, event);
    case 'transfer':
      return onTransfer(core, event);
    case 'notMember':
      return onNotMember(core, event.configIndex);
    case 'compacted':
      return onCompacted(core, event.anchor);
    case 'snapshotPart':
      return onSnapshotPiece(core, event.to, event.part);
    case 'snapshotAborted':
      return onSnapshotAborted(core, event.to, event.transfer);
    case 'partStored':
      return onPartStored(core, event);
    case 'snapshotInstalled':
      return onSnapshotInstalled(core, event.point);
    default:
      return unreachable(event);
  }
}

// The order matters twice: the host hears of a lost leadership before anything else, and the disk
// starts before what this thread does itself: applying, and encoding for the network. An Append
// tells of the commit before it, so a follower would else apply while its disk has nothing to do.
function settle(core: Core): void {
  followConfiguration(core);
  advanceCommit(core);
  advanceMembership(core);
  reportChanges(core);
  writeHardState(core);
  advanceInstall(core);
  persistEntries(core);
  applyCommitted(core);
  advanceReads(core);
  endTransfers(core);
  replicate(core);
  advanceTransfer(core);
  releaseBarrier(core);
  forgetOldEntries(core);
  for (const { from, maxBytes } of core.loader.endStep()) {
    core.effects.push({ type: 'load', from, maxBytes });
  }
}

function onLink(core: Core, event: Extract<RaftEvent, { type: 'link' }>): void {
  onPeerLink(core, event.peer, event.state === 'up');
  if (event.state !== 'gone' || core.role !== 'follower') return;
  if (core.leaderId === event.peer) startFastFailover(core);
}
