// Reports as a person uses them: in a real browser, from a file, with keys and a mouse.

import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium, openBrowser, styleOf } from './browser.ts';
import { PAUSE, failing, sellTwice } from './failing.ts';

const chromiumPath = findChromium();

describe.skipIf(chromiumPath === null)('a page in a browser', () => {
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];
  const requests: string[] = [];

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-report-'));
    const evil = '</script><img src=x onerror="document.title=1">';
    const { error } = await failing(folder, (world) => sellTwice(world, evil), [PAUSE]);
    const url = pathToFileURL(error.reportFile ?? '').href;
    browser = await openBrowser(chromiumPath ?? '');
    page = await browser.newPage({ viewport: { width: 1_400, height: 1_000 } });
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (reason) => complaints.push(reason.message));
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(url);
    expect(readFileSync(new URL(url), 'utf8')).not.toContain(evil);
    expect(requests).toEqual([url]);
  });

  afterAll(async () => {
    await browser.close();
  });

  test('opens without an error and without a request, and says what broke', async () => {
    expect(complaints).toEqual([]);
    expect(requests).toHaveLength(1);
    expect(await page.locator('h1').innerText()).toBe('worker-1 sold item 10 a second time');
    expect(await page.title()).toBe('CHECK · Holdfast');
  });

  test('shows lanes of all who take part, and the red line within the window', async () => {
    const names = await page.locator('#cone .name b').allInnerTexts();
    expect(names).toEqual(expect.arrayContaining(['n1', 'n3', 'worker-1', 'worker-2']));
    const line = page.locator('#cone .violation line');
    const box = await line.boundingBox();
    expect(box?.x).toBeGreaterThan(0);
    expect(box?.x).toBeLessThan(1_400);
    const bar = await page.locator('#cone .leader rect').last().boundingBox();
    expect(box?.x).toBeCloseTo((bar?.x ?? 0) + (bar?.width ?? 0), -1);
    const colour = await styleOf(line, 'stroke');
    expect(colour).toBe('rgb(196, 22, 28)');
  });

  test('tells of what is clicked: an arrow by its decoded message', async () => {
    await page.locator('#search').fill('acquire');
    await page.locator('#list li', { hasText: 'acquire' }).first().click();
    expect(await page.locator('#detail h3').innerText()).toContain('acquire');
    expect(await page.locator('#detail').innerText()).toMatch(/command · op acquire/);
    expect(await page.locator('#cone .chosen').count()).toBe(1);
    expect(await page.locator('#cone .dim').count()).toBeGreaterThan(0);
    await page.locator('#search').fill('');
    await page.locator('#search').blur();
    expect(await page.locator('#cone .dim').count()).toBe(0);
    await page.locator('#cone .hold').first().click();
    expect(await page.locator('#detail h3').innerText()).toBe('worker-1 · token 3');
  });

  test('steps through events with the arrow keys', async () => {
    const chosen = (): Promise<string | null> =>
      page.locator('#list li[aria-selected=true]').getAttribute('data-i');
    await page.locator('#list li').first().click();
    const first = await chosen();
    await page.keyboard.press('ArrowRight');
    const second = await chosen();
    expect(second).not.toBe(first);
    await page.keyboard.press('ArrowLeft');
    expect(await chosen()).toBe(first);
  });

  test('zooms in and out: times move apart, letters do not grow', async () => {
    const width = (): Promise<number> =>
      page.locator('#cone svg').evaluate((svg) => svg.getBoundingClientRect().width);
    const letters = (): Promise<string> =>
      styleOf(page.locator('#cone .time').first(), 'font-size');
    const ticks = async (): Promise<number> => {
      const [first, second] = await page
        .locator('#cone .time')
        .evaluateAll((all) => all.map((each) => Number(each.getAttribute('x'))));
      return (second ?? 0) - (first ?? 0);
    };
    await page.keyboard.press('0');
    const apart = await ticks();
    const before = { width: await width(), letters: await letters() };
    await page.keyboard.press('+');
    expect(await width()).toBeGreaterThan(before.width * 1.3);
    expect(await letters()).toBe(before.letters);
    expect(await ticks()).toBeCloseTo(apart * 1.4, 0);
    await page.keyboard.press('-');
    expect(await width()).toBeCloseTo(before.width, 0);
  });

  test('has everything in the second view, and both runs in the third', async () => {
    await page.keyboard.press('2');
    const cone = await page.locator('#cone .f').count();
    expect(await page.locator('#full .f').count()).toBeGreaterThan(cone);
    expect(await page.locator('#cone').isVisible()).toBe(false);
    await page.getByRole('tab', { name: 'Without the last fault' }).click();
    expect(await page.locator('#compared svg').count()).toBe(2);
    expect(await page.locator('#compared .violation').count()).toBe(1);
    const lines = page.locator('#compared .difference line');
    const [here, there] = await lines.evaluateAll((all) =>
      all.map((each) => Math.round(each.getBoundingClientRect().x)),
    );
    expect(here).toBe(there);
    await page.keyboard.press('1');
    expect(complaints).toEqual([]);
  });

  test('is readable in the dark, and on paper', async () => {
    await page.emulateMedia({ colorScheme: 'dark' });
    const background = await styleOf(page.locator('body'), 'background-color');
    expect(background).toBe('rgb(13, 17, 23)');
    await page.emulateMedia({ colorScheme: 'light', media: 'print' });
    expect(await page.locator('nav').isVisible()).toBe(false);
    expect(await page.locator('#cone svg').isVisible()).toBe(true);
  });
});
