/** Keeps bytes while nobody can take them: in memory first, then in a file. */
export interface TemporaryStorage {
  /** Bytes of one buffer up to which it stays in memory. */
  readonly memoryLimit: number;
  /** Bytes of one buffer beyond which writing fails. */
  readonly limit: number;
  /** A new, empty buffer. @throws when the storage is closed. */
  open(): TemporaryBuffer;
}

/** One thing that is kept. */
export interface TemporaryBuffer {
  readonly length: number;
  /** @throws StorageOverflow beyond what the storage allows for one buffer. */
  write(bytes: Uint8Array): Promise<void>;
  /** What has been written, from the start; as often as somebody asks. */
  read(): AsyncIterable<Uint8Array>;
  /** Forgets it, and removes the file if there is one. */
  release(): Promise<void>;
}

/** More was written to a buffer than its storage keeps. */
export class StorageOverflow extends Error {
  readonly limit: number;

  constructor(limit: number) {
    super(`the temporary storage keeps at most ${limit} bytes of one message`);
    this.name = 'StorageOverflow';
    this.limit = limit;
  }
}
