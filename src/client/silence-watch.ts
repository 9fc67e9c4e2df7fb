import { probes } from '../base/probe.ts';
import type { MonoUs } from '../base/units.ts';
import type { Clock, Timer } from '../ports/clock.ts';

const STALL_US = 100_000;

/**
 * Notices that a node owes an answer and says nothing (a half-open connection). Its timer runs
 * once per span at most, whatever the traffic: there is none per request.
 */
export class SilenceWatch {
  private readonly clock: Clock;
  private readonly spanUs: number;
  private readonly onSilent: () => void;
  private owedSinceUs: MonoUs | null = null;
  private timer: Timer | null = null;

  constructor(clock: Clock, spanUs: number, onSilent: () => void) {
    this.clock = clock;
    this.spanUs = spanUs;
    this.onSilent = onSilent;
  }

  /** Something was sent that wants an answer. */
  owe(): void {
    if (this.owedSinceUs !== null) return;
    this.owedSinceUs = this.clock.monoUs();
    if (this.timer === null) this.arm(this.spanUs);
  }

  /** The node said something. */
  heard(): void {
    this.owedSinceUs = null;
  }

  stop(): void {
    this.owedSinceUs = null;
    this.timer?.cancel();
    this.timer = null;
  }

  private arm(delayUs: number): void {
    const dueUs = this.clock.monoUs() + delayUs;
    this.timer = this.clock.after(delayUs, () => {
      this.timer = null;
      this.look(dueUs);
    });
  }

  private look(dueUs: MonoUs): void {
    if (this.owedSinceUs === null) return;
    const nowUs = this.clock.monoUs();
    const leftUs = this.owedSinceUs + this.spanUs - nowUs;
    // After a stall of this process the answer may lie unread in the socket: look there first.
    if (nowUs - dueUs > STALL_US) this.arm(STALL_US);
    else if (leftUs > 0) this.arm(leftUs);
    else {
      probes.reach('node-falls-silent');
      this.onSilent();
    }
  }
}
