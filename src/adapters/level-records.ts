// A small database of texts, for programs that show what a lock protects.

import { Level } from 'level';

/** Opens the database in this directory, which is made if it is missing. */
export async function openRecords(directory: string): Promise<Level<string, string>> {
  const level = new Level<string, string>(directory, { valueEncoding: 'utf8' });
  await level.open();
  return level;
}
