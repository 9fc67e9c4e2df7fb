const HEAD = `# Rare states

States that a test suite must have seen to be worth anything. The product marks them where they
come about; a campaign of the simulator (\`npm run sim -- run\`) counts the marks and names those
that nothing reached. Outside a campaign a mark costs one comparison, and nothing ever reads one.

<!-- Generated from src/base/probe.ts by \`npm run docs\`: edit that file, not this one. -->

| State | What it is | Marked in |
| --- | --- | --- |
`;

const USE = /probes\.(?:reach|sometimes)\(([^;]*)\);/g;
const ID = /'([a-z]+(?:-[a-z]+)+)'/g;

/** One file of the source. */
export interface SourceText {
  readonly path: string;
  readonly text: string;
}

/** Which files mark what; a file is listed as often as it marks the state. */
export function marksIn(files: readonly SourceText[]): ReadonlyMap<string, readonly string[]> {
  const marks = new Map<string, string[]>();
  for (const { path, text } of files) {
    for (const [, call = ''] of text.matchAll(USE)) {
      for (const [, id = ''] of call.matchAll(ID)) marks.set(id, [...(marks.get(id) ?? []), path]);
    }
  }
  return marks;
}

/** The text of docs/probes.md. */
export function probesDocument(
  probes: Readonly<Record<string, string>>,
  marks: ReadonlyMap<string, readonly string[]>,
): string {
  const rows = Object.entries(probes).map(([id, sentence]) => {
    const places = (marks.get(id) ?? []).map((path) => `\`${path}\``).join(', ');
    return `| \`${id}\` | ${sentence.replaceAll('|', '\\|')} | ${places} |\n`;
  });
  return HEAD + rows.join('');
}
