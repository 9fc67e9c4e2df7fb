// holdfast backup: the whole state of a cluster in one file, while the cluster works on.

import { existsSync } from 'node:fs';
import { HoldfastError } from '../base/error.ts';
import type { Admin } from '../client/admin.ts';
import type { StoredRow } from '../wire/checkpoint.ts';
import { packageVersion } from '../server/version.ts';
import type { ReadBackup } from './backup-file.ts';
import { EXIT, Failure, signalExitCode } from './exit-code.ts';
import { note, noteProgress, printJson, printLine, showTime } from './output.ts';
import { QUESTION_EXIT_CODES, addClusterOptions, addExamples } from './program.ts';
import type { ClusterOptions, Invocation } from './program.ts';
import { SignalInbox } from './signals.ts';
import { withAdmin } from './with-admin.ts';

interface BackupOptions extends ClusterOptions {
  readonly force?: true;
}

/** A leader that changes ends a backup that is being read. */
const TRIES_MAX = 3;

const NOTES = `
The file has everything that was acknowledged before the command began: sessions, locks, queues and
the answers to requests. It is written under a temporary name, made durable, renamed, and then read
again and verified. Keep it on another machine. holdfast restore makes a new cluster of it.

A signal ends it and leaves nothing of the file.

Exit code: 0 written and verified; 1 the file exists already; 65 it could not be verified;
${QUESTION_EXIT_CODES}`;

/** Adds `backup` to the program. */
export function addBackupCommand(invocation: Invocation): void {
  const command = invocation.program
    .command('backup')
    .description('write the state of the cluster to a file, while it works on')
    .argument('<file>', 'where to write it')
    .option('--force', 'replace a file that exists')
    .addHelpText('after', NOTES)
    .action(backup);
  addExamples(addClusterOptions(command), ['holdfast backup /backups/holdfast-monday']);
}

async function backup(path: string, options: BackupOptions): Promise<void> {
  if (options.force !== true && existsSync(path)) {
    throw new Failure(EXIT.refused, `INVALID: ${path} exists already; --force replaces it`);
  }
  const inbox = new SignalInbox();
  try {
    await withAdmin(options, (admin) => {
      inbox.interrupted.addEventListener('abort', () => admin.close());
      return write(admin, path);
    });
  } catch (error) {
    if (inbox.interruption === null) throw error;
    const text = `CANCELLED: ${inbox.interruption} before it was whole; nothing of it is left`;
    throw new Failure(signalExitCode(inbox.interruption), text);
  } finally {
    inbox.close();
    noteProgress('');
  }
  const { readBackup } = await import('./backup-file.ts');
  const read = await readBackup(path);
  if (options.json === true) printJson({ file: path, ...backupJson(read) });
  else printLine(`wrote ${path}: ${backupText(read)}`);
}

async function write(admin: Admin, path: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await writeOnce(admin, path);
    } catch (error) {
      const isOver = !HoldfastError.is(error) || error.code !== 'UNAVAILABLE';
      if (isOver || attempt === TRIES_MAX) throw error;
      note(`the backup begins anew: ${error.message}`);
    }
  }
}

async function writeOnce(admin: Admin, path: string): Promise<void> {
  const { meta, pages, end } = await admin.beginBackup();
  const { clusterName, clusterId } = meta.founding;
  const header = { clusterName, clusterId, createdMs: Date.now(), version: packageVersion() };
  const { writeBackup } = await import('./backup-file.ts');
  await writeBackup(path, { header, meta, pages: told(pages()) });
  await end();
}

/** The same pages; on a terminal whoever waits sees that it goes on. */
async function* told(pages: AsyncIterable<readonly StoredRow[]>) {
  let count = 0;
  for await (const rows of pages) {
    count += rows.length;
    noteProgress(`${count} rows`);
    yield rows;
  }
}

/** A backup for programs. */
export function backupJson({ header, meta, machine, rows, bytes }: ReadBackup): object {
  const { index, term } = meta.checkpoint.point.last;
  return {
    clusterName: header.clusterName,
    clusterId: header.clusterId,
    created: new Date(header.createdMs).toISOString(),
    index,
    term,
    sessions: machine.sessionCount(),
    locks: machine.lockCount(),
    rows,
    bytes,
  };
}

/** A backup for people, in one line. */
export function backupText({ header, meta, machine, bytes }: ReadBackup): string {
  const counts = `${machine.sessionCount()} sessions, ${machine.lockCount()} locks`;
  const { index } = meta.checkpoint.point.last;
  const taken = `taken ${showTime(header.createdMs)} up to index ${index}`;
  return `cluster "${header.clusterName}", ${taken}: ${counts}, ${bytes} bytes`;
}
