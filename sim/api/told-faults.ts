// What a scenario does to processes, as faults of the report: each lasts until it is undone.

import type { Recorder } from '../report/recorder.ts';

/** See the head of this file. One of them for each process at a time. */
export class ToldFaults {
  private readonly recorder: Recorder | null;
  private readonly ends = new Map<string, () => void>();

  /** null: nobody takes anything down. */
  constructor(recorder: Recorder | null) {
    this.recorder = recorder;
  }

  /** It begins; what lasts for this process already ends. */
  begin(process: string, text: string): void {
    this.end(process);
    const end = this.recorder?.beginFault(process, `${process} ${text}`);
    if (end !== undefined) this.ends.set(process, end);
  }

  end(process: string): void {
    this.ends.get(process)?.();
    this.ends.delete(process);
  }
}
