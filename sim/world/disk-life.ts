import type { StoreView } from './store-image.ts';

/** One life of the node that owns a disk: what it asked for is not answered after its end. */
export class DiskLife {
  /** Hands completions over. */
  readonly deliver: (callback: () => void) => void;
  /** Open views of the store. */
  readonly views = new Set<StoreView>();
  isOver = false;

  constructor(deliver: (callback: () => void) => void) {
    this.deliver = deliver;
  }

  answer(callback: () => void): void {
    if (!this.isOver) this.deliver(callback);
  }

  /** The store was closed. */
  closeViews(): void {
    for (const view of this.views) view.close();
    this.views.clear();
  }

  end(): void {
    this.isOver = true;
    this.closeViews();
  }
}
