// A failure as a test of its own, for test/sim/.

import type { Violation } from '../oracle/verdict.ts';
import type { Script } from '../script/types.ts';
import { firstLine } from './command.ts';

/** A configuration of vitest for a folder of such tests. */
export const GENERATED_TESTS_CONFIG = `export default { test: { include: ['*.test.ts'] } };\n`;

/** The text of a vitest file in test/sim/ that fails as long as the script breaks a promise. */
export function generatedTest(script: Script, violation: Violation): string {
  const title = JSON.stringify(`${violation.oracle}: ${firstLine(violation.message)}`);
  return [
    `import { expect, test } from 'vitest';`,
    `import { runScript } from '../../sim/run/run.ts';`,
    `import type { Script } from '../../sim/script/types.ts';`,
    '',
    `const script: Script = ${JSON.stringify(script, null, 2)};`,
    '',
    `test(${title}, async () => {`,
    `  expect((await runScript(script)).violation).toBeNull();`,
    `});`,
    '',
  ].join('\n');
}
