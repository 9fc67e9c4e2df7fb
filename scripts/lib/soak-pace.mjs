// An open loop: requests come when they are due, whether or not those before them are answered, and
// know when they were meant to come. Who measures from then on does not overlook what a stall costs
// all those who would have asked meanwhile.

/** A timer may be late by so much without anything being wrong; that is not counted. */
const TIMER_MS = 2;

/** Starts `begin(meantMs)` so often a second, at moments that are drawn. */
export class Pace {
  #timer = null;
  #nextMs;
  #gapMs;
  #draw;
  #begin;

  constructor({ ratePerSecond, draw, begin }) {
    this.#gapMs = 1_000 / ratePerSecond;
    this.#draw = draw;
    this.#begin = begin;
    this.#nextMs = performance.now();
    this.#wait();
  }

  stop() {
    clearTimeout(this.#timer);
  }

  #wait() {
    const leftMs = Math.max(0, this.#nextMs - performance.now());
    this.#timer = setTimeout(() => this.#turn(), leftMs);
  }

  #turn() {
    const nowMs = performance.now();
    while (this.#nextMs <= nowMs) {
      this.#begin(nowMs - this.#nextMs <= TIMER_MS ? nowMs : this.#nextMs);
      this.#nextMs -= Math.log(1 - this.#draw()) * this.#gapMs;
    }
    this.#wait();
  }
}
