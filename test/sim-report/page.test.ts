// Reports as text: what is in them, and what must never be.

import { existsSync, mkdtempSync, copyFileSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { describeWorldFault } from '../../sim/property/describe.ts';
import { Recorder } from '../../sim/report/recorder.ts';
import { renderReport } from '../../sim/report/render.ts';
import { simulate } from '../../sim/api/simulate.ts';
import { main } from '../../sim/run/main.ts';
import { createRunner } from '../../sim/run/run.ts';
import { corpusFiles, readScriptFile } from '../../sim/run/script-files.ts';
import { reportPage } from '../../sim/run/report-page.ts';
import { SimulationError } from '../../sim/api/error.ts';
import { PAUSE, failing, sellTwice } from './failing.ts';

const BYTES_MAX = 1_000_000;

function folder(): string {
  return mkdtempSync(join(tmpdir(), 'holdfast-report-'));
}

test('C9 the page of a failing simulation tells what broke, who held what, and what struck', async () => {
  const { error, page } = await failing(folder(), (world) => sellTwice(world), [PAUSE]);
  expect(error.oracle).toBe('CHECK');
  expect(page).toMatch(/CHECK: a check does not hold at \d\.\d+ s/);
  const h1 = /<h1>(.*?)<\/h1>/.exec(page)?.[1];
  expect(h1).toBe('worker-1 sold item 10 a second time');
  for (const lane of ['n1', 'n2', 'n3', 'worker-1', 'worker-2', 'inventory']) {
    expect(page).toContain(`<b>${lane}</b>`);
  }
  expect(page).toContain('worker-1 · token 3');
  expect(page).toMatch(/class="name accused"[^>]*title="worker-1"/);
  expect(page).toContain('believes in inventory');
  expect(page).toMatch(/class="i s paused"/);
  expect(page).toMatch(/worker-1 believed in inventory · 3 until \d\.\d+ s, and in nothing since/);
  expect(page).toContain(describeWorldFault(PAUSE));
  expect(Buffer.byteLength(page)).toBeLessThan(BYTES_MAX);
});

test('the same without the last fault is beside it, up to where the two part', async () => {
  const { page } = await failing(folder(), (world) => sellTwice(world), [PAUSE]);
  expect(page).toContain(`The same without “${describeWorldFault(PAUSE)}”: nothing is broken`);
  expect(page).toMatch(/this one goes on with: at 200 ms worker-1 stands still from now on/);
  const alone = await failing(folder(), (world) => {
    world.check(false, 'at once');
    return Promise.resolve();
  });
  expect(alone.page).not.toContain('Without the last fault');
});

test('names and messages of users are text, whatever they look like', async () => {
  const evil = '</script><script>window.broken=1</script>"\'<img src=x onerror=alert(1)>&\u2028';
  const { page } = await failing(
    folder(),
    async (world) => {
      const store = world.fencedStore(evil);
      const worker = world.run(evil, async (own) => {
        const client = own.client();
        const grant = await client.lock(evil).acquire();
        await store.write({ token: grant.token, value: 1 });
        world.note(evil);
        world.check(false, evil);
      });
      await worker.done;
    },
    [],
  );
  expect(page).not.toContain(evil);
  expect(page).not.toContain('<img');
  expect(page).toContain('<i>store</i>');
  expect(page).toMatch(/class="i m write"/);
  expect(page.match(/<script/g)).toHaveLength(2);
  expect(page.match(/<\/script>/g)).toHaveLength(2);
  const [, data = ''] = /id="data">(.*?)<\/script>/s.exec(page) ?? [];
  expect(JSON.stringify(JSON.parse(data))).toContain('onerror=alert(1)');
});

test('nothing is loaded from anywhere', async () => {
  const { page } = await failing(folder(), (world) => sellTwice(world), [PAUSE]);
  expect(page).toContain('default-src &#39;none&#39;');
  expect(page).not.toMatch(/\b(src|href)=|url\((?!#)|@import|https?:/);
});

test('a recorder changes nothing: the trace is the same with it and without', async () => {
  const scenario = sellTwice;
  const hashOf = async (report: string | false): Promise<string> => {
    const error: unknown = await simulate({ seed: 7, report, faults: [PAUSE] }, (world) =>
      scenario(world),
    ).catch((reason: unknown) => reason);
    return error instanceof SimulationError ? error.traceHash : 'kept';
  };
  expect(await hashOf(folder())).toBe(await hashOf(false));
  const run = createRunner();
  const { script } = readScriptFile(corpusFiles()[0] ?? '');
  const plain = await run(script);
  const recorded = await run(script, { recorder: new Recorder() });
  expect(recorded.traceHash).toBe(plain.traceHash);
});

test('every script of the corpus has a page below a megabyte, whatever happens in it', async () => {
  const run = createRunner();
  for (const file of corpusFiles()) {
    const page = await reportPage(readScriptFile(file).script, run, `replay ${file}`);
    expect(Buffer.byteLength(page), file).toBeLessThan(BYTES_MAX);
    expect(page, file).toContain('Every promise is kept.');
    expect(page, file).not.toContain('NaN');
  }
});

test('replay writes the page beside the script', async () => {
  const output = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const script = join(folder(), 'some.json');
  copyFileSync(corpusFiles()[0] ?? '', script);
  expect(await main(['replay', script])).toBe(0);
  const page = script.replace('.json', '.html');
  expect(existsSync(page)).toBe(false);
  expect(await main(['replay', script, '--report'])).toBe(0);
  expect(output.mock.calls.join('')).toContain(`report: ${page}`);
  output.mockRestore();
  expect(readFileSync(page, 'utf8')).toMatch(/^<!doctype html>/);
});

test('of a long run the newest part is drawn, and what was left out is told', async () => {
  const recorder = new Recorder();
  const { script } = readScriptFile(corpusFiles().find((file) => file.includes('drawn-2')) ?? '');
  await createRunner()(script, { recorder });
  const recording = recorder.recording({ violation: null, scenario: [], replay: '' });
  const [frame] = recording.frames;
  if (frame === undefined) throw new Error('nothing was sent');
  const many = Array.from({ length: 30_000 }, (_, at) => {
    return { ...frame, sentUs: at * 100, heardUs: at * 100 + 50, lines: [`message ${at}`] };
  });
  const long = { ...recording, frames: many, endUs: 3_000_000 };
  const page = renderReport(long);
  expect(Buffer.byteLength(page)).toBeLessThan(BYTES_MAX);
  expect(page).toMatch(/Left out: .*the oldest \d+ frames/);
  expect(page).toContain('message 29999');
  expect(page).not.toContain('message 100"');
});
