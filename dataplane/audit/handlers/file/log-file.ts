import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Logger } from 'pino';
import { errorCode } from '../../../../platform/error-code.ts';
import { errorText } from '../../../../platform/error-text.ts';
import { PacedWarning } from '../../../../platform/paced-warning.ts';
import type { FileOptions } from './file-options.ts';
import { retainFiles } from './file-retention.ts';
import { type Lines, lineSize, someLines } from './lines.ts';
import { rotatedNames } from './rotated-names.ts';
import { rotationDue } from './rotation-due.ts';
import { readRotationSuffix } from './rotation-suffix.ts';

/** How files of a format begin and end. */
export interface FileForm {
  /**
   * Looks at a file that was opened.
   *
   * @returns what to write before the first line; null to put the file aside and begin another one
   */
  begin(file: FileHandle, bytes: number): Promise<Buffer | null>;
  /** Bytes that `seal` adds to each line. */
  readonly overhead?: number;
  /** Lines from a place to another, without that, as they are written; called right before that. */
  seal?(lines: Lines, from: number, to: number): Buffer;
  /** The lines that were sealed last are in the file. */
  written?(): void;
  /** What to write between lines when `LogFile.mark` is called. */
  mark?(): Buffer | null;
  /** What to write after the last line, before the file is put aside or closed. */
  end?(): Buffer | null;
  /** What `begin`, `mark` or `end` returned is in the file. */
  settled?(): Promise<void>;
}

export interface LogFileOptions {
  readonly path: string;
  readonly options: FileOptions;
  readonly form: FileForm;
  readonly log: Logger;
  now(): number;
}

/** Lines could not be written; some at the beginning are. */
export class LinesUnwritten extends Error {
  readonly written: number;

  constructor(written: number, path: string, cause: unknown) {
    super(`${path} cannot be written: ${errorText(cause)}`, { cause });
    this.name = 'LinesUnwritten';
    this.written = written;
  }
}

/** A file is only readable by the user of the data plane, as is the directory that it makes. */
const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;

/** How a file is named that must be put aside although there is no rotation. */
const UNROTATED = { prefix: '', suffix: '-yyyy.MM.dd-HH.mm.ss' };

interface OpenFile {
  readonly handle: FileHandle;
  readonly inode: number;
  readonly device: number;
  /** When it was begun, in milliseconds since 1970. */
  readonly begun: number;
  bytes: number;
  /** Bytes before the first line. */
  readonly head: number;
}

/**
 * A file that lines are appended to, with rotation and retention. It never holds a part of a line for long: what the
 * system took of lines that do not fit is cut off. A file that was renamed or removed by others is begun anew.
 */
export class LogFile {
  readonly path: string;
  private readonly options: LogFileOptions;
  private readonly rotated: RegExp | null;
  private readonly timer: NodeJS.Timeout;
  private readonly failures: PacedWarning;
  private readonly shortages: PacedWarning;
  private file: OpenFile | null = null;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(options: LogFileOptions) {
    const { path, log } = options;
    const { rotation, checkInterval } = options.options;
    this.path = path;
    this.options = options;
    this.rotated = rotatedNames(path, rotation);
    const pace = { most: 1, interval: 60_000 };
    this.failures = new PacedWarning(log, 'audit file not signed, rotated or cleaned up, retrying', pace);
    this.shortages = new PacedWarning(
      log,
      'too little free space for audit files; no rotated files left to delete',
      pace,
    );
    this.timer = setInterval(() => void this.check(), checkInterval);
    this.timer.unref();
  }

  /** Opens the file before there are lines. @throws an error of the file system */
  open(): Promise<void> {
    return this.inTurn(async () => {
      await this.current();
    });
  }

  /** Appends whole lines. Resolves when the system has taken all. @throws LinesUnwritten */
  append(lines: Lines): Promise<void> {
    const { form } = this.options;
    return this.inTurn(async () => {
      let written = 0;
      try {
        while (written < lines.ends.length) {
          const file = await this.currentFor(lineSize(lines, written) + (form.overhead ?? 0));
          const end = this.fitting(file, lines, written);
          await this.write(file, form.seal?.(lines, written, end) ?? someLines(lines, written, end));
          form.written?.();
          written = end;
        }
      } catch (error) {
        throw new LinesUnwritten(written, this.path, error);
      }
    });
  }

  /** Writes the mark of the form, if the file is open and there is one. A failure is only logged. */
  mark(): Promise<void> {
    return this.inTurn(async () => {
      const { file } = this;
      const mark = file === null ? null : (this.options.form.mark?.() ?? null);
      if (file === null || mark === null) return;
      try {
        await this.write(file, mark);
        await this.options.form.settled?.();
      } catch (error) {
        this.failures.give({ path: this.path, error: errorText(error) });
      }
    });
  }

  close(): Promise<void> {
    clearInterval(this.timer);
    return this.inTurn(() => this.finish());
  }

  /** One thing at a time: lines, a rotation, a check. */
  private inTurn<T>(action: () => Promise<T>): Promise<T> {
    const result = this.turn.then(action);
    this.turn = result.catch(() => {});
    return result;
  }

  private check(): Promise<void> {
    return this.inTurn(async () => {
      try {
        if (this.file === null) return;
        await this.currentFor(0);
        await this.retain();
      } catch (error) {
        this.failures.give({ path: this.path, error: errorText(error) });
      }
    });
  }

