import { readFileSync } from 'node:fs';

/** The version of this package, `unknown` if its package.json cannot be read. */
export function packageVersion(): string {
  try {
    const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
    const content: unknown = JSON.parse(text);
    if (typeof content !== 'object' || content === null || !('version' in content)) return UNKNOWN;
    return typeof content.version === 'string' ? content.version : UNKNOWN;
  } catch {
    return UNKNOWN;
  }
}

const UNKNOWN = 'unknown';
