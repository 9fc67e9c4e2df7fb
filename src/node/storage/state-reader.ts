// Reads the rows of a checkpoint back: of the one in force, or of one that is held still.

import { assert } from '../../base/assert.ts';
import type { KeyValue, KeyValuePair, KeyValueSnapshot } from '../../ports/storage.ts';
import { decodeFounding } from '../../wire/founding.ts';
import type { FoundingRecord } from '../../wire/founding-record.ts';
import { DecodeError } from '../../wire/msgpack.ts';
import type { Calls, Done } from './calls.ts';
import { logDamaged, readFailed, refuse, stateDamaged } from './exits.ts';
import { decodeMeta, ROW, ROW_RANGE, unsealRow } from './layout.ts';
import type { MetaRow } from './layout.ts';
import { rangeAfter, readStateRow } from './state-rows.ts';
import type { CheckpointView, RowPage } from './types.ts';

/** Which rows are read: key > `after`, '' for the first. */
export interface RowRequest {
  readonly generation: number;
  readonly after: string;
  readonly maxBytes: number;
}

/** Views that are open at a time; more wait. */
const VIEWS_MAX = 4;
/** A transfer for each of the others, and a few backups. */
const WAITING_MAX = 64;
const ROWS_BYTES_MAX = 16 * 1024 * 1024;

/** One page of rows, each verified. */
export function readRows(
  source: Pick<KeyValue, 'range'>,
  { generation, after, maxBytes }: RowRequest,
  done: Done<RowPage>,
): void {
  const { from, to } = rangeAfter(generation, after);
  source.range(from, to, maxBytes, (read) => {
    if (!read.ok) return done(refuse(readFailed(read.failure)));
    const page = decodePage(read.value);
    if (typeof page === 'string') return done(refuse(stateDamaged(page)));
    done({ ok: true, value: page });
  });
}

/** Hands out views, a few at a time: the store keeps what each of them can see. */
export class Views {
  private readonly keyValue: KeyValue;
  private readonly calls: Calls;
  private openCount = 0;
  private readonly waiting: Done<CheckpointView>[] = [];

  constructor(keyValue: KeyValue, calls: Calls) {
    this.keyValue = keyValue;
    this.calls = calls;
  }

  /** The checkpoint in force now, or when there is room for another view. */
  open(done: Done<CheckpointView>): void {
    assert(this.waiting.length < WAITING_MAX, `at most ${WAITING_MAX} wait for a view`);
    this.waiting.push(done);
    this.next();
  }

  /** The storage is closed: those that wait are refused. */
  close(): void {
    for (const done of this.waiting.splice(0)) this.calls.begin(done);
  }

  private next(): void {
    if (this.openCount >= VIEWS_MAX) return;
    const done = this.waiting.shift();
    const settle = done === undefined ? null : this.calls.begin(done);
    if (settle === null) return;
    this.openCount += 1;
    openView(this.keyValue, (opened) => {
      if (!opened.ok) return settle(opened);
      const view = new StoredView(opened.value, this.calls, () => {
        this.openCount -= 1;
        this.next();
      });
      settle({ ok: true, value: view });
    });
  }
}

function openView(keyValue: KeyValue, done: Done<ViewContent>): void {
  keyValue.snapshot((opened) => {
    if (!opened.ok) return done(refuse(readFailed(opened.failure)));
    const snapshot = opened.value;
    snapshot.range(ROW_RANGE.from, ROW_RANGE.to, ROWS_BYTES_MAX, (read) => {
      const content = read.ok ? decodeContent(read.value, snapshot) : null;
      if (content !== null && typeof content !== 'string') {
        return done({ ok: true, value: content });
      }
      snapshot.close();
      if (!read.ok) return done(refuse(readFailed(read.failure)));
      done(refuse(logDamaged(content ?? 'its rows cannot be read.')));
    });
  });
}

interface ViewContent {
  readonly snapshot: KeyValueSnapshot;
  readonly founding: FoundingRecord;
  readonly meta: MetaRow;
}

class StoredView implements CheckpointView {
  private readonly content: ViewContent;
  private readonly calls: Calls;
  private onClosed: (() => void) | null;

  constructor(content: ViewContent, calls: Calls, onClosed: () => void) {
    this.content = content;
    this.calls = calls;
    this.onClosed = onClosed;
  }

  get founding(): FoundingRecord {
    return this.content.founding;
  }

  get checkpoint(): MetaRow['checkpoint'] {
    return this.content.meta.checkpoint;
  }

  rows(after: string, maxBytes: number, done: Done<RowPage>): void {
    const settle = this.calls.begin(done);
    if (settle === null) return;
    const { snapshot, meta } = this.content;
    readRows(snapshot, { generation: meta.generation, after, maxBytes }, settle);
  }

  close(): void {
    const { onClosed } = this;
    if (onClosed === null) return;
    this.onClosed = null;
    this.content.snapshot.close();
    onClosed();
  }
}

function decodePage(pairs: readonly KeyValuePair[]): RowPage | string {
  try {
    return { rows: pairs.map(readStateRow), isLast: pairs.length === 0 };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return `${error.message}.`;
  }
}

function decodeContent(
  pairs: readonly KeyValuePair[],
  snapshot: KeyValueSnapshot,
): ViewContent | string {
  const row = (key: string): Uint8Array =>
    pairs.find((pair) => pair.key === key)?.value ?? new Uint8Array();
  try {
    return {
      snapshot,
      founding: decodeFounding(unsealRow(ROW.founding, row(ROW.founding))),
      meta: decodeMeta(row(ROW.meta)),
    };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return `${error.message}.`;
  }
}
