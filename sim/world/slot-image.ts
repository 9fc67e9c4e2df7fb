/** What a simulated slot file holds now, and what of it the medium holds for certain. */
export class SlotImage {
  private current: Uint8Array | null = null;
  private synced: Uint8Array | null = null;
  private hasDamage = false;

  /** From damage done to it until somebody writes it anew. */
  get isDamaged(): boolean {
    return this.hasDamage;
  }

  /** There is no file any more, as on a new medium; that is no damage. */
  clear(): void {
    this.replace(null);
    this.hasDamage = false;
  }

  /** Another file with the same content, at rest. */
  copy(): SlotImage {
    const copy = new SlotImage();
    copy.replace(this.current);
    return copy;
  }

  /** The content, or null while there is no file. */
  read(): Uint8Array | null {
    return this.current?.slice() ?? null;
  }

  /** Replaces the content as a whole. */
  land(content: Uint8Array, isSynced: boolean): void {
    this.current = content;
    this.hasDamage = false;
    if (isSynced) this.synced = content;
  }

  /** After a power loss: the new content if luck has it, else the synced one. */
  losePower(isLucky: boolean): void {
    if (isLucky) this.synced = this.current;
    else this.current = this.synced;
  }

  /** A replacement was cut off in the middle. A first version appears whole or not at all. */
  tear(): void {
    if (this.synced === null) return;
    const content = this.synced.map((byte, at) => (at % 2 === 0 ? byte : byte ^ 0xff));
    this.replace(content);
  }

  /** Damage: replaces or removes the file, behind the back of whoever wrote it. */
  overwrite(content: Uint8Array | null): void {
    this.replace(content);
    this.hasDamage = true;
  }

  private replace(content: Uint8Array | null): void {
    this.current = content;
    this.synced = content;
  }
}
