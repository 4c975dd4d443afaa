import { crc32 } from 'node:zlib';
import { type AuditEvent, WrittenEvent } from '../writer/audit-event.ts';

/** Bytes before the topic: length of what follows the checksum, checksum, length of the topic. */
const HEAD = 10;
const LENGTH = 0;
const CHECKSUM = 4;
const BODY = 8;

/** An event as the spool stores it. */
export function spoolRecord({ topic, bytes }: AuditEvent): Buffer {
  const topicBytes = Buffer.byteLength(topic);
  const record = Buffer.allocUnsafe(HEAD + topicBytes + bytes.length);
  record.writeUInt32LE(record.length - BODY, LENGTH);
  record.writeUInt16LE(topicBytes, BODY);
  record.write(topic, HEAD, 'utf8');
  bytes.copy(record, HEAD + topicBytes);
  record.writeUInt32LE(crc32(record.subarray(BODY)), CHECKSUM);
  return record;
}

/** Size of the record that begins here, or null while its length is not there. */
export function spoolRecordBytes(bytes: Buffer, at: number): number | null {
  return bytes.length - at < BODY ? null : BODY + bytes.readUInt32LE(at + LENGTH);
}

/** The event of a whole record, or null where the record is damaged. */
export function spooledEvent(record: Buffer): AuditEvent | null {
  if (record.length < HEAD) return null;
  if (crc32(record.subarray(BODY)) !== record.readUInt32LE(CHECKSUM)) return null;
  const end = HEAD + record.readUInt16LE(BODY);
  if (end > record.length) return null;
  return new WrittenEvent(record.toString('utf8', HEAD, end), Buffer.from(record.subarray(end)));
}
