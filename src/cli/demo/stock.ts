// What the lock of the story protects: records in a database, each with the largest token that
// wrote it. Value and token change in one batch, and one write follows the other.

import type { openRecords } from '../../adapters/level-records.ts';
import { checkClaim } from '../../fence/claim.ts';
import { staleToken } from '../../fence/errors.ts';
import { UNSEEN, admit, seenAgainst } from '../../fence/rule.ts';
import type { FenceState } from '../../fence/rule.ts';
import type { StockWrite } from './messages.ts';

/** Which record is meant, and whether its tokens are compared. */
export interface StockPlace {
  readonly record: string;
  readonly isGuarded: boolean;
}

type Records = Awaited<ReturnType<typeof openRecords>>;

/** Records of one database. */
export class Stock {
  private readonly records: Records;
  private last: Promise<void> = Promise.resolve();

  constructor(records: Records) {
    this.records = records;
  }

  /** Rejects with STALE_TOKEN, which tells both tokens, when a larger one was seen before. */
  write(place: StockPlace, write: StockWrite): Promise<void> {
    const turn = this.last.then(() => this.put(place, write));
    this.last = turn.catch(() => {});
    return turn;
  }

  /** Empty before the first write. */
  async read(record: string): Promise<string> {
    return (await this.records.get(`value/${record}`)) ?? '';
  }

  private async put({ record, isGuarded }: StockPlace, { value, token }: StockWrite) {
    const { mode } = checkClaim(record, { token });
    const seen = await this.seen(record);
    const next = admit(seen, mode, token);
    if (isGuarded && next === null) {
      throw staleToken({ resource: record, token, mode, seen: seenAgainst(seen, mode) });
    }
    await this.records.batch(
      [
        { type: 'put', key: `value/${record}`, value },
        { type: 'put', key: `fence/${record}`, value: String(next?.maxExclusive ?? token) },
      ],
      { sync: true },
    );
  }

  private async seen(record: string): Promise<FenceState> {
    const text = await this.records.get(`fence/${record}`);
    return text === undefined ? UNSEEN : { ...UNSEEN, maxExclusive: Number(text) };
  }
}
