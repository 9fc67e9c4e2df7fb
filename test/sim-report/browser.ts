// A real browser for tests of pages: Chromium, as Debian has it.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser, Locator } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
const INSTALL_MS = 300_000;

/**
 * Where Chromium is; where it is missing and may be installed (as root, with apt), it is. null:
 * there is none, and suites that need it are skipped and counted.
 */
export function findChromium(): string | null {
  const path = onPath();
  if (path !== null) return path;
  if (process.getuid?.() === 0 && onPath(['apt-get']) !== null) {
    const install = ['install', '-y', '-qq', '--no-install-recommends', 'chromium'];
    for (const words of [['update', '-qq'], install]) {
      spawnSync('apt-get', words, { stdio: 'ignore', timeout: INSTALL_MS });
    }
  }
  const installed = onPath();
  if (installed === null) {
    console.warn('No Chromium here (apt-get install chromium): tests of pages are skipped.');
  }
  return installed;
}

/** Starts it; as root it has no sandbox of its own. */
export function openBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

/** A property of style as it came out, such as `stroke`. */
export function styleOf(element: Locator, property: string): Promise<string> {
  return element.evaluate((each, name) => {
    const { defaultView } = each.ownerDocument;
    return defaultView?.getComputedStyle(each).getPropertyValue(name) ?? '';
  }, property);
}

function onPath(names: readonly string[] = NAMES): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return paths.find((path) => existsSync(path)) ?? null;
}
