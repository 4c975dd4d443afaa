import { closeSync, fdatasyncSync, ftruncateSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
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

/** One file of a spool. */
export class SpoolSegment {
  readonly number: number;
  /** Bytes of whole records, with the beginning of the file. */
  bytes = FIRST_RECORD;
  /** Whole records. */
  records = 0;
  /** Bytes after the last whole record when the file was opened. */
  torn = 0;
  private readonly path: string;
  private readonly file: number;

  /** Opens a segment, or makes one. @throws an error of the file system */
  constructor(path: string, number: number) {
    this.path = path;
    this.number = number;
    closeSync(openSync(path, 'a', 0o600));
    this.file = openSync(path, 'r+');
    this.inspect();
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

  close(): void {
    try {
      fdatasyncSync(this.file);
    } finally {
      closeSync(this.file);
    }
  }

  remove(): void {
    closeSync(this.file);
    rmSync(this.path, { force: true });
  }
}
