/** Something of this whole process that worlds at the same time have in common: there is one. */
export class Shared {
  private readonly begin: () => () => void;
  private users = 0;
  private end: () => void = () => {};

  /** `begin` is called for the first user; what it gives, when the last one has gone. */
  constructor(begin: () => () => void) {
    this.begin = begin;
  }

  /** Until the function that it gives is called; a second call of that does nothing. */
  enter(): () => void {
    if (this.users === 0) this.end = this.begin();
    this.users += 1;
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      this.users -= 1;
      if (this.users === 0) this.end();
    };
  }
}
