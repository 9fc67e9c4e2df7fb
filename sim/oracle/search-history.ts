// A history of clients as acts on single locks, each with the span in which it took effect. Only
// what is certain becomes a duty of the order to be found; all else is left out or optional, so
// that a search that finds none has found a lie.

import { UNNUMBERED_SEQ_MIN } from '../../src/locks/commands.ts';
import type { LockView } from '../../src/locks/outcomes.ts';
import type { CommandBody } from '../../src/wire/command.ts';
import type { ClientHistory } from './history.ts';
import type { CommandOperation, NewsHeard, QueryOperation, Transmission } from './history-types.ts';
import { isCertain } from './outcomes.ts';
import { Revelations } from './search-grants.ts';
import type { Revealed } from './search-grants.ts';
import { isMeant } from './search-types.ts';
import type { KeyOperation, Pattern } from './search-types.ts';

/** By lock; null if two tokens were told of one grant, which no order can explain. */
export function operationsByLock(
  history: ClientHistory,
): ReadonlyMap<string, readonly KeyOperation[]> | null {
  const revealed = new Revelations(history);
  if (revealed.isContradiction) return null;
  const acts = new ActsByLock(revealed);
  for (const operation of history.operations) {
    if (operation.kind === 'command') acts.addCommand(operation);
    else if (operation.kind === 'query') acts.addQuery(operation);
  }
  for (const news of history.news) acts.addNews(news);
  for (const name of revealed.foreign) acts.byLock.delete(name);
  return acts.byLock;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

type Finds = Extract<KeyOperation['act'], { readonly kind: 'free' }>['finds'];

class ActsByLock {
  readonly byLock = new Map<string, KeyOperation[]>();
  private readonly revealed: Revelations;

  constructor(revealed: Revelations) {
    this.revealed = revealed;
    for (const { holder, items, start, end } of revealed.grants.values()) {
      for (const { name, mode, permits } of items) {
        const own = { ...holder, item: { mode, permits } };
        this.add(name, { start, end, act: { kind: 'grant', holder: own } });
        this.addEnd(name, holder.session);
      }
    }
  }

  addCommand(operation: CommandOperation): void {
    const { body, transmissions } = operation;
    if (body.op === 'acquire') this.addBusy(transmissions);
    else if (body.op === 'release') this.addRelease(body, transmissions);
    else if (body.op === 'cancel') {
      const span = spanOf(transmissions, 'DONE');
      if (span !== null) this.addFree({ ...body, token: null }, span, 'any');
    } else if (body.op === 'break') this.addBreak(body, transmissions);
  }

  addQuery({ query, sent, heard }: QueryOperation): void {
    if (heard === null) return;
    const { content: result } = heard;
    const span = { start: sent.order, end: heard.order };
    if (result.kind === 'lock') this.addLook(result.lock, span);
    if (result.kind === 'locks') for (const lock of result.locks) this.addLook(lock, span);
    if (query.kind !== 'grant' || result.kind !== 'grant') return;
    const of = { session: query.session, acquireSeq: query.acquireSeq, token: null };
    if (result.token === 0) this.addFree(of, span, 'none');
    else for (const name of this.namesOf(of)) this.add(name, { ...span, act: { kind: 'see', of } });
  }

  /** A break by somebody, as the one heard of it that it befell. */
  addNews({ content, order }: NewsHeard): void {
    if (content.kind !== 'over') return;
    const { session, acquireSeq } = content;
    this.addFree({ session, acquireSeq, token: null }, { start: 0, end: order }, 'any');
  }

  private addBusy(transmissions: readonly Transmission[]): void {
    const span = spanOf(transmissions, 'LOCK_BUSY');
    for (const { heard } of transmissions) {
      if (span === null || heard?.order !== span.end) continue;
      if (heard.content.code !== 'LOCK_BUSY' || heard.content.holder === null) continue;
      const { session, acquireSeq, token } = heard.content.holder;
      const of = { session, acquireSeq, token };
      this.add(heard.content.name, { ...span, act: { kind: 'see', of } });
    }
  }

  private addRelease(
    body: Extract<CommandBody, { readonly op: 'release' }>,
    transmissions: readonly Transmission[],
  ): void {
    const of = { session: body.session, acquireSeq: body.acquireSeq, token: body.token };
    if (body.seq >= UNNUMBERED_SEQ_MIN) {
      return this.addEach(body.name, of, transmissions);
    }
    const refused = spanOf(transmissions, 'NOT_HOLDER');
    const done = spanOf(transmissions, 'DONE');
    if (refused !== null && refused.end < Infinity) {
      this.add(body.name, { ...refused, act: { kind: 'free', of, finds: 'none' } });
    } else if (done !== null) {
      this.addFreeAt(body.name, of, done, done.end < Infinity ? 'some' : 'any');
    }
  }

  private addBreak(
    body: Extract<CommandBody, { readonly op: 'break' }>,
    transmissions: readonly Transmission[],
  ): void {
    const of = { session: body.session, acquireSeq: null, token: body.token };
    this.addEach(body.name, of, transmissions);
  }

  // No answer of it is kept, so every transmission is one of its own.
  private addEach(name: string, of: Pattern, transmissions: readonly Transmission[]): void {
    for (const transmission of transmissions) {
      const refused = spanOf([transmission], 'NOT_HOLDER');
      const done = spanOf([transmission], 'DONE');
      if (done === null) continue;
      if (refused !== null && refused.end < Infinity) {
        this.add(name, { ...refused, act: { kind: 'free', of, finds: 'none' } });
      } else this.addFreeAt(name, of, done, 'any');
    }
  }

  private addLook({ name, holders, holderCount }: LockView, span: Span): void {
    // Of very many not all are shown.
    if (holders.length < holderCount) return;
    const tokens = holders.map((holder) => holder.token);
    this.add(name, { ...span, act: { kind: 'look', tokens } });
  }

  private addFree(of: Pattern, span: Span, finds: Finds): void {
    for (const name of this.namesOf(of))
      this.add(name, { ...span, act: { kind: 'free', of, finds } });
  }

  /**
   * Whole grants that have this lock, with all their names. Others may have the same token, for one
   * entry grants what goes together: they stay.
   */
  private addFreeAt(name: string, of: Pattern, span: Span, finds: Finds): void {
    const meant = this.grantsOf(of).filter(({ items }) => items.some((item) => item.name === name));
    if (meant.length === 0) return;
    this.add(name, { ...span, act: { kind: 'free', of, finds } });
    // Which of several it was, this lock alone tells.
    const findsElsewhere = meant.length === 1 ? finds : 'any';
    for (const { holder, items } of meant) {
      const act = { kind: 'free', of: holder, finds: findsElsewhere } as const;
      for (const item of items) if (item.name !== name) this.add(item.name, { ...span, act });
    }
  }

  private addEnd(name: string, session: string): void {
    const isKnown = this.byLock
      .get(name)
      ?.some(({ act }) => act.kind === 'end' && act.session === session);
    if (isKnown === true) return;
    const start = this.revealed.aliveAt.get(session) ?? 0;
    const end = this.revealed.endedBy.get(session) ?? Infinity;
    this.add(name, { start, end, act: { kind: 'end', session } });
  }

  /** Locks of the grants that are meant, as far as anybody heard of them. */
  private namesOf(of: Pattern): ReadonlySet<string> {
    return new Set(this.grantsOf(of).flatMap(({ items }) => items.map(({ name }) => name)));
  }

  private grantsOf(of: Pattern): readonly Revealed[] {
    return [...this.revealed.grants.values()].filter(({ holder }) => isMeant(holder, of));
  }

  private add(name: string, operation: KeyOperation): void {
    const acts = this.byLock.get(name);
    if (acts === undefined) this.byLock.set(name, [operation]);
    else acts.push(operation);
  }
}

/**
 * From the first sending to the first such answer; to Infinity if none came. Null if it certainly
 * was not executed.
 */
function spanOf(transmissions: readonly Transmission[], code: string): Span | null {
  const [first] = transmissions;
  const mayBeExecuted = transmissions.some(
    ({ heard }) => heard === null || heard.revision > 0 || !isCertain(heard.content),
  );
  if (first === undefined || !mayBeExecuted) return null;
  const answers = transmissions.flatMap(({ heard }) =>
    heard?.content.code === code ? [heard.order] : [],
  );
  return { start: first.sent.order, end: Math.min(Infinity, ...answers) };
}
