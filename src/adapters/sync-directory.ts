import { open } from 'node:fs/promises';

/** Makes the entries of a directory durable: new files and renames. Rejects as fsync does. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
