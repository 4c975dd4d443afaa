import { LogFile, type LogFileOptions } from './log-file.ts';

/** Files that sinks of this thread write, by path: several handlers may write to one. */
const open = new Map<string, { readonly file: LogFile; users: number }>();

/** A file for one sink, which other sinks may share. */
export interface UsedLogFile {
  readonly file: LogFile;
  close(): Promise<void>;
}

/** Opens a file, or joins those who write to it. The settings are those of the first. */
export function useLogFile(options: LogFileOptions): UsedLogFile {
  const { path } = options;
  const used = open.get(path) ?? { file: new LogFile(options), users: 0 };
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
