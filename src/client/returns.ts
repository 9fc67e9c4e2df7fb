/** Releases and cancels of one session that the cluster has not confirmed yet. */
export class Returns {
  private count = 0;
  private onNone: (() => void) | null = null;

  /** One more is to be sent. */
  begin(): void {
    this.count++;
  }

  /** One was decided, or will not be sent any more. */
  end(): void {
    this.count--;
    if (this.count > 0) return;
    const callback = this.onNone;
    this.onNone = null;
    callback?.();
  }

  /** Calls back once all are decided; at once if there are none. */
  whenNone(callback: () => void): void {
    if (this.count === 0) callback();
    else this.onNone = callback;
  }
}
