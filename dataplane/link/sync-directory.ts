import { open } from 'node:fs/promises';

/** Makes new names in a directory survive a crash of the machine. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
