import { LogFile, type LogFileOptions } from './log-file.ts';

/** Files that sinks of this thread write, by path: several handlers may write to one. */
const open = new Map<string, { readonly file: LogFile; readonly shape: string; users: number }>();

/** A file for one sink, which other sinks may share. */
export interface UsedLogFile {
  readonly file: LogFile;
  close(): Promise<void>;
}

export interface UsedFileOptions extends LogFileOptions {
  /** Format of the lines: handlers that share a file must have the same. */
  readonly shape: string;
}

/**
 * Opens a file, or joins those who write to it. The settings are those of the first.
 *
 * @throws where the others write another format
 */
export function useLogFile(options: UsedFileOptions): UsedLogFile {
  const { path, shape } = options;
  const used = open.get(path) ?? { file: new LogFile(options), shape, users: 0 };
  if (used.shape !== shape) {
    throw new Error(`${path} is written by another handler with other columns: give each a directory of its own`);
  }
  used.users++;
  open.set(path, used);
  return {
    file: used.file,
    async close() {
      if (--used.users > 0) return;
      open.delete(path);
      await used.file.close();
    },
  };
}
