// What a campaign came to: a campaign in which nothing happens proves nothing, so its summary says
// how much did (SIMULATOR.md §6).

import { PROBES } from '../../src/base/probe.ts';
import type { ProbeId } from '../../src/base/probe.ts';
import { NO_HAND_OVERS, sumOf } from '../oracle/hand-overs.ts';
import type { Report } from './protocol.ts';

/** Reached by planted bugs only: of these a campaign of the product must not know. */
const DEFECTS: ReadonlySet<string> = new Set<ProbeId>(['state-hashes-differ']);

/** What a campaign should reach, with what it stands for. */
const EXPECTED = Object.entries(PROBES).filter(([id]) => !DEFECTS.has(id));

/** Sums over the runs of a campaign. */
export class CampaignStatistics {
  runs = 0;
  violations = 0;
  events = 0;
  virtualUs = 0;
  workMs = 0;
  handOvers = NO_HAND_OVERS;
  private withLeaderChange = 0;
  private withExpiry = 0;
  /** Runs by the number of their grants; as many entries as there are different numbers. */
  private readonly byGrants = new Map<number, number>();
  private readonly hits = new Set<string>();

  add(report: Report): void {
    this.runs++;
    this.events += report.events;
    this.virtualUs += report.virtualUs;
    this.workMs += report.workMs;
    this.handOvers = sumOf(this.handOvers, report.handOvers);
    if (report.failure !== null) this.violations++;
    if (report.leaderChanges > 0) this.withLeaderChange++;
    if (report.expiries > 0) this.withExpiry++;
    this.byGrants.set(report.grants, (this.byGrants.get(report.grants) ?? 0) + 1);
    for (const probe of report.probes) this.hits.add(probe);
  }

  /** Those that no run has hit and should have, with what they stand for. */
  missed(): readonly (readonly [string, string])[] {
    return EXPECTED.filter(([id]) => !this.hits.has(id));
  }

  /** The last line of a campaign. */
  summary(elapsedMs: number): string {
    const all = EXPECTED.length;
    const seconds = Math.max(elapsedMs, 1) / 1_000;
    return [
      `runs=${this.runs}`,
      `violations=${this.violations}`,
      `leaderChanges=${this.percent(this.withLeaderChange)}%`,
      `expiries=${this.percent(this.withExpiry)}%`,
      `medianGrants=${this.medianGrants()}`,
      `probes=${all - this.missed().length}/${all}`,
      `events/s=${Math.round(this.events / seconds)}`,
      `simulated:real=${Math.round(this.virtualUs / 1e6 / seconds)}`,
    ].join(' ');
  }

  /** The last line of a campaign about the bounds of leases. */
  bounds(elapsedMs: number): string {
    const { handOvers, near, overlaps } = this.handOvers;
    const minutes = Math.max(elapsedMs, 1) / 60_000;
    return [
      `runs=${this.runs}`,
      `violations=${this.violations}`,
      `handOvers=${handOvers}`,
      `near=${near}`,
      `near/min=${Math.round(near / minutes)}`,
      `overlaps=${overlaps}`,
      `leaderChanges=${this.percent(this.withLeaderChange)}%`,
      `medianGrants=${this.medianGrants()}`,
    ].join(' ');
  }

  private percent(part: number): number {
    return Math.round((100 * part) / Math.max(1, this.runs));
  }

  /** Half of the runs had at least as many. */
  private medianGrants(): number {
    let seen = 0;
    for (const [grants, runs] of [...this.byGrants].sort(([left], [right]) => left - right)) {
      seen += runs;
      if (2 * seen >= this.runs) return grants;
    }
    return 0;
  }
}
