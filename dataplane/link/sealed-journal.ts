import { type FileHandle, open, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { opened, sealing } from './seal.ts';
import { syncDirectory } from './sync-directory.ts';

/** Key of the records, and the snapshot that they continue. */
export interface JournalOwner {
  readonly secret: Uint8Array;
  /** Of the plane. */
  readonly identity: string;
  /** Name of the snapshot, from its seal: records of another one cannot be opened. */
  readonly snapshot: string;
}

/** The bytes before each record: its length. */
const FRAME = 4;

/** Returns where the journal of a snapshot is. */
export function journalPath(directory: string, snapshot: string): string {
  return join(directory, `snapshot.${snapshot}.journal`);
}

/** Changes after a snapshot, one sealed record for each, appended so that each costs one small write. */
export class SealedJournal {
  /** Length of the file. */
  bytes = 0;
  private readonly path: string;
  private readonly owner: JournalOwner;
  private file: FileHandle | null = null;
  private count = 0;
  private isWhole = true;

  constructor(path: string, owner: JournalOwner) {
    this.path = path;
    this.owner = owner;
  }

  /** Whether it ends with a whole record, so that it can go on. */
  get isSound(): boolean {
    return this.isWhole;
  }

  /** Resolves when the record is on disk. What could only be written in part is taken back. */
  async append(text: string): Promise<void> {
    const isNew = this.file === null;
    this.file ??= await open(this.path, 'ax', 0o600);
    const seal = sealing(this.owner.secret, recordIdentity(this.owner, this.count));
    const record = Buffer.concat([seal.head, seal.update(text), seal.end()]);
    const frame = Buffer.alloc(FRAME);
    frame.writeUInt32BE(record.length);
    this.isWhole = false;
    try {
      await this.file.writeFile(Buffer.concat([frame, record]));
      await this.file.datasync();
      if (isNew) await syncDirectory(dirname(this.path));
      this.bytes += FRAME + record.length;
      this.count++;
    } catch (error) {
      await this.takeBack(isNew);
      throw error;
    } finally {
      this.isWhole = this.file === null || (await this.file.stat()).size === this.bytes;
    }
  }

  private async takeBack(isNew: boolean): Promise<void> {
    await this.file?.truncate(this.bytes).catch(() => {});
    if (!isNew) return;
    await this.close();
    await rm(this.path, { force: true });
  }

  async close(): Promise<void> {
    await this.file?.close();
    this.file = null;
  }
}

export interface JournalContent {
  readonly records: readonly string[];
  /** Whether the file ends with something else than a whole record, which a crash leaves behind. */
  readonly isTorn: boolean;
}

/** Reads the records up to the first that is not whole. A missing file has none. */
export async function readJournal(path: string, owner: JournalOwner): Promise<JournalContent> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  });
  const records: string[] = [];
  let at = 0;
  while (at < bytes.length) {
    const start = at + FRAME;
    const length = start <= bytes.length ? bytes.readUInt32BE(at) : Number.POSITIVE_INFINITY;
    const record = start + length > bytes.length ? null : bytes.subarray(start, start + length);
    const text = record === null ? null : openedRecord(record, owner, records.length);
    if (text === null) return { records, isTorn: true };
    records.push(text);
    at = start + length;
  }
  return { records, isTorn: false };
}

function openedRecord(record: Buffer, owner: JournalOwner, number: number): string | null {
  try {
    return opened(record, owner.secret, recordIdentity(owner, number));
  } catch {
    return null;
  }
}

/** Binds a record to its place, so that records cannot be left out, repeated or put in another order. */
function recordIdentity({ identity, snapshot }: JournalOwner, number: number): string {
  return JSON.stringify([identity, snapshot, number]);
}
