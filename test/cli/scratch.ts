import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished, vi } from 'vitest';

/** An empty directory that is gone after the test. */
export function scratchDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
  onTestFinished(() => {
    rmSync(directory, { recursive: true, force: true });
  });
  return directory;
}

/** An empty directory that is gone after the file's tests. For use in beforeAll. */
export function suiteDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
  afterAll(() => {
    rmSync(directory, { recursive: true, force: true });
  });
  return directory;
}

/** The file's text once it ends with a line feed; its writer may still be at work before. */
export async function wholeText(path: string): Promise<string> {
  return vi.waitUntil(() => textOrNull(path, (text) => text.endsWith('\n')), WAIT);
}

/** Resolves when a process has ended, and was noticed by its parent or is a zombie. */
export async function processEnd(pid: number): Promise<void> {
  await vi.waitUntil(() => !isRunning(pid), WAIT);
}

/** Whether a process exists and has not ended. */
export function isRunning(pid: number): boolean {
  const stat = textOrNull(`/proc/${pid}/stat`, () => true);
  return stat !== null && !/^\d+ \(.*\) [ZX]/.test(stat);
}

const WAIT = { timeout: 20_000, interval: 10 } as const;

function textOrNull(path: string, accept: (text: string) => boolean): string | null {
  try {
    const text = readFileSync(path, 'utf8');
    return accept(text) ? text : null;
  } catch {
    return null;
  }
}
