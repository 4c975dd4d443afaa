/** When a file is put aside and a new one begun. */
export interface RotationOptions {
  /** In bytes; null for no limit. */
  readonly maxFileSize: number | null;
  readonly prefix: string;
  readonly suffix: string;
  /** In milliseconds; null for none. */
  readonly interval: number | null;
  /** Times of the day, in milliseconds after midnight. */
  readonly times: readonly number[];
}

/** Which of the files that were put aside are kept; null for no limit. */
export interface RetentionOptions {
  readonly maxFiles: number | null;
  /** All files of a topic together, in bytes. */
  readonly maxBytes: number | null;
  /** Of the file system, in bytes. */
  readonly minFreeBytes: number | null;
}

/** Options of a sink that writes files, as plain data. */
export interface FileOptions {
  readonly directory: string;
  /** Null where files are never put aside. */
  readonly rotation: RotationOptions | null;
  readonly retention: RetentionOptions;
  /** In milliseconds. */
  readonly checkInterval: number;
}
