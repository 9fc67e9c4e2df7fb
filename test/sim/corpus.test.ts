// Scripts that once broke a promise, and scripts that reach something rare. They run before all
// other tests (test/sequencer.ts); each file says what it shows.

import { describe, expect, test } from 'vitest';
import { runScript } from '../../sim/run/run.ts';
import { corpusFiles, readScriptFile } from '../../sim/run/script-files.ts';

const corpus = corpusFiles().map((path) => readScriptFile(path));

describe('the corpus', () => {
  test('is not empty', () => {
    expect(corpus.length).toBeGreaterThan(0);
  });

  test.each(corpus)('$about', async ({ script }) => {
    expect((await runScript(script)).violation).toBeNull();
  });
});
