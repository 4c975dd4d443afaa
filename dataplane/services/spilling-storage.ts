import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { StorageOverflow, type TemporaryBuffer, type TemporaryStorage } from '../heap/temporary-storage.ts';

const READ_BYTES = 65_536;

/** How much is kept, and where. */
export interface StorageRule {
  /** Bytes of one buffer up to which it stays in memory. */
  readonly memoryLimit: number;
  /** Bytes of one buffer beyond which writing fails. */
  readonly limit: number;
  readonly directory: string;
}

/** Buffers that go to a file when they grow. Closing it releases those that are left. */
export class SpillingStorage implements TemporaryStorage {
  private readonly rule: StorageRule;
  private readonly buffers = new Set<SpillingBuffer>();
  private closed = false;

  constructor(rule: StorageRule) {
    this.rule = rule;
  }

  get memoryLimit(): number {
    return this.rule.memoryLimit;
  }

  get limit(): number {
    return this.rule.limit;
  }

  open(): TemporaryBuffer {
    if (this.closed) throw new Error('the temporary storage is closed');
    const buffer = new SpillingBuffer(this.rule, () => this.buffers.delete(buffer));
    this.buffers.add(buffer);
    return buffer;
  }

  async close(): Promise<void> {
    this.closed = true;
    await Promise.all([...this.buffers].map((buffer) => buffer.release()));
  }
}

class SpillingBuffer implements TemporaryBuffer {
  private readonly rule: StorageRule;
  private readonly forget: () => void;
  private chunks: Buffer[] = [];
  private file: Promise<FileHandle> | null = null;
  private size = 0;
  private released = false;

  constructor(rule: StorageRule, forget: () => void) {
    this.rule = rule;
    this.forget = forget;
  }

  get length(): number {
    return this.size;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.refuseIfReleased();
    const start = this.size;
    const end = start + bytes.length;
    if (end > this.rule.limit) throw new StorageOverflow(this.rule.limit);
    this.size = end;
    const own = Buffer.from(bytes); // the caller's memory may be another message's before this is written
    if (this.file === null && end <= this.rule.memoryLimit) {
      this.chunks.push(own);
      return;
    }
    this.file ??= this.spill();
    await writeAt(await this.file, own, start);
  }

  async *read(): AsyncGenerator<Buffer, void, void> {
    this.refuseIfReleased();
    if (this.file === null) {
      yield* this.chunks;
      return;
    }
    const file = await this.file;
    for (let at = 0; at < this.size; ) {
      const length = Math.min(READ_BYTES, this.size - at);
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, at);
      if (bytesRead === 0) throw new Error('a temporary file is shorter than what was written to it');
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  async release(): Promise<void> {
    if (this.released) return;
    this.released = true;
    this.forget();
    this.chunks = [];
    const file = await this.file?.catch(() => null); // whoever wrote has heard that there is none
    await file?.close();
  }

  private async spill(): Promise<FileHandle> {
    const file = await openNameless(this.rule.directory);
    try {
      await writeAt(file, Buffer.concat(this.chunks), 0);
    } catch (error) {
      await file.close();
      throw error;
    }
    this.chunks = [];
    return file;
  }

  private refuseIfReleased(): void {
    if (this.released) throw new Error('the buffer was released');
  }
}

/** A file that nobody else can open: its name cannot be guessed and is gone at once, so that it ends with its handle. */
async function openNameless(directory: string): Promise<FileHandle> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, `gatewarden-${randomBytes(16).toString('hex')}`);
  const file = await open(path, 'wx+', 0o600);
  try {
    await unlink(path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function writeAt(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}
