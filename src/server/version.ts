import { createRequire } from 'node:module';

/** The version of this package, `unknown` if its package.json cannot be read. */
export function packageVersion(): string {
  try {
    // By its own name: the sources and what is built of them lie in folders of different depths.
    const content: unknown = createRequire(import.meta.url)('holdfast/package.json');
    if (typeof content !== 'object' || content === null || !('version' in content)) return UNKNOWN;
    return typeof content.version === 'string' ? content.version : UNKNOWN;
  } catch {
    return UNKNOWN;
  }
}

const UNKNOWN = 'unknown';
