import { createReadStream } from 'node:fs';
import {
  isSameMac,
  MAC_COLUMN,
  NO_ROW,
  NOTE_COLUMN,
  readBeginNote,
  readSealedRow,
  rowMac,
  seriesKey,
} from './csv-chain.ts';
import type { CsvLayout } from './csv-layout.ts';
import { readCsvState } from './csv-state.ts';

/** Something that is wrong with a tamper-evident file. */
export interface CsvFault {
  readonly path: string;
  /** Number of the line; null for the file. */
  readonly line: number | null;
  readonly message: string;
}

/** Result of a verification. */
export interface CsvVerdict {
  /** Rows with events, in all files. */
  readonly events: number;
  readonly faults: readonly CsvFault[];
}

/** Longest line that is read. */
const MOST_LINE = 4 << 20;

/**
 * Verifies tamper-evident files, the oldest first. Rows that were changed, added, removed, reordered or cut off are
 * faults; so are files that are missing between two others.
 *
 * @param secrets those that the files were written with, in any order
 * @throws an error of the file system
 */
export async function verifyCsv(paths: readonly string[], secrets: readonly Uint8Array[]): Promise<CsvVerdict> {
  const faults: CsvFault[] = [];
  let events = 0;
  let before: string | null = null;
  for (const path of paths) {
    const file = new VerifiedFile(path, secrets, before, faults);
    for await (const line of linesOf(path)) file.take(line);
    await file.finish();
    events += file.events;
    before = file.mac;
  }
  return { events, faults };
}

/** The state of the verification of one file. */
class VerifiedFile {
  events = 0;
  /** Code of the last row. */
  mac: string | null;
  private readonly path: string;
  private readonly secrets: readonly Uint8Array[];
  private readonly faults: CsvFault[];
  private readonly seen = new Set<string>();
  private layout: (Pick<CsvLayout, 'quote' | 'delimiter'> & { readonly isWide: boolean }) | null = null;
  private key: Buffer | null = null;
  private line = 0;
  private lastNote = '';

  /** @param before code of the last row of the file before it; null for the first file */
  constructor(path: string, secrets: readonly Uint8Array[], before: string | null, faults: CsvFault[]) {
    this.path = path;
    this.secrets = secrets;
    this.mac = before;
    this.faults = faults;
  }

  take(bytes: Buffer): void {
    this.line++;
    const text = textOf(bytes);
    if (this.line === 1) this.takeHeader(text ?? '');
    else if (this.layout !== null) this.takeRow(text);
  }

  private takeHeader(text: string): void {
    const names = new RegExp(`^([^\\w])_id\\1([^\\w]).*\\1${MAC_COLUMN}\\1\\2\\1${NOTE_COLUMN}\\1(\\r?)$`, 's').exec(
      text,
    );
    if (names === null) this.fault('is not the first line of a tamper-evident file');
    else this.layout = { quote: names[1]!, delimiter: names[2]!, isWide: names[3] === '\r' };
  }

  private takeRow(text: string | null): void {
    const { quote, delimiter, isWide } = this.layout!;
    const isEnded = text !== null && text.endsWith('\r') === isWide;
    const row = isEnded ? readSealedRow(isWide ? text.slice(0, -1) : text, { quote, delimiter }) : null;
    if (row === null) {
      this.fault('is not a row with a code: it was changed or cut off');
      return;
    }
    const { content, mac, note } = row;
    const begin = readBeginNote(note);
    if (begin !== null) this.begin(begin.nonce, begin.previous, content, note, mac);
    else if (this.key === null) this.fault('does not begin a series: rows before it are missing');
    else if (!isSameMac(rowMac(this.key, this.mac ?? NO_ROW, content, note), mac)) {
      this.fault('does not follow the row before it: a row was changed, added, removed or moved');
    }
    if (note === '') this.events++;
    this.mac = mac;
    this.lastNote = note;
    if (note !== '') this.seen.add(mac);
  }

  /** A series begins: the file was opened. */
  private begin(nonce: string, previous: string, content: string, note: string, mac: string): void {
    const keys = this.secrets.map((secret) => seriesKey(secret, nonce));
    const key = keys.find((one) => isSameMac(rowMac(one, previous, content, note), mac));
    if (key === undefined) this.fault('was changed, or written with another secret');
    else if (this.mac !== null && !isSameMac(previous, this.mac)) {
      this.fault('does not follow the row before it: rows or files are missing');
    }
    this.key = key ?? null;
  }

  async finish(): Promise<void> {
    if (this.line === 0) this.fault('is empty');
    if (this.layout === null) return;
    const state = await readCsvState(this.path, this.secrets);
    if (state.kind === 'known') {
      if (!this.seen.has(state.mac)) this.wholeFault('rows at the end are missing: a row that was signed is not there');
      return;
    }
    if (state.kind === 'foreign') {
      this.wholeFault('the state file beside it was changed, or written with another secret');
    }
    if (!this.lastNote.startsWith('end:')) {
      this.wholeFault('has no end: rows may be missing, or the process that wrote it was killed');
    }
  }

  private fault(message: string): void {
    this.faults.push({ path: this.path, line: this.line, message });
  }

  private wholeFault(message: string): void {
    this.faults.push({ path: this.path, line: null, message });
  }
}

/** Lines without their line feeds; what follows the last line feed is a line, too. */
async function* linesOf(path: string): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      yield rest.length === 0 ? chunk.subarray(from, at) : Buffer.concat([rest, chunk.subarray(from, at)]);
      rest = Buffer.alloc(0);
      from = at + 1;
    }
    rest = Buffer.concat([rest, chunk.subarray(from)]);
    if (rest.length > MOST_LINE) throw new Error(`${path} has a line of more than ${MOST_LINE} bytes`);
  }
  if (rest.length > 0) yield rest;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(bytes: Buffer): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}
