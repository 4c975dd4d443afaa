import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import { errorText } from '../../platform/error-text.ts';
import type { Holding } from './holding.ts';
import { holdingDelta, withDeltas } from './holding-delta.ts';
import { holdingText, readHoldingText, type TimedHolding } from './holding-text.ts';
import { opened, sealing, sealName } from './seal.ts';
import { journalPath, readJournal, SealedJournal } from './sealed-journal.ts';
import { syncDirectory } from './sync-directory.ts';

export interface SealedSnapshotOptions {
  /** Made when it is missing. */
  readonly directory: string;
  /** A file with at least 32 random bytes, which nobody but the planes of the group can read. */
  readonly keyFile: string;
  /** Whose it is: no other plane can open it. */
  readonly identity: string;
  /** In milliseconds: what no controller stood by for longer is not used. */
  readonly maxAge: number;
  readonly log: Logger;
  /** Length of a journal beyond which a new snapshot is written; by default half of the snapshot, at least a MiB. */
  readonly journalBytes?: number;
  now?(): number;
}

/** Larger ones are neither written nor read. */
const MOST_BYTES = 512 * 1024 * 1024;
/** Milliseconds between two warnings that it cannot be written. */
const WARNING_INTERVAL = 60_000;
const NAME = 'snapshot.sealed';
const LEAST_JOURNAL_BYTES = 1024 * 1024;
/** Milliseconds after its last write at which a journal of another snapshot is nobody's. */
const ABANDONED = 60_000;

/** What this process wrote last. */
interface Written {
  readonly holding: Holding;
  readonly secret: Buffer;
  readonly journal: SealedJournal;
  readonly journalFile: string;
  readonly bytes: number;
  /** Tells the file from one that another plane, which shares the directory, put in its place. */
  readonly mark: string;
}

/**
 * What a plane serves, on disk for its next start: a sealed snapshot, and a journal of what changed since. A holding is on
 * disk when `save` resolves, so that what was acknowledged survives a crash.
 */
export class SealedSnapshot {
  /** Whether the last write failed, so that the disk has something older. */
  isBehind = false;
  private readonly options: SealedSnapshotOptions;
  private readonly file: string;
  private readonly now: () => number;
  private written: Written | null = null;
  private tail: Promise<void> = Promise.resolve();
  private warned = Number.NEGATIVE_INFINITY;

  constructor(options: SealedSnapshotOptions) {
    this.options = options;
    this.file = join(options.directory, NAME);
    this.now = options.now ?? Date.now;
  }

  /** What was kept, and since when. Null when there is nothing that may be used, which is logged with the reason. */
  async read(): Promise<TimedHolding | null> {
    const { log, maxAge } = this.options;
    const { file } = this;
    try {
      const found = await this.readAll();
      const age = this.now() - found.time;
      if (age > maxAge) {
        const seconds = { age: Math.round(age / 1000), maxAge: Math.round(maxAge / 1000) };
        log.warn({ file, ...seconds }, 'snapshot on disk is too old; ignoring it');
        return null;
      }
      return found;
    } catch (error) {
      if (isMissing(error, file)) log.info({ file }, 'no snapshot on disk');
      else log.error({ file, reason: errorText(error) }, 'snapshot on disk is not usable; ignoring it');
      return null;
    }
  }

  /** Resolves when it is on disk, or cannot be written, which is logged: serving goes on all the same. */
  save(holding: Holding): Promise<void> {
    const time = this.now();
    this.tail = this.tail.then(() => this.write(holding, time));
    const saved = this.tail;
    // what comes next waits for a new snapshot, what was saved does not
    this.tail = saved.then(() => this.shorten(time));
    return saved;
  }

  /** Resolves when everything is written. */
  async close(): Promise<void> {
    for (let last: Promise<void> | null = null; last !== this.tail; await last) last = this.tail;
    await this.abandon();
  }

  private async readAll(): Promise<TimedHolding> {
    const { log, directory, keyFile, identity } = this.options;
    const { file } = this;
    if ((await stat(file)).size > MOST_BYTES) throw new Error('it is too large');
    const sealed = await readFile(file);
    const secret = await readFile(keyFile);
    const found = readHoldingText(opened(sealed, secret, identity));
    const snapshot = sealName(sealed);
    const { records, isTorn } = await readJournal(journalPath(directory, snapshot), { secret, identity, snapshot });
    if (isTorn) log.warn({ file, changes: records.length }, 'snapshot journal is truncated; serving the intact part');
    return withDeltas(found, records);
  }

