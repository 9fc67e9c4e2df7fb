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
import type { Request, Session } from './state.ts';

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
  /** Those that left ghosts. */
  private readonly formers: FormerGrant[] = [];
  private readonly looks = this.lookThrough();
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
    for (let step = 0; step < stepMax && !this.isWhole; step++) this.looks.next();
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
    else if (key.startsWith('d/')) this.loadGhost(row);
    else throw rowError(key, 'a key of a session, a ghost or the rules', 'this one');
  }

  private loadGhost(row: Row): void {
    const grant = loadGhost(this.state, this.grant, row);
    if (grant !== this.grant) this.formers.push(grant);
    this.grant = grant;
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

  /** What only shows when all is there, step by step. A grant alone has nothing of that kind. */
  private *lookThrough(): Generator<void, void> {
    const { sessions } = this.state;
    for (const { session, ghosts } of this.formers) {
      yield;
      if (sessions.find(session) === null) continue;
      const name = JSON.stringify(ghosts[0]?.lock.name);
      throw new RowError(`${name}: expected a ghost of a session that ended, got ${session}`);
    }
    for (const session of sessions.all()) {
      yield;
      if (session.waiting === 0) continue;
      for (const request of session.requests.values()) {
        yield;
        if (!request.isGranted()) this.lookAtQueues(request);
      }
    }
    // Not when it has thrown: such a machine is never there.
    this.isWhole = true;
  }

  private lookAtQueues({ claims }: Request): void {
    for (const { lock } of claims) {
      const head = headOf(lock);
      if (head === null || !isGrantable(this.state.rules, head.request)) continue;
      throw new RowError(
        `${JSON.stringify(lock.name)}: expected nobody to wait for what is free, ` +
          `got ${head.request.rowKey()}`,
      );
    }
  }
}
