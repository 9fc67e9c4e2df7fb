// What the lock of the story protects: records in a database, with and without a guard.

import type { openRecords } from '../../adapters/level-records.ts';
import { levelFence } from '../../fence.ts';
import type { LevelFence } from '../../fence.ts';
import type { StockWrite } from './messages.ts';

/** Which record is meant, and whether its tokens are compared. */
export interface StockPlace {
  readonly record: string;
  readonly isGuarded: boolean;
}

type Records = Awaited<ReturnType<typeof openRecords>>;

interface Put {
  readonly type: 'put';
  readonly key: string;
  readonly value: string;
}

/** Records of one database. */
export class Stock {
  private readonly records: Records;
  private readonly fence: LevelFence<Put>;

  constructor(records: Records) {
    this.records = records;
    this.fence = levelFence<Put>(records);
  }

  /**
   * With a guard the token is compared and the value written in one step. Rejects with STALE_TOKEN,
   * which tells both tokens, when a larger one was seen before.
   */
  async write({ record, isGuarded }: StockPlace, { value, token }: StockWrite): Promise<void> {
    const put: Put = { type: 'put', key: `value/${record}`, value };
    if (isGuarded) await this.fence.write(record, { token }, [put]);
    else await this.records.batch([put], { sync: true });
  }

  /** Empty before the first write. */
  async read(record: string): Promise<string> {
    return (await this.records.get(`value/${record}`)) ?? '';
  }
}
