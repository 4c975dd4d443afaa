import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { CsvLayout } from './csv-layout.ts';

/** Names of the two columns that a tamper-evident file has after those of its topic. */
export const MAC_COLUMN = 'HMAC';
export const NOTE_COLUMN = 'SIGNATURE';

/** Stands for the row before the very first. */
export const NO_ROW = '-';

/** Key of a series of rows. A series begins whenever a file is opened. */
export function seriesKey(secret: Uint8Array, nonce: string): Buffer {
  return createHmac('sha256', secret).update(`gatewarden audit csv\0${nonce}`).digest();
}

/** Code of a row: it depends on all of the row and on the code of the row before it. */
export function rowMac(key: Uint8Array, previous: string, content: string, note: string): string {
  return createHmac('sha256', key).update(`${previous}\0${note}\0${content}`).digest('base64');
}

/** Note of the row that begins a series. */
export function beginNote(nonce: string, previous: string): string {
  return `begin:${nonce}:${previous}`;
}

/** What a note says about the beginning of a series, or null. */
export function readBeginNote(note: string): { readonly nonce: string; readonly previous: string } | null {
  const [, nonce, previous] = /^begin:([\w-]+):(-|[A-Za-z0-9+/]{43}=)$/.exec(note) ?? [];
  return nonce === undefined || previous === undefined ? null : { nonce, previous };
}

/** Adds codes to rows, each depending on the one before. */
export class CsvChain {
  /** Code of the last row. */
  mac: string;
  private readonly key: Buffer;
  private readonly layout: CsvLayout;
  private readonly empty: string;
  private readonly nonce = randomBytes(16).toString('base64url');
  private readonly previous: string;

  /** @param previous code of the row before this series, or `NO_ROW` */
  constructor(secret: Uint8Array, layout: CsvLayout, columns: number, previous: string) {
    this.key = seriesKey(secret, this.nonce);
    this.layout = layout;
    this.empty = layout.delimiter.repeat(columns - 1);
    this.previous = previous;
    this.mac = previous;
  }

  /** The row that begins the series. */
  begin(): Buffer {
    return this.row(this.empty, beginNote(this.nonce, this.previous));
  }

  /** A row without an event, which says that all rows up to it were there at this time. */
  mark(kind: 'signed' | 'end', now: number): Buffer {
    return this.row(this.empty, `${kind}:${new Date(now).toISOString()}`);
  }

  /** A row with its code. @param content its columns, without an end of line */
  row(content: string, note = ''): Buffer {
    const { quote, delimiter, endOfLine } = this.layout;
    this.mac = rowMac(this.key, this.mac, content, note);
    const signature = note === '' ? '' : `${quote}${note}${quote}`;
    return Buffer.from(`${content}${delimiter}${quote}${this.mac}${quote}${delimiter}${signature}${endOfLine}`);
  }
}

/** A row of a tamper-evident file, taken apart. */
export interface SealedRow {
  readonly content: string;
  readonly mac: string;
  readonly note: string;
}

/** Takes a line without its end apart, or returns null where it has no code. */
export function readSealedRow(
  line: string,
  { quote, delimiter }: Pick<CsvLayout, 'quote' | 'delimiter'>,
): SealedRow | null {
  const [q, d] = [RegExp.escape(quote), RegExp.escape(delimiter)];
  const pattern = new RegExp(`^(.*)${d}${q}([A-Za-z0-9+/]{43}=)${q}${d}(?:${q}([^${q}]*)${q})?$`, 's');
  const [, content, mac, note = ''] = pattern.exec(line) ?? [];
  return content === undefined || mac === undefined ? null : { content, mac, note };
}

/** Whether two codes are equal. */
export function isSameMac(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}
