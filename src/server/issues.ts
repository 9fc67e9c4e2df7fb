// Turns what zod found into sentences: where, what was expected, what came.

import type { z } from 'zod';
import { describeValue } from '../base/error.ts';

type Issue = z.core.$ZodIssue;

/** More are found at once only by files that were never meant for us. */
const ISSUES_SHOWN_MAX = 5;

/** One line per problem. Schemas give `expected` as their message; `input` is what was parsed. */
export function describeIssues(issues: readonly Issue[], input: unknown): string {
  const lines = issues.slice(0, ISSUES_SHOWN_MAX).flatMap((issue) => describeIssue(issue, input));
  return lines.join('\n');
}

function describeIssue(issue: Issue, input: unknown): string[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const path = pathText([...issue.path, key]);
      return `${path}: expected no such field; got ${shown(valueAt(input, [...issue.path, key]))}`;
    });
  }
  const expected = issue.code === 'invalid_union' ? 'one of the allowed forms' : issue.message;
  return [
    `${pathText(issue.path)}: expected ${expected}; got ${shown(valueAt(input, issue.path))}`,
  ];
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : describeValue(value);
}

function pathText(path: readonly PropertyKey[]): string {
  if (path.length === 0) return '(the whole)';
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Reflect.get(value, part);
  }
  return value;
}
