/** Topics that may be shown at a time; each names one thing that can go wrong. */
const SHOWN_MAX = 64;

/**
 * What an operator must look at, one full sentence for each topic. Shown in the status until it is
 * taken back; nothing is decided by it.
 */
export class Alarms {
  private readonly texts = new Map<string, string>();

  /** Shows the text, in place of an earlier one of the same topic. True if there was none. */
  raise(topic: string, text: string): boolean {
    const isNew = !this.texts.has(topic);
    if (isNew && this.texts.size >= SHOWN_MAX) return false;
    this.texts.set(topic, text);
    return isNew;
  }

  /** All is well again. Without effect when it was. */
  clear(topic: string): void {
    this.texts.delete(topic);
  }

  /** Oldest first. */
  list(): readonly string[] {
    return [...this.texts.values()];
  }
}
