import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ERROR_CODES } from '../../src/base/error.ts';
import { errorsDocument } from './errors-document.ts';

const file = new URL('../../docs/errors.md', import.meta.url);

test('docs/errors.md lists exactly the codes of src/base/error.ts (else: npm run docs)', () => {
  const expected = errorsDocument(ERROR_CODES);
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(file, expected);
  expect(existsSync(file) ? readFileSync(file, 'utf8') : '').toBe(expected);
});

test('a bar in a meaning does not end its cell', () => {
  const info = { outcome: 'none', retryable: true, httpStatus: 409, meaning: 'a | b' } as const;
  expect(errorsDocument({ X: info })).toContain('| `X` | none | yes | 409 | a \\| b |');
});
