// Reads the rows of a checkpoint back: of the one in force, or of one that is held still.

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

/** The checkpoint that is in force now, held still. */
export function openView(keyValue: KeyValue, calls: Calls, done: Done<CheckpointView>): void {
  keyValue.snapshot((opened) => {
    if (!opened.ok) return done(refuse(readFailed(opened.failure)));
    const snapshot = opened.value;
    snapshot.range(ROW_RANGE.from, ROW_RANGE.to, ROWS_BYTES_MAX, (read) => {
      const content = read.ok ? decodeContent(read.value) : null;
      if (content !== null && typeof content !== 'string') {
        return done({ ok: true, value: new StoredView(snapshot, calls, content) });
      }
      snapshot.close();
      if (!read.ok) return done(refuse(readFailed(read.failure)));
      done(refuse(logDamaged(content ?? 'its rows cannot be read.')));
    });
  });
}

interface ViewContent {
  readonly founding: FoundingRecord;
  readonly meta: MetaRow;
}

class StoredView implements CheckpointView {
  private readonly snapshot: KeyValueSnapshot;
  private readonly calls: Calls;
  private readonly content: ViewContent;

  constructor(snapshot: KeyValueSnapshot, calls: Calls, content: ViewContent) {
    this.snapshot = snapshot;
    this.calls = calls;
    this.content = content;
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
    const { generation } = this.content.meta;
    readRows(this.snapshot, { generation, after, maxBytes }, settle);
  }

  close(): void {
    this.snapshot.close();
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

function decodeContent(pairs: readonly KeyValuePair[]): ViewContent | string {
  const row = (key: string): Uint8Array =>
    pairs.find((pair) => pair.key === key)?.value ?? new Uint8Array();
  try {
    return {
      founding: decodeFounding(unsealRow(ROW.founding, row(ROW.founding))),
      meta: decodeMeta(row(ROW.meta)),
    };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return `${error.message}.`;
  }
}
