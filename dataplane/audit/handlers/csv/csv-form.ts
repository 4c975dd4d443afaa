import type { FileHandle } from 'node:fs/promises';
import type { Logger } from 'pino';
import { errorText } from '../../../../platform/error-text.ts';
import { PacedWarning } from '../../../../platform/paced-warning.ts';
import { type Lines, someLines } from '../file/lines.ts';
import type { FileForm } from '../file/log-file.ts';
import { CsvChain, MAC_COLUMN, NO_ROW, NOTE_COLUMN, readSealedRow } from './csv-chain.ts';
import { type CsvLayout, csvRow } from './csv-layout.ts';
import { readCsvState, writeCsvState } from './csv-state.ts';

export interface CsvFormOptions {
  readonly path: string;
  readonly columns: readonly string[];
  readonly layout: CsvLayout;
  /** Secrets of a tamper-evident file, the one to use first; null for a plain file. */
  readonly secrets: readonly Uint8Array[] | null;
  readonly log: Logger;
  now(): number;
}

/** Longest end of a file that is looked at for its last row. */
const MOST_TAIL = 4 << 20;
const CHUNK = 1 << 20;
/** Bytes that the code of a row adds. */
const MAC_BYTES = 56;

/** How CSV files begin, with a row of names, and how tamper-evident ones go on. */
export class CsvForm implements FileForm {
  readonly overhead: number;
  private readonly options: CsvFormOptions;
  private readonly header: Buffer;
  private readonly unsaved: PacedWarning;
  private chain: CsvChain | null = null;
  /** Code of the last row before lines that are being written. */
  private before = NO_ROW;
  private hasRows = false;

  constructor(options: CsvFormOptions) {
    const { columns, layout, secrets, log } = options;
    this.options = options;
    this.overhead = secrets === null ? 0 : MAC_BYTES;
    const names = secrets === null ? columns : [...columns, MAC_COLUMN, NOTE_COLUMN];
    this.header = Buffer.from(`${csvRow(names, layout)}${layout.endOfLine}`);
    this.unsaved = new PacedWarning(log, 'state of a tamper-evident audit file not saved', {
      most: 1,
      interval: 60_000,
    });
  }

  async begin(file: FileHandle, bytes: number): Promise<Buffer | null> {
    const { secrets, path, layout, columns } = this.options;
    if (bytes > 0 && !(await this.hasHeader(file))) return null;
    const last = bytes === 0 ? '' : await this.cutToLastRow(file, bytes);
    if (last === null) return null;
    if (secrets === null) return bytes === 0 ? this.header : Buffer.alloc(0);
    const previous = await this.previousOf(file, last, secrets, path);
    this.chain = new CsvChain(secrets[0]!, layout, columns.length, previous);
    this.hasRows = false;
    const begin = this.chain.begin();
    this.before = this.chain.mac;
    return bytes === 0 ? Buffer.concat([this.header, begin]) : begin;
  }

  private async hasHeader(file: FileHandle): Promise<boolean> {
    const found = Buffer.alloc(this.header.length);
    const { bytesRead } = await file.read(found, 0, found.length, 0);
    return bytesRead === found.length && found.equals(this.header);
  }

  /** Cuts off a row that a killed process left unfinished. @returns the last whole row; null where none is found */
  private async cutToLastRow(file: FileHandle, bytes: number): Promise<string | null> {
    const tail = Buffer.alloc(Math.min(bytes, MOST_TAIL));
    await file.read(tail, 0, tail.length, bytes - tail.length);
    const end = tail.lastIndexOf('\n') + 1;
    if (end === 0) return null;
    if (end < tail.length) await file.truncate(bytes - tail.length + end);
    const text = tail.toString('utf8', 0, end - 1);
    return text.slice(text.lastIndexOf('\n') + 1).replace(/\r$/, '');
  }

  /** Code of the row that the next one follows; that of a row that is missing shows for ever that it is. */
  private async previousOf(
    file: FileHandle,
    last: string,
    secrets: readonly Uint8Array[],
    path: string,
  ): Promise<string> {
    const { log, layout } = this.options;
    const found = readSealedRow(last, layout)?.mac;
    const state = await readCsvState(path, secrets);
    if (state.kind === 'foreign') {
      log.error(
        { path },
        'state of a tamper-evident audit file is not valid: it was changed, or the secret was replaced',
      );
    }
    if (state.kind !== 'known') return found ?? NO_ROW;
    if (found === undefined) return state.mac;
    if (found === state.mac || (await holds(file, state.mac))) return found;
    log.error({ path }, 'rows are missing at the end of a tamper-evident audit file');
    return state.mac;
  }

  /** Adds the codes of rows. Rows of a plain file stay as they are. */
  seal(lines: Lines, from: number, to: number): Buffer {
    const { chain } = this;
    const { endOfLine } = this.options.layout;
    if (chain === null) return someLines(lines, from, to);
    chain.mac = this.before;
    const rows: Buffer[] = [];
    for (let at = from; at < to; at++) {
      const line = someLines(lines, at, at + 1);
      rows.push(chain.row(line.toString('utf8', 0, line.length - endOfLine.length)));
    }
    return Buffer.concat(rows);
  }

  written(): void {
    this.before = this.chain?.mac ?? NO_ROW;
    this.hasRows = true;
  }

  mark(): Buffer | null {
    const { chain } = this;
    if (chain === null || !this.hasRows) return null;
    this.hasRows = false;
    return this.row(chain, 'signed');
  }

  end(): Buffer | null {
    const { chain } = this;
    return chain === null ? null : this.row(chain, 'end');
  }

  private row(chain: CsvChain, kind: 'signed' | 'end'): Buffer {
    chain.mac = this.before;
    const row = chain.mark(kind, this.options.now());
    this.before = chain.mac;
    return row;
  }

  /** What follows the beginning, a mark or the end: from here on it is known if these rows go away. */
  async settled(): Promise<void> {
    const { secrets, path } = this.options;
    if (secrets === null) return;
    try {
      await writeCsvState(path, secrets[0]!, this.before);
    } catch (error) {
      this.unsaved.give({ path, error: errorText(error) });
    }
  }
}

/** Whether a code stands in a file, looked for from its end. */
async function holds(file: FileHandle, mac: string): Promise<boolean> {
  const { size } = await file.stat();
  const chunk = Buffer.alloc(CHUNK + mac.length);
  for (let end = size; end > 0; end -= CHUNK) {
    const start = Math.max(0, end - CHUNK);
    const { bytesRead } = await file.read(chunk, 0, Math.min(chunk.length, size - start), start);
    if (chunk.subarray(0, bytesRead).includes(mac)) return true;
  }
  return false;
}