  private async write(holding: Holding, time: number): Promise<void> {
    const { log, directory, keyFile } = this.options;
    try {
      const secret = await readFile(keyFile);
      const { written } = this;
      if (written === null || !(await this.isCurrent(written, secret))) await this.writeWhole(holding, time, secret);
      else {
        await written.journal.append(holdingDelta(written.holding, holding, time));
        this.written = { ...written, holding };
      }
      if (this.isBehind) log.info({ directory }, 'snapshot written again after failures');
      this.isBehind = false;
    } catch (error) {
      if (this.written?.journal.isSound === false) await this.abandon();
      this.failed(error);
    }
  }

  /** Begins a new snapshot when the journal has become long, so that a start stays quick and the disk does not fill. */
  private async shorten(time: number): Promise<void> {
    const { written } = this;
    if (written === null) return;
    const most = this.options.journalBytes ?? Math.max(LEAST_JOURNAL_BYTES, written.bytes / 2);
    if (written.journal.bytes <= most) return;
    try {
      await this.writeWhole(written.holding, time, written.secret);
    } catch (error) {
      this.failed(error); // the journal goes on meanwhile
    }
  }

  /** Whether the file on disk is the one that the journal continues, under the key that holds now. */
  private async isCurrent({ mark, secret }: Written, key: Buffer): Promise<boolean> {
    return secret.equals(key) && (await markOf(this.file).catch(() => null)) === mark;
  }

  private async writeWhole(holding: Holding, time: number, secret: Buffer): Promise<void> {
    const { directory, identity } = this.options;
    // planes of a group may share the directory, and each has its own name
    const temporary = join(directory, `${NAME}.${hostname()}.tmp`);
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const { snapshot, bytes } = await this.writeTo(temporary, holding, time, secret);
      const mark = await markOf(temporary);
      await rename(temporary, this.file);
      await syncDirectory(directory);
      const before = this.written;
      await this.abandon();
      if (before !== null) await rm(before.journalFile, { force: true });
      const journalFile = journalPath(directory, snapshot);
      const journal = new SealedJournal(journalFile, { secret, identity, snapshot });
      this.written = { holding, secret, journal, journalFile, bytes, mark };
      await this.removeOldJournals(journalFile);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {});
      throw error;
    }
  }

  /** Ends the journal of this process; the next holding begins a new snapshot. */
  private async abandon(): Promise<void> {
    const { written } = this;
    this.written = null;
    await written?.journal.close().catch(() => {});
  }

  /** Removes journals of snapshots that were replaced. One that somebody just wrote may be of a snapshot that comes next. */
  private async removeOldJournals(own: string): Promise<void> {
    const { directory } = this.options;
    for (const name of await readdir(directory)) {
      const path = join(directory, name);
      if (!/^snapshot\..*\.journal$/.test(name) || path === own) continue;
      const found = await stat(path).catch(() => null);
      if (found !== null && Date.now() - found.mtimeMs > ABANDONED) await rm(path, { force: true }).catch(() => {});
    }
  }

  private async writeTo(
    temporary: string,
    holding: Holding,
    time: number,
    secret: Buffer,
  ): Promise<{ readonly snapshot: string; readonly bytes: number }> {
    const seal = sealing(secret, this.options.identity);
    await rm(temporary, { force: true });
    const file = await open(temporary, 'wx', 0o600);
    try {
      let length = 0;
      const write = async (bytes: Buffer): Promise<void> => {
        length += bytes.length;
        if (length > MOST_BYTES) throw new Error('it is too large');
        if (bytes.length > 0) await file.writeFile(bytes);
      };
      await write(seal.head);
      for (const piece of holdingText(holding, time)) {
        await write(seal.update(piece));
        await setImmediate(); // updates go before
      }
      await write(seal.end());
      await file.sync();
      return { snapshot: sealName(seal.head), bytes: length };
    } finally {
      await file.close();
    }
  }

  private failed(error: unknown): void {
    this.isBehind = true;
    if (this.now() - this.warned < WARNING_INTERVAL) return;
    this.warned = this.now();
    const { directory } = this.options;
    const message = 'could not write the snapshot; until this works, the data plane cannot start without a controller';
    this.options.log.warn({ directory, reason: errorText(error) }, message);
  }
}

async function markOf(file: string): Promise<string> {
  const { ino, mtimeNs, size } = await stat(file, { bigint: true });
  return `${ino} ${mtimeNs} ${size}`;
}

function isMissing(error: unknown, file: string): boolean {
  const { code, path } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' && path === file;
}
