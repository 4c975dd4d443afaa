import {
  closeSync,
  fdatasync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { AuditEvent } from '../writer/audit-event.ts';
import { spooledEvent, spoolRecordBytes } from './spool-record.ts';

const MAGIC = Buffer.from('GWSPOOL1');
/** Where the first record of a segment begins. */
export const FIRST_RECORD = MAGIC.length;
/** Bytes that are read at once. */
const CHUNK = 256 << 10;

/** An event with the place where its record ends. */
export interface SegmentEvent {
  readonly event: AuditEvent;
  readonly end: number;
}

/** What the name of a segment says. */
export interface SegmentName {
  readonly number: number;
  /** Records and bytes of a segment that gets no more; null while it gets some. */
  readonly sealed: { readonly records: number; readonly bytes: number } | null;
}

const NAME = /^(\d{8})(?:-(\d+)-(\d+))?\.spool$/;

/** The segment that a file is, or null. */
export function readSegmentName(file: string): SegmentName | null {
  const [, number, records, bytes] = NAME.exec(file) ?? [];
  if (number === undefined) return null;
  const sealed = records === undefined ? null : { records: Number(records), bytes: Number(bytes) };
  return { number: Number(number), sealed };
}

function segmentName({ number, sealed }: SegmentName): string {
  return `${String(number).padStart(8, '0')}${sealed === null ? '' : `-${sealed.records}-${sealed.bytes}`}.spool`;
}

/** One file of a spool. */
export class SpoolSegment {
  readonly number: number;
  /** Bytes of whole records, with the beginning of the file. */
  bytes = FIRST_RECORD;
  /** Whole records. */
  records = 0;
  /** Bytes after the last whole record when the file was opened. */
  torn = 0;
  private readonly directory: string;
  /** Descriptor while it is open; null while it rests. */
  private descriptor: number | null;
  private name: string;

  /** Opens a segment, or makes one. @throws an error of the file system */
  constructor(directory: string, name: SegmentName) {
    this.directory = directory;
    this.number = name.number;
    this.name = segmentName(name);
    const path = join(directory, this.name);
    closeSync(openSync(path, 'a', 0o600));
    this.descriptor = openSync(path, 'r+');
    const { sealed } = name;
    try {
      if (sealed === null || fstatSync(this.file).size !== sealed.bytes) this.inspect();
      else {
        this.records = sealed.records;
        this.bytes = sealed.bytes;
        this.rest();
      }
    } catch (error) {
      this.rest(); // a full disk fails again and again, and must not use up descriptors
      throw error;
    }
  }

  private get file(): number {
    this.descriptor ??= openSync(join(this.directory, this.name), 'r+');
    return this.descriptor;
  }

  /** Closes the file until it is needed again: a large spool has thousands of them. */
  rest(): void {
    if (this.descriptor !== null) closeSync(this.descriptor);
    this.descriptor = null;
  }

  /** Notes in the name of the file what is in it, so that it need not be read at the next start. */
  seal(): void {
    const { number, records, bytes } = this;
    const sealed = segmentName({ number, sealed: { records, bytes } });
    renameSync(join(this.directory, this.name), join(this.directory, sealed));
    this.name = sealed;
  }

  /** Finds the whole records and cuts off what follows the last of them. */
  private inspect(): void {
    const head = Buffer.alloc(FIRST_RECORD);
    const length = readSync(this.file, head, 0, FIRST_RECORD, 0);
    if (length < FIRST_RECORD || !head.equals(MAGIC)) {
      this.torn = length;
      ftruncateSync(this.file, 0);
      writeSync(this.file, MAGIC, 0, FIRST_RECORD, 0);
      return;
    }
    for (;;) {
      const found = this.read(this.bytes, CHUNK);
      if (found.length === 0) break;
      this.records += found.length;
      this.bytes = found.at(-1)!.end;
    }
    const rest = Buffer.alloc(CHUNK);
    for (;;) {
      const more = readSync(this.file, rest, 0, CHUNK, this.bytes + this.torn);
      if (more === 0) break;
      this.torn += more;
    }
    if (this.torn > 0) ftruncateSync(this.file, this.bytes);
  }

  /** Appends whole records, in one write where the system takes them all. @throws after it took none of them */
  append(records: Buffer, count: number): void {
    try {
      for (let written = 0; written < records.length; ) {
        written += writeSync(this.file, records, written, records.length - written, this.bytes + written);
      }
    } catch (error) {
      ftruncateSync(this.file, this.bytes); // a full disk may have taken a part
      throw error;
    }
    this.bytes += records.length;
    this.records += count;
  }

  /** Whole records from a place on, at least one if there is any and it is sound. */
  read(at: number, most: number): SegmentEvent[] {
    const found: SegmentEvent[] = [];
    let bytes = this.chunk(at, Math.max(most, 16));
    const first = spoolRecordBytes(bytes, 0);
    if (first !== null && first > bytes.length && first < 64 * CHUNK) bytes = this.chunk(at, first);
    for (let start = 0; ; ) {
      const size = spoolRecordBytes(bytes, start);
      if (size === null || start + size > bytes.length) return found;
      const event = spooledEvent(bytes.subarray(start, start + size));
      if (event === null) return found;
      start += size;
      found.push({ event, end: at + start });
    }
  }

  private chunk(at: number, size: number): Buffer {
    const bytes = Buffer.allocUnsafe(size);
    return bytes.subarray(0, readSync(this.file, bytes, 0, size, at));
  }

  async close(): Promise<void> {
    try {
      await promisify(fdatasync)(this.file);
    } finally {
      this.rest();
    }
  }

  remove(): void {
    this.rest();
    rmSync(join(this.directory, this.name), { force: true });
  }
}
