// A node of `holdfast up` ends with it. The kernel sends SIGTERM once it was asked to
// (death-signal.ts); a parent that is killed in the moment before would leave a node behind that
// nobody knows of, with the directory locked. So the parent says who it is, and the node looks.

import { Failure, signalExitCode } from './exit-code.ts';

const VARIABLE = 'HOLDFAST_PARENT';

/** For the environment of a child that must not outlive this process. */
export function parentMark(): Readonly<Record<string, string>> {
  return { [VARIABLE]: String(process.pid) };
}

/** Throws when the process that started this one, and said so, is gone already. */
export function refuseOrphan(): void {
  const parent = process.env[VARIABLE];
  if (parent === undefined || Number(parent) === process.ppid) return;
  const message = `UNAVAILABLE: process ${parent}, which started this node, has ended`;
  throw new Failure(signalExitCode('SIGTERM'), message);
}
