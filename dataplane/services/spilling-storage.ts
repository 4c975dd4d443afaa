import type { FileHandle } from 'node:fs/promises';
import { TemporaryFilesFull } from '../engine/message/entity-fault.ts';
import { HeldShare } from '../engine/message/held-content.ts';
import { Pieces } from '../engine/wire/pieces.ts';
import { temporaryFileLimit } from '../engine/wire/temporary-file-limit.ts';
import { StorageOverflow, type TemporaryBuffer, type TemporaryStorage } from '../heap/objects/temporary-storage.ts';
import { openNameless, writeAt } from './nameless-file.ts';
import type { TemporaryFiles } from './temporary-files.ts';

/** What each slow reader of a file costs in memory, more than once. */
const READ_BYTES = 65_536;
const RELEASED = 'the buffer was released';

/** How much is kept, and where. */
export interface StorageRule {
  /** Bytes of one buffer up to which it stays in memory. */
  readonly memoryLimit: number;
  /** Bytes of all buffers together that may stay in memory beyond that; none where it is not said. */
  readonly spare?: number;
  /** Bytes of one buffer beyond which writing fails. */
  readonly limit: number;
  readonly directory: string;
  /** What counts the files of the plane; null where nobody does. */
  readonly files?: TemporaryFiles | null;
}

/** Buffers that go to a file when they grow. Closing it releases those that are left. */
export class SpillingStorage implements TemporaryStorage {
  private readonly rule: StorageRule;
  private readonly buffers = new Set<SpillingBuffer>();
  private readonly spare: Spare;
  private closed = false;

  constructor(rule: StorageRule) {
    this.rule = rule;
    this.spare = { left: rule.spare ?? 0 };
  }

  get memoryLimit(): number {
    return this.rule.memoryLimit;
  }

  get limit(): number {
    return this.rule.limit;
  }

  open(): TemporaryBuffer {
    if (this.closed) throw new Error('the temporary storage is closed');
    const buffer = new SpillingBuffer(this.rule, this.spare, () => this.buffers.delete(buffer));
    this.buffers.add(buffer);
    return buffer;
  }

  async close(): Promise<void> {
    this.closed = true;
    await Promise.all([...this.buffers].map((buffer) => buffer.release()));
    this.rule.files?.release();
  }
}

/** Memory that the buffers of a storage share. */
interface Spare {
  left: number;
}

class SpillingBuffer implements TemporaryBuffer {
  private readonly rule: StorageRule;
  private readonly spare: Spare;
  private readonly forget: () => void;
  /** All of it while it is short, then what waits to be written to the file. */
  private readonly pieces = new Pieces();
  private readonly share = new HeldShare();
  private file: Promise<FileHandle> | null = null;
  private size = 0;
  private stored = 0;
  /** What it has of the spare memory. */
  private borrowed = 0;
  private storing: Promise<void> | null = null;
  /** Length of the file that is counted among those of the plane. */
  private reserved = 0;
  /** Memory of what is being written to the file. */
  private inFlight = 0;
  private released = false;

  constructor(rule: StorageRule, spare: Spare, forget: () => void) {
    this.rule = rule;
    this.spare = spare;
    this.forget = forget;
  }

  get length(): number {
    return this.size;
  }

  write(bytes: Uint8Array): Promise<void> {
    const end = this.size + bytes.length;
    if (this.released) return Promise.reject(new Error(RELEASED));
    if (end > this.rule.limit) return Promise.reject(new StorageOverflow(this.rule.limit));
    this.size = end;
    this.pieces.add(bytes, 0, bytes.length); // the caller's memory may be another message's before this is written
    const mayHold = this.share.hold(this.pieces.allocated + this.inFlight);
    if (this.file === null && mayHold && this.fits(end)) return Promise.resolve();
    this.storing ??= this.store();
    return this.storing;
  }

  private fits(end: number): boolean {
    const wanted = end - this.rule.memoryLimit - this.borrowed;
    if (wanted <= 0) return true;
    if (wanted > this.spare.left) return false;
    this.spare.left -= wanted;
    this.borrowed += wanted;
    return true;
  }

  private giveBack(): void {
    this.spare.left += this.borrowed;
    this.borrowed = 0;
  }

  /** Writes what waits, and what comes to wait meanwhile: many small pieces take few calls. */
  private async store(): Promise<void> {
    this.file ??= openNameless(this.rule.directory);
    const file = await this.file;
    while (this.pieces.length > 0) {
      this.inFlight = this.pieces.allocated;
      const chunks = this.pieces.take();
      this.reserve(this.stored + chunks.reduce((sum, { length }) => sum + length, 0));
      await writeAt(file, chunks, this.stored);
      this.inFlight = 0;
      this.share.hold(this.pieces.allocated);
      for (const { length } of chunks) this.stored += length;
      this.giveBack();
    }
    this.storing = null;
  }

  /** @throws TemporaryFilesFull when the files of the plane take too much. */
  private reserve(length: number): void {
    const { files } = this.rule;
    if (files === undefined || files === null) return;
    if (!files.grow(this.reserved, length)) throw new TemporaryFilesFull(temporaryFileLimit.bytes);
    this.reserved = length;
  }

  async *read(): AsyncGenerator<Buffer, void, void> {
    if (this.released) throw new Error(RELEASED);
    await this.storing;
    if (this.file === null) {
      yield* this.pieces.list();
      return;
    }
    const file = await this.file;
    for (let at = 0; at < this.stored; ) {
      const length = Math.min(READ_BYTES, this.stored - at);
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafeSlow(length), 0, length, at);
      if (bytesRead === 0) throw new Error('a temporary file is shorter than what was written to it');
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  async release(): Promise<void> {
    if (this.released) return;
    this.released = true;
    this.forget();
    this.giveBack();
    this.pieces.take();
    this.share.release();
    const file = await this.file?.catch(() => null); // whoever wrote has heard that there is none
    await file?.close();
    this.rule.files?.shrink(this.reserved);
  }
}
