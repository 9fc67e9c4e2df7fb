// What surrounds the runs of a campaign: variations, rare states, sums, files, options.

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PROBES } from '../../src/base/probe.ts';
import type { ProbeId } from '../../src/base/probe.ts';
import { NO_HAND_OVERS } from '../../sim/oracle/hand-overs.ts';
import { Failure, Given, U32 } from '../../sim/run/command.ts';
import type { Command } from '../../sim/run/command.ts';
import { mutate } from '../../sim/run/mutate.ts';
import { MutationPool, Novelty } from '../../sim/run/novelty.ts';
import type { Report } from '../../sim/run/protocol.ts';
import { readScriptFile } from '../../sim/run/script-files.ts';
import { CampaignStatistics } from '../../sim/run/statistics.ts';
import { readScript } from '../../sim/script/check.ts';
import { drawScript } from '../../sim/script/draw.ts';

const SEEDS = Array.from({ length: 300 }, (_, at) => at);

describe('a variation of a script', () => {
  test('is a script, is the same for the same seed, and keeps what it does not change', () => {
    for (const seed of SEEDS) {
      const base = drawScript(seed);
      const mutant = mutate(base, seed);
      expect(readScript(mutant)).toEqual(mutant);
      expect(mutate(base, seed)).toEqual(mutant);
      const { faults, ops, noise, ...rest } = mutant;
      expect({ ...rest }).toEqual({ ...rest, ...omit(base) });
      expect(Math.abs(faults.length - base.faults.length)).toBeLessThanOrEqual(4);
      expect(Math.abs(ops.length - base.ops.length)).toBeLessThanOrEqual(4);
      expect(noise).toBeGreaterThanOrEqual(0);
    }
  });

  test('gives no id to two operations', () => {
    for (const seed of SEEDS) {
      const ids = mutate(drawScript(seed), seed).ops.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
    }
  });

  test('is another script nearly always, and has other luck half of the time', () => {
    const bases = SEEDS.map((seed) => [drawScript(seed), mutate(drawScript(seed), seed)] as const);
    const changed = bases.filter(
      ([base, mutant]) => JSON.stringify(base) !== JSON.stringify(mutant),
    );
    const lucky = bases.filter(([base, mutant]) => base.noise !== mutant.noise);
    expect(changed.length).toBeGreaterThan(SEEDS.length * 0.8);
    expect(lucky.length).toBeGreaterThan(SEEDS.length * 0.35);
    expect(lucky.length).toBeLessThan(SEEDS.length * 0.65);
  });
});

function omit({
  faults: _faults,
  ops: _ops,
  noise: _noise,
  ...rest
}: ReturnType<typeof drawScript>) {
  return rest;
}

describe('rare states', () => {
  const [probe] = Object.keys(PROBES).filter(isProbe);
  if (probe === undefined) throw new Error('there are no probes');

  test('a combination is new once', () => {
    const novelty = new Novelty();
    expect(novelty.isNew([])).toBe(false);
    expect(novelty.isNew([probe])).toBe(true);
    expect(novelty.isNew([probe])).toBe(false);
    const other: ProbeId = 'window-full';
    expect(novelty.isNew([other])).toBe(true);
    // Both were seen, but never in one run.
    expect(novelty.isNew([probe, other])).toBe(true);
    expect(novelty.isNew([probe, other])).toBe(false);
  });

  test('half of the runs vary a script of the pool', () => {
    const pool = new MutationPool(1);
    expect(SEEDS.every((number) => pool.base(number) === null)).toBe(true);
    const script = drawScript(1);
    pool.add(script);
    const varied = SEEDS.filter((number) => pool.base(number) === script).length;
    expect(varied).toBeGreaterThan(SEEDS.length * 0.35);
    expect(varied).toBeLessThan(SEEDS.length * 0.65);
  });

  test('the summary counts runs, shares, rates and the states that were reached', () => {
    const statistics = new CampaignStatistics();
    statistics.add(report({ grants: 4, leaderChanges: 2, probes: [probe] }));
    statistics.add(report({ grants: 30, leaderChanges: 1, expiries: 1 }));
    statistics.add(report({ grants: 20 }));
    // One of them is a defect, which no campaign should reach.
    const all = Object.keys(PROBES).length - 1;
    expect(statistics.summary(2_000)).toBe(
      'runs=3 violations=0 leaderChanges=67% expiries=33% medianGrants=20 ' +
        `probes=1/${all} events/s=1500 simulated:real=8`,
    );
    expect(statistics.missed().map(([id]) => id)).not.toContain(probe);
    expect(statistics.missed().length).toBe(all - 1);
  });
});

function isProbe(id: string): id is keyof typeof PROBES {
  return id in PROBES;
}

function report(part: Partial<Report>): Report {
  const counts = { leaderChanges: 0, expiries: 0, grants: 0, probes: [], rare: null };
  return {
    number: 1,
    events: 1_000,
    virtualUs: 5e6,
    workMs: 20,
    failure: null,
    handOvers: NO_HAND_OVERS,
    ...counts,
    ...part,
  };
}

describe('files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-sim-'));
  const written = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };

  test('a script comes back as it was written', () => {
    const file = { about: 'a test', violated: null, script: drawScript(3) };
    expect(readScriptFile(written('good.json', JSON.stringify(file)))).toEqual(file);
  });

  test.each([
    ['', /not JSON/],
    ['[]', /about must be a sentence/],
    ['7', /not an object/],
    ['{"about":"x","violated":3}', /violated must be/],
    ['{"about":"x","violated":null,"script":{"horizonMs":"long"}}', /horizonMs/],
  ])('%s is refused with what is wrong', (text, reason) => {
    expect(() => readScriptFile(written('bad.json', text))).toThrow(reason);
  });

  test('a missing file is named', () => {
    expect(() => readScriptFile(join(folder, 'none.json'))).toThrow(/none\.json: there is no such/);
  });
});

describe('options', () => {
  const command: Command = {
    name: 'some',
    usage: 'FILE [--runs N]',
    summary: '',
    help: [],
    options: { runs: { type: 'string' }, fast: { type: 'boolean' } },
    run: () => Promise.resolve(0),
  };
  const given = (...argv: readonly string[]) => new Given(command, argv);

  test('are read, and have defaults', () => {
    expect(given('--runs', '7').number('runs', 1, U32)).toBe(7);
    expect(given('--runs=7').number('runs', 1, U32)).toBe(7);
    expect(given().number('runs', 1, U32)).toBe(1);
    expect(given('--fast').has('fast')).toBe(true);
    expect(given().has('fast')).toBe(false);
    expect(given('a.json').file()).toBe('a.json');
  });

  test.each([
    [['--runs', 'x'], /--runs takes a whole number from 0 to 4294967295, not "x"/],
    [['--runs', '-1'], /--runs/],
    [['--runs', '1.5'], /whole number/],
    [['--runs='], /not ""/],
    [['--slow'], /unknown option '--slow'; some takes --runs, --fast/],
    [['a', 'b'], /some takes one file: npm run sim -- some FILE/],
  ])('%j is refused with what was expected, exit code 64', (argv, reason) => {
    const act = () => {
      const each = given(...argv);
      each.number('runs', 1, U32);
      each.file();
    };
    expect(act).toThrow(reason);
    expect(act).toThrow(expect.objectContaining({ exitCode: 64, name: 'Failure' }));
    expect(act).toThrow(Failure);
  });
});
