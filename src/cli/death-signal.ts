// A wrapper that is killed with SIGKILL can run no code. On Linux the kernel can be asked to send
// its child a signal then: setpriv (util-linux) does that and becomes the program by exec, so
// that pid, argv and exit code stay the program's own.
//
// It reaches the child itself, not the child's descendants, and a program that changes its user
// (setuid) loses it.

import { spawn } from 'node:child_process';
import { lookForProgram } from './program-path.ts';

const SYSTEM_PATH = '/usr/bin:/bin';

/**
 * What to put before a command so that it gets a signal when this process is gone; may be empty.
 * KILL reaches a process even while it is stopped.
 */
export async function deathSignalPrefix(
  signal: 'TERM' | 'KILL' = 'TERM',
): Promise<readonly string[]> {
  if (process.platform !== 'linux') return [];
  const setpriv = lookForProgram('setpriv', SYSTEM_PATH);
  if (setpriv === null) return [];
  const prefix = [setpriv, '--pdeathsig', signal, '--'];
  return (await knowsOptions(prefix)) ? prefix : [];
}

// The setpriv of busybox has no --pdeathsig, and a sandbox may forbid the call.
function knowsOptions(prefix: readonly string[]): Promise<boolean> {
  const [file = '', ...args] = [...prefix, 'true'];
  return new Promise((resolve) => {
    const probe = spawn(file, args, { stdio: 'ignore' });
    probe.once('error', () => {
      resolve(false);
    });
    probe.once('exit', (code) => {
      resolve(code === 0);
    });
  });
}
