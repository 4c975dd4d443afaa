import type { FieldSink } from '../frames/hpack-decoder.ts';
import { isFraming, isTooLate } from '../http1/chunked.ts';

/** Bytes that all trailer lines together may take, as in HTTP/1.1. */
const MOST_BYTES = 8192;

/** Collects the fields behind a body as trailer lines, judged as those of a chunked body are. */
export class TrailerFields implements FieldSink {
  /** Whole lines, each with its CRLF. */
  text = '';
  /** They break a rule, or are too long: the message is malformed. */
  malformed = false;
  private bytes = 0;

  begin(): void {
    this.text = '';
    this.malformed = false;
    this.bytes = 0;
  }

  field(bytes: Buffer, start: number, nameLength: number, end: number, sound: boolean): void {
    this.bytes += end - start;
    if (!sound || bytes[start] === 58 || this.bytes > MOST_BYTES) this.malformed = true;
    if (this.malformed) return;
    const name = bytes.latin1Slice(start, start + nameLength).replaceAll('_', '-');
    if (isFraming(name)) this.malformed = true;
    else if (!isTooLate(name)) this.text += bytes.latin1Slice(start, end);
  }
}
