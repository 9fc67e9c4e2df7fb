import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { grounds } from '../ground.ts';

const FRAMES_MAX = 40;
const OURS = /[\\/](sim|dist[\\/]sim)[\\/](api|world)[\\/]/;

/** Where the user's code called what runs now; `isNode`: Node itself did, for its own purposes. */
export interface Place {
  /** `file:line:column`, relative to the working directory. */
  readonly text: string;
  readonly isNode: boolean;
}

/** Reads the stack, which costs much: only for what is about to be refused. */
export function callerPlace(): Place {
  const frames = grounds.exit(stackFrames).filter((frame) => !OURS.test(frame));
  const [first = ''] = frames;
  const isNode = /(\(|at )node:/.test(first);
  const user = frames.find((frame) => !/(\(|at )node:/.test(frame) && /:\d+:\d+\)?$/.test(frame));
  return { text: user === undefined ? 'an unknown place' : placeIn(user), isNode };
}

function stackFrames(): readonly string[] {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = FRAMES_MAX;
  const holder = { stack: '' };
  Error.captureStackTrace(holder, callerPlace);
  const { stack } = holder;
  Error.stackTraceLimit = stackTraceLimit;
  return stack.split('\n').filter((line) => /^\s+at /.test(line));
}

function placeIn(frame: string): string {
  const [, path = '', at = ''] = /(?:\(|at (?:async )?)([^()]+?)(:\d+:\d+)\)?$/.exec(frame) ?? [];
  const file = path.startsWith('file:') ? fileURLToPath(path) : path;
  const near = relative(process.cwd(), file);
  return `${near.startsWith('..') ? file : near}${at}`;
}
