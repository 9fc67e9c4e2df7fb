import type { ErrorCodeInfo } from '../../src/base/error.ts';

const HEAD = `# Error codes

Every error of the library, of HTTP and of the command line has a \`code\` from this table. Codes
never change their meaning; messages may change at any time, so do not match them.

- **Outcome** says what is known of the request: \`none\` it certainly did not happen, \`done\` it
  happened, \`unknown\` it may have happened or may yet happen. An error can carry another outcome
  than the one listed when it knows more (\`error.outcome\`).
- **Retry** says whether the same request may be sent again without new information.
- **HTTP** is the status of the answer that carries the code. \`INVALID\` comes with 404 for an
  unknown path and with 405 for a wrong method too, \`NOT_LEADER\` with 307 to the leader.

The command line has codes of its own beside these; with each of them nothing was done: \`USAGE\`
(wrong arguments, exit code 64), \`NOT_FOUND\` (the command to run does not exist, 127),
\`NOT_EXECUTABLE\` (it cannot be run, 126), and of \`holdfast up\` \`DIRECTORY_FOREIGN\` (80) and
\`DIRECTORY_MISSING\` (87).

<!-- Generated from src/base/error.ts by \`npm run docs\`: edit that file, not this one. -->

| Code | Outcome | Retry | HTTP | Meaning |
| --- | --- | --- | --- | --- |
`;

/** The text of docs/errors.md for a table of codes. */
export function errorsDocument(codes: Readonly<Record<string, ErrorCodeInfo>>): string {
  const rows = Object.entries(codes).map(([code, info]) => {
    const retry = info.retryable ? 'yes' : 'no';
    const meaning = info.meaning.replaceAll('|', '\\|');
    return `| \`${code}\` | ${info.outcome} | ${retry} | ${info.httpStatus} | ${meaning} |\n`;
  });
  return HEAD + rows.join('');
}
