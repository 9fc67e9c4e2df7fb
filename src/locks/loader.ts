// Rebuilds a machine from the rows of a checkpoint, in steps. In key order ghosts come first, then
// the rules, then each session with all that it has; so a piece finds what it belongs to.

import { assert } from '../base/assert.ts';
import { compareUtf8 } from '../base/name.ts';
import type { ReplicatedLimits } from './commands.ts';
import type { FormerGrant } from './ghost.ts';
import { isGrantable } from './granting.ts';
import { loadGhost, loadPiece, loadRules, loadSession } from './loading.ts';
import { headOf } from './lock-table.ts';
import { StateMachine, emptyState } from './machine.ts';
import type { LockMachine, MachineLoader, Row } from './machine-types.ts';
import { KeyReader, RowError, rowError } from './row-reader.ts';
import { RULES_KEY } from './rules.ts';
import { sessionKey } from './rows.ts';
import type { Lock, Session } from './state.ts';

/** A loader without rows yet. `limits` are those of the founding record. */
export function createMachineLoader(limits: ReplicatedLimits): MachineLoader {
  return new Loader(limits);
}

class Loader implements MachineLoader {
  private readonly state;
  private rowCount = 0;
  private lastKey = '';
  /** Of the last ghost. */
  private grant: FormerGrant | null = null;
  /** The last session: what follows is its own. */
  private session: Session | null = null;
  private sessionPrefix = '';
  /** Locks up to here are looked through. */
  private lookedTo = '';
  private isWhole = false;

  constructor(limits: ReplicatedLimits) {
    this.state = emptyState(limits);
  }

  get count(): number {
    return this.rowCount;
  }

  add(rows: readonly Row[]): void {
    for (const row of rows) {
      if (compareUtf8(this.lastKey, row.key) >= 0) {
        throw rowError(row.key, `a key after ${JSON.stringify(this.lastKey)}`, 'this one');
      }
      this.lastKey = row.key;
      this.rowCount++;
      this.load(row);
    }
  }

  finish(stepMax: number): boolean {
    const { locks } = this.state;
    const names = locks.page('', this.lookedTo, stepMax);
    for (const name of names) {
      const lock = locks.find(name);
      if (lock !== null) this.look(lock);
      this.lookedTo = name;
    }
    this.isWhole = names.length < stepMax;
    return this.isWhole;
  }

  machine(): LockMachine {
    assert(this.isWhole, 'a machine is used once all its rows were looked through');
    return new StateMachine(this.state);
  }

  private load(row: Row): void {
    const { key } = row;
    if (this.session !== null && key.startsWith(this.sessionPrefix)) {
      loadPiece(this.state, this.session, row);
    } else if (key.startsWith('s/')) this.loadSession(row);
    else if (key === RULES_KEY) loadRules(this.state, row);
    else if (key.startsWith('d/')) this.grant = loadGhost(this.state, this.grant, row);
    else throw rowError(key, 'a key of a session, a ghost or the rules', 'this one');
  }

  private loadSession(row: Row): void {
    const key = new KeyReader(row.key, 's/'.length);
    const index = key.number('the opening entry', 1);
    if (!key.isAtEnd) {
      throw rowError(
        row.key,
        `a row ${sessionKey(index)} before it`,
        'none: what is of no session',
      );
    }
    this.session = loadSession(this.state, index, row);
    this.sessionPrefix = `${row.key}/`;
  }

  /** What only shows when all is there. */
  private look(lock: Lock): void {
    const name = JSON.stringify(lock.name);
    const head = headOf(lock);
    if (head !== null && isGrantable(this.state.rules, head.request)) {
      throw new RowError(
        `${name}: expected nobody to wait for what is free, got ${head.request.rowKey()}`,
      );
    }
    for (const ghost of lock.crowd?.ghosts(Infinity) ?? []) {
      const { session } = ghost.grant;
      if (this.state.sessions.find(session) === null) continue;
      throw new RowError(`${name}: expected a ghost of a session that ended, got ${session}`);
    }
  }
}
