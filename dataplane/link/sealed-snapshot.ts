import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Holding } from './holding.ts';
import { holdingText, readHoldingText, type TimedHolding } from './holding-text.ts';
import { opened, sealing } from './seal.ts';

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
  /** Milliseconds between two writes; by default a second. */
  readonly interval?: number;
  now?(): number;
}

/** Larger ones are neither written nor read. */
const MOST_BYTES = 512 * 1024 * 1024;
/** Milliseconds between two warnings that it cannot be written. */
const WARNING_INTERVAL = 60_000;
const NAME = 'snapshot.sealed';

/** What a plane serves, on disk for its next start: sealed, whole or not at all, and always the newest. */
export class SealedSnapshot {
  private readonly options: SealedSnapshotOptions;
  private readonly now: () => number;
  private pending: { readonly holding: Holding; readonly time: number } | null = null;
  private timer: NodeJS.Timeout | null = null;
  private writing: Promise<void> | null = null;
  private warned = Number.NEGATIVE_INFINITY;
  private isFailing = false;

  constructor(options: SealedSnapshotOptions) {
    this.options = options;
    this.now = options.now ?? Date.now;
  }

  /** What was kept, and since when. Null when there is nothing that may be used, which is logged with the reason. */
  async read(): Promise<TimedHolding | null> {
    const { log, maxAge, directory, keyFile, identity } = this.options;
    const file = join(directory, NAME);
    try {
      if ((await stat(file)).size > MOST_BYTES) throw new Error('it is too large');
      const found = readHoldingText(opened(await readFile(file), await readFile(keyFile), identity));
      const age = this.now() - found.time;
      if (age > maxAge) {
        const seconds = { age: Math.round(age / 1000), maxAge: Math.round(maxAge / 1000) };
        log.warn({ file, ...seconds }, 'the snapshot on disk is too old and not used');
        return null;
      }
      return found;
    } catch (error) {
      if (isMissing(error, file)) log.info({ file }, 'there is no snapshot on disk');
      else log.error({ file, reason: reasonOf(error) }, 'the snapshot on disk is not used');
      return null;
    }
  }

  /** Keeps this one, within a second or so; only the newest is written. */
  save(holding: Holding): void {
    this.pending = { holding, time: this.now() };
    this.flushLater();
  }

  /** Writes what is not written yet, and ends. */
  async close(): Promise<void> {
    while (this.writing !== null || this.pending !== null) {
      this.flush();
      await this.writing;
    }
  }

  private flushLater(): void {
    this.timer ??= setTimeout(() => this.flush(), this.options.interval ?? 1000);
  }

  private flush(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    if (this.writing !== null || this.pending === null) return;
    const { holding, time } = this.pending;
    this.pending = null;
    this.writing = this.write(holding, time).then(() => {
      this.writing = null;
      if (this.pending !== null) this.flushLater();
    });
  }

  /** Serving goes on whatever becomes of it: the next update tries again. */
  private async write(holding: Holding, time: number): Promise<void> {
    const { log, directory } = this.options;
    // planes of a group may share the directory, and each has its own name
    const temporary = join(directory, `${NAME}.${hostname()}.tmp`);
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await this.writeTo(temporary, holding, time);
      await rename(temporary, join(directory, NAME));
      await synced(directory);
      if (this.isFailing) log.info({ directory }, 'the snapshot can be written again');
      this.isFailing = false;
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {});
      this.failed(error);
    }
  }

  private async writeTo(temporary: string, holding: Holding, time: number): Promise<void> {
    const secret = await readFile(this.options.keyFile);
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
    } finally {
      await file.close();
    }
  }

  private failed(error: unknown): void {
    this.isFailing = true;
    if (this.now() - this.warned < WARNING_INTERVAL) return;
    this.warned = this.now();
    const { directory } = this.options;
    const message = 'the snapshot cannot be written: this plane cannot start while no controller is there';
    this.options.log.warn({ directory, reason: reasonOf(error) }, message);
  }
}

/** Makes a new name in a directory outlast a crash of the machine. */
async function synced(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function isMissing(error: unknown, file: string): boolean {
  const { code, path } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' && path === file;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