  /** End of the lines that fit into a file from a place on; one fits at least. */
  private fitting({ bytes }: OpenFile, lines: Lines, from: number): number {
    const { length } = lines.ends;
    const most = this.options.options.rotation?.maxFileSize ?? null;
    if (most === null) return length;
    const { overhead = 0 } = this.options.form;
    let size = bytes;
    for (let at = from; at < length; at++) {
      size += lineSize(lines, at) + overhead;
      if (at > from && size > most) return at;
    }
    return length;
  }

  /** The file for the next line of so many bytes, after a rotation if that is due. */
  private async currentFor(bytes: number): Promise<OpenFile> {
    const file = await this.current();
    const { rotation } = this.options.options;
    if (rotation === null || file.bytes <= file.head) return file;
    const isFull = rotation.maxFileSize !== null && file.bytes + bytes > rotation.maxFileSize;
    if (!isFull && !rotationDue(rotation, file.begun, this.options.now())) return file;
    await this.rotate();
    return this.current();
  }

  /** The file under its name: another one where somebody renamed or removed it. */
  private async current(): Promise<OpenFile> {
    if (this.file !== null && (await this.isMoved(this.file))) await this.finish();
    this.file ??= await this.opened();
    return this.file;
  }

  private async isMoved({ inode, device }: OpenFile): Promise<boolean> {
    try {
      const { ino, dev } = await stat(this.path);
      return ino !== inode || dev !== device;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return true;
      throw error;
    }
  }

  private async opened(): Promise<OpenFile> {
    await mkdir(dirname(this.path), { recursive: true, mode: DIRECTORY_MODE });
    for (let isSecond = false; ; isSecond = true) {
      const handle = await open(this.path, 'a+', FILE_MODE);
      try {
        const { size: found } = await handle.stat();
        const head = await this.options.form.begin(handle, found);
        if (head !== null || isSecond) {
          const { ino: inode, dev: device, size, birthtimeMs } = await handle.stat();
          const begun = size === 0 || birthtimeMs <= 0 ? this.options.now() : birthtimeMs;
          const bytes = size + (head?.length ?? 0);
          const file = { handle, inode, device, begun, bytes: size, head: size === 0 ? bytes : 0 };
          if (head !== null && head.length > 0) {
            await this.write(file, head);
            await this.options.form.settled?.();
          }
          return file;
        }
        await this.putAside();
      } catch (error) {
        await handle.close();
        throw error;
      }
      await handle.close();
    }
  }

  /** Writes all or nothing, as far as the system lets it. */
  private async write(file: OpenFile, bytes: Buffer): Promise<void> {
    let written = 0;
    try {
      while (written < bytes.length) {
        written += (await file.handle.write(bytes, written, bytes.length - written)).bytesWritten;
      }
      file.bytes += bytes.length;
    } catch (error) {
      await this.cutOff(file, written);
      throw error;
    }
  }

  /** Takes back what a full disk took of lines, unless somebody else appended to the file. */
  private async cutOff({ handle, bytes }: OpenFile, written: number): Promise<void> {
    this.file = null; // whatever is left is seen when it is opened again
    try {
      const { size } = await handle.stat();
      if (written > 0 && size === bytes + written) await handle.truncate(bytes);
    } catch {
    } finally {
      await handle.close().catch(() => {});
    }
  }

  private async rotate(): Promise<void> {
    await this.finish();
    await this.putAside();
    await this.retain();
  }

  /** Gives the file another name that nothing has. */
  private async putAside(): Promise<void> {
    const directory = dirname(this.path);
    const { prefix, suffix } = this.options.options.rotation ?? UNROTATED;
    const moment = readRotationSuffix(suffix).format(new Date(this.options.now()));
    const wanted = `${prefix}${basename(this.path)}${moment}`;
    for (let number = await firstFree(directory, wanted); ; number++) {
      const target = join(directory, number === 0 ? wanted : `${wanted}.${number}`);
      try {
        await (await open(target, 'wx', FILE_MODE)).close(); // nobody else takes the name, and nothing is overwritten
      } catch (error) {
        if (errorCode(error) === 'EEXIST') continue;
        throw error;
      }
      try {
        await rename(this.path, target);
        return;
      } catch (error) {
        await rm(target, { force: true });
        if (errorCode(error) !== 'ENOENT') throw error;
        return;
      }
    }
  }

  private async retain(): Promise<void> {
    if (this.rotated === null) return;
    const { retention } = this.options.options;
    const { missing } = await retainFiles(dirname(this.path), this.rotated, this.file?.bytes ?? 0, retention);
    if (missing > 0) this.shortages.give({ path: this.path, missing });
  }

  /** Ends the file and closes it. */
  private async finish(): Promise<void> {
    const { file } = this;
    if (file === null) return;
    const end = this.options.form.end?.() ?? null;
    if (end !== null) {
      await this.write(file, end);
      await this.options.form.settled?.();
    }
    this.file = null;
    await file.handle.close();
  }
}

/** A number higher than those of all files of this name, so that numbers tell their order; 0 where there are none. */
async function firstFree(directory: string, name: string): Promise<number> {
  const pattern = new RegExp(`^${RegExp.escape(name)}(?:\\.(\\d+))?$`);
  const found = (await readdir(directory)).flatMap((one) => {
    const match = pattern.exec(one);
    return match === null ? [] : [Number(match[1] ?? 0)];
  });
  return Math.max(-1, ...found) + 1;
}
