import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../platform/error-code.ts';
import { errorText } from '../../platform/error-text.ts';
import type { SourceFile } from '../compile/source-file.ts';

/** How long a file has to be left alone before it counts as written to its end, in milliseconds. */
export const SETTLE = 50;

/** The largest file that is read: what is larger was not meant to be a document. */
export const MOST_BYTES = 16 * 1024 * 1024;

interface Known {
  readonly file: SourceFile;
  /** What would change if the file did. */
  readonly mark: string;
  /** It may be changed again without its mark changing, or it is gone and may come back. */
  readonly isUnsettled: boolean;
  /** When it was first found to be gone. */
  readonly goneSince: number | null;
}

/** The code of what is not there. */
export const ABSENT = 'ENOENT';

/** Result of a scan of a directory. */
export interface Look {
  readonly changed: boolean;
  /** What is in motion: look at it again after `SETTLE`. Null for nothing. */
  readonly unsettled: ReadonlySet<string> | 'all' | null;
}

export interface DocumentDirectoryOptions {
  readonly path: string;
  /** Whether a file's name makes it one of ours. */
  accepts(name: string): boolean;
  /** Whether a file holds a whole document: one that does not may be half written, and waits until it is left alone. */
  isWhole(file: SourceFile): boolean;
}

/**
 * The documents of one directory as they are on disk, and the same objects as long as they are the same. Whatever moves
 * is waited for: a file that is written in pieces, one that is replaced, a directory that is exchanged for another. Of a
 * directory that is gone or can no longer be read, the documents stay as they were: nobody takes routes away like that.
 */
export class DocumentDirectory {
  readonly path: string;
  private readonly options: DocumentDirectoryOptions;
  private known = new Map<string, Known>();
  /** Whether it could ever be read. */
  private exists = false;
  private failure: string | null = null;
  private goneSince: number | null = null;
  private isFirst = true;
  /** Files that were not there before and are held back. */
  private readonly pending = new Set<string>();
  private listed: readonly SourceFile[] | null = null;

  constructor(options: DocumentDirectoryOptions) {
    this.path = options.path;
    this.options = options;
  }

  /** The system's code for why it could not be read the last time. One that was never there is no fault. */
  get fault(): string | null {
    return this.failure;
  }

  /** Null when there never was such a directory, or none that could be read. */
  get files(): readonly SourceFile[] | null {
    return this.listed;
  }

  file(name: string): SourceFile | null {
    return this.known.get(name)?.file ?? null;
  }

  /** Reads what has changed. @param names only these files, when it is known that nothing else has */
  look(names?: ReadonlySet<string>): Look {
    const now = Date.now();
    const isWhole = names === undefined || !this.exists || this.failure !== null;
    const found = isWhole ? this.list() : this.absence();
    const isFirst = this.isFirst;
    this.isFirst = false;
    if (typeof found === 'string') return this.unread(found, now);
    const appeared = !this.exists || this.failure !== null;
    this.exists = true;
    this.failure = null;
    this.goneSince = null;
    const next = new Map(this.known);
    for (const name of found ?? names ?? []) {
      if (this.options.accepts(name)) this.lookAt(name, next, now, isFirst);
    }
    if (found !== null) {
      for (const name of this.known.keys()) if (!found.has(name)) missing(name, next, now);
    }
    return this.take(next, appeared);
  }

  /** The names of our files, or the code of why there are none. */
  private list(): ReadonlySet<string> | string {
    try {
      return new Set(
        readdirSync(this.path)
          .filter((name) => this.options.accepts(name))
          .sort(),
      );
    } catch (error) {
      return codeOf(error);
    }
  }

  /** The code of why the directory cannot be found; null when it can. */
  private absence(): string | null {
    try {
      statSync(this.path);
      return null;
    } catch (error) {
      return codeOf(error);
    }
  }

  private unread(code: string, now: number): Look {
    if (code === ABSENT && this.exists) {
      this.goneSince ??= now;
      if (now - this.goneSince < SETTLE) return { changed: false, unsettled: 'all' };
    }
    const fault = code === ABSENT && !this.exists ? null : code;
    const changed = fault !== this.failure;
    this.failure = fault;
    return { changed, unsettled: null };
  }

  private lookAt(name: string, next: Map<string, Known>, now: number, isFirst: boolean): void {
    const before = this.known.get(name);
    const path = join(this.path, name);
    try {
      const stat = statSync(path, { bigint: true });
      if (!stat.isFile()) {
        missing(name, next, now);
        return;
      }
      const mark = `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
      if (before?.mark === mark && !before.isUnsettled && before.goneSince === null) return;
      const isFresh = Math.abs(now - Number(stat.mtimeMs)) < SETTLE;
      if (stat.size > MOST_BYTES) throw new Error(`it is larger than ${MOST_BYTES} bytes`);
      const content = readFileSync(path);
      const isSame =
        before !== undefined && before.file.fault === undefined && Buffer.compare(before.file.content, content) === 0;
      const file = isSame ? before.file : { path, content };
      const isHeldBack = !isSame && isFresh && !isFirst && !this.options.isWhole(file);
      if (!isHeldBack) next.set(name, { file, mark, isUnsettled: isFresh, goneSince: null });
      else if (before !== undefined) next.set(name, { ...before, isUnsettled: true, goneSince: null });
      else this.pending.add(name);
    } catch (error) {
      if (!isAbsence(error)) this.unreadable(name, next, error);
      else if (name.includes('\ufffd')) this.unreadable(name, next, new Error('its name is not UTF-8'));
      else missing(name, next, now);
    }
  }

  /** A file that is there and cannot be read has to be told of, not left out. */
  private unreadable(name: string, next: Map<string, Known>, error: unknown): void {
    const fault = codeOf(error);
    const before = this.known.get(name);
    if (before?.file.fault === fault) return;
    const file = { path: join(this.path, name), content: new Uint8Array(), fault };
    next.set(name, { file, mark: '', isUnsettled: false, goneSince: null });
  }

  private take(next: Map<string, Known>, appeared: boolean): Look {
    const before = this.known;
    this.known = next;
    const changed =
      appeared || next.size !== before.size || [...next].some(([name, { file }]) => before.get(name)?.file !== file);
    if (changed) this.listed = this.exists ? [...next.values()].map(({ file }) => file) : null;
    const unsettled = new Set(this.pending);
    for (const [name, { isUnsettled, goneSince }] of next) if (isUnsettled || goneSince !== null) unsettled.add(name);
    this.pending.clear();
    return { changed, unsettled: unsettled.size === 0 ? null : unsettled };
  }
}

/** A file that is gone counts once it has been so for a while: editors and deployments replace files. */
function missing(name: string, next: Map<string, Known>, now: number): void {
  const known = next.get(name);
  if (known === undefined) return;
  const goneSince = known.goneSince ?? now;
  if (now - goneSince >= SETTLE) next.delete(name);
  else next.set(name, { ...known, goneSince });
}

/** The code that the system gives to a failure; of other failures, what they say. */
function codeOf(error: unknown): string {
  return errorCode(error) ?? errorText(error);
}

function isAbsence(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
