// Code blocks of a document, and how a test runs them.

import ts from 'typescript';

/** The code blocks of a language, in order. */
export function blocksOf(text: string, language: string): string[] {
  const pattern = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g');
  return [...text.matchAll(pattern)].map(([, code = '']) => code);
}

/** Runs a snippet as the body of an async function; its imports come as arguments. */
export async function execute(snippet: string, names: Record<string, unknown>): Promise<void> {
  const body = snippet.replace(/^import .*$/gm, '');
  const source = `async function snippet(${Object.keys(names).join(', ')}) {\n${body}\n}\n`;
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
    reportDiagnostics: true,
  });
  const build = new Function(`${outputText}\nreturn snippet;`);
  await build()(...Object.values(names));
}
