// A watch that must tell every grant, in the order of the log, whatever happens to the nodes.

import { until } from './local-cluster.mjs';

const HEAR_MS = 20_000;

/** Hears of the locks of a prefix. */
export class SoakWatch {
  heard = 0;
  gaps = 0;
  revision = 0;
  isOver = false;

  /** `onViolation` is told in a sentence. */
  constructor(client, prefix, onViolation) {
    this.watch = client.watch({ prefix });
    this.onViolation = onViolation;
  }

  async begin() {
    await this.watch.ready();
    this.reading = this.read().catch((error) => {
      if (!this.isOver) this.onViolation(`the watch ended: ${error.message}`);
    });
  }

  async read() {
    for await (const notice of this.watch) {
      if (notice.revision < this.revision) {
        this.onViolation(`the watch told ${notice.revision} after ${this.revision}`);
      }
      this.revision = notice.revision;
      if (notice.type === 'gap') this.gaps += 1;
      else if (notice.type === 'granted') this.heard += 1;
    }
  }

  /** Every grant is told, unless a gap was; it may take a while. */
  async hear(count) {
    const isWhole = () => this.gaps > 0 || this.heard >= count;
    try {
      await until('the watch to tell all', isWhole, HEAR_MS);
    } catch {
      this.onViolation(`the watch told ${this.heard} of ${count} grants`);
    }
  }

  async end() {
    this.isOver = true;
    this.watch.close();
    await this.reading;
  }
}
