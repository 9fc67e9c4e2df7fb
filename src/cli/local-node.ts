// One node of a local cluster, as a process of its own that ends with us.

import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { signalExitCode } from './exit-code.ts';
import { parentMark } from './parent.ts';

export interface LocalNodeSettings {
  readonly id: string;
  /** Absolute path of the configuration file. */
  readonly configFile: string;
  /** Absolute path of the data root. */
  readonly root: string;
  /** See deathSignalPrefix. */
  readonly prefix: readonly string[];
}

/** How a node's process ended. */
export interface NodeEnd {
  readonly id: string;
  readonly exitCode: number;
  /** `exit code 73` or `SIGKILL`. */
  readonly how: string;
  /** The error that the node told last; null when it told none. */
  readonly error: string | null;
}

export interface LocalNode {
  readonly id: string;
  readonly pid: number;
  readonly ended: Promise<NodeEnd>;
  /** The command that starts it again. */
  readonly command: string;
  signal(signal: NodeJS.Signals): void;
}

/** A log that is longer when its node starts gives way to a new one. */
const LOG_BYTES_MAX = 16 * 1024 * 1024;
const ENTRY = fileURLToPath(new URL('./entry.cjs', import.meta.url));

/** Where a node's log and errors go. */
export function logFile(root: string, id: string): string {
  return join(root, `${id}.log`);
}

/**
 * Starts a node. It leads a process group of its own: Ctrl-C reaches us alone, and we stop the
 * nodes in good order.
 */
export function startLocalNode(settings: LocalNodeSettings): LocalNode {
  const { id, configFile, root, prefix } = settings;
  const options = ['node', '--id', id, '--config', configFile, '--data', root];
  const [file = '', ...args] = [...prefix, process.execPath, ENTRY, ...options];
  const path = logFile(root, id);
  keepLogSmall(path);
  const log = openSync(path, 'a');
  const begin = fstatSync(log).size;
  const env = { ...process.env, ...parentMark() };
  const child = spawn(file, args, { stdio: ['ignore', log, log], detached: true, env });
  closeSync(log);
  return {
    id,
    pid: child.pid ?? 0,
    ended: endOf(child, id, { path, begin }),
    command: ['npx', 'holdfast', ...options].map(quoted).join(' '),
    signal: (signal) => {
      child.kill(signal);
    },
  };
}

// What a node told before it was started again is wanted most when something went wrong, so logs
// are continued; but not for ever.
function keepLogSmall(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LOG_BYTES_MAX) renameSync(path, `${path}.old`);
}

interface LogPart {
  readonly path: string;
  /** Where in the file this node's own lines begin, in bytes. */
  readonly begin: number;
}

function endOf(child: ChildProcess, id: string, log: LogPart): Promise<NodeEnd> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      resolve({ id, exitCode: 70, how: 'no start', error: error.message });
    });
    child.once('exit', (code, signal) => {
      if (signal !== null) {
        resolve({ id, exitCode: signalExitCode(signal), how: signal, error: null });
        return;
      }
      const exitCode = code ?? 0;
      resolve({ id, exitCode, how: `exit code ${exitCode}`, error: lastError(log) });
    });
  });
}

// The log is JSON lines; the line with which a command ends is not.
function lastError({ path, begin }: LogPart): string | null {
  const lines = readFileSync(path).subarray(begin).toString('utf8').trimEnd().split('\n');
  const at = lines.findLastIndex((line) => line.startsWith('holdfast: '));
  return at === -1 ? null : lines.slice(at).join('\n').slice('holdfast: '.length);
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
