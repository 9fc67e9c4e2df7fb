import { InvariantError } from '../src/base/assert.ts';

/** An answer that is under way: looked at between two runs of the world. */
export class Pending<T> {
  private answer: { readonly value: T; readonly atUs: number } | null = null;

  get isSettled(): boolean {
    return this.answer !== null;
  }

  /** The answer; throws while there is none. */
  get value(): T {
    if (this.answer === null) throw new InvariantError('the answer is still under way');
    return this.answer.value;
  }

  /** True time at which it came. */
  get atUs(): number {
    if (this.answer === null) throw new InvariantError('the answer is still under way');
    return this.answer.atUs;
  }

  /** Settles it. A second answer is a bug of whoever answers. */
  settle(value: T, atUs: number): void {
    if (this.answer !== null) throw new InvariantError('a request was answered twice');
    this.answer = { value, atUs };
  }
}
