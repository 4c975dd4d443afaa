import { areBytes, endLine, isFieldValue, SLACK, spells, writeText } from '../wire/bytes.ts';
import { type AddedLine, hasLineBeginning, lineNamed } from './added-line.ts';
import { canonicalAuthority } from './canonical-host.ts';
import { giveHeadBlock, type HeadBlock, takeHeadBlock } from './head-blocks.ts';
import { type HeaderLines, LINE, lineStart, NO_LINES } from './header-ranges.ts';
import { judged } from './judged-name.ts';
import type { KnownCredentials } from './known-credentials.ts';
import type { LineEncoder } from './line-encoder.ts';
import { foldedName, foldsTo, isOddName } from './look-alike.ts';
import { withoutSpace } from './message-head.ts';

const NOTHING = Buffer.alloc(SLACK);

/**
 * The header lines of one message: names are looked up in the bytes when somebody asks, edits are recorded and applied
 * when the head is written. Case of names does not matter, order is kept, a name may have several lines.
 */
export class Headers {
  private bytes: Buffer;
  private base: number;
  /** Offset of the empty line at the end of the head, relative to base. */
  private end: number;
  private table: Int32Array;
  private first: number;
  private lines: number;
  private content: number;
  private droppedLines: number;
  /** Lines that the chain added; for the engine. */
  added: AddedLine[] | null = null;
  private deleted: string[] | null = null;
  private block: HeadBlock | null = null;
  private readonly loose: boolean;
  /** Stands for the only Authorization line while that is as received and known to the connection; null otherwise. */
  credentials: KnownCredentials | null = null;
  /** A received name looks like one that was set or removed; such a request is not sent on. */
  imitated = false;

  /**
   * The lines of a head that was scanned in `bytes` from `base` on; `end` is where its empty line starts, and `content`
   * bytes of content follow it that go where the head goes.
   */
  constructor(bytes: Buffer, base: number, end: number, lines: HeaderLines, content = 0) {
    this.content = content;
    this.bytes = bytes;
    this.base = base;
    this.end = end;
    this.table = lines.table;
    this.first = lines.first;
    this.lines = lines.lines;
    this.droppedLines = lines.dropped;
    this.loose = lines.unusual;
  }

  /** Headers of a message that nobody received. */
  static empty(): Headers {
    return new Headers(EMPTY, 0, 0, NO_LINES);
  }

  /** The value of a header; several lines are joined as RFC 9110 §5.3 allows; null when there is none. */
  get(name: string): string | null {
    name = name.toLowerCase();
    let found: string | null = null;
    for (let line = this.find(name, this.first); line >= 0; line = this.find(name, line + LINE)) {
      const value = this.valueAt(line);
      found = found === null ? value : `${found}, ${value}`;
    }
    const added = this.added;
    if (added !== null) {
      for (const line of added) {
        if (line.plain === name) found = found === null ? line.value : `${found}, ${line.value}`;
      }
    }
    return found;
  }

  /** The values of a header, one for each line. */
  all(name: string): string[] {
    name = name.toLowerCase();
    const values: string[] = [];
    for (let line = this.find(name, this.first); line >= 0; line = this.find(name, line + LINE)) {
      values.push(this.valueAt(line));
    }
    const added = this.added;
    if (added !== null) for (const line of added) if (line.plain === name) values.push(line.value);
    return values;
  }

  has(name: string): boolean {
    name = name.toLowerCase();
    return this.find(name, this.first) >= 0 || lineNamed(this.added, name) !== null;
  }

  /** Whether there is a header whose name begins so; `prefix` in lower case. */
  hasBeginning(prefix: string): boolean {
    const bytes = this.alive();
    for (let line = this.first, end = this.first + LINE * this.lines; line < end; line += LINE) {
      const start = this.table[line]!;
      if (start < 0 || this.table[line + 1]! - start < prefix.length) continue;
      if (spells(bytes, this.base + start, prefix)) return true;
    }
    return this.added !== null && hasLineBeginning(this.added, prefix);
  }

  delete(name: string): void {
    const { plain, owned } = judged(name);
    if (owned) return;
    if (this.deleted === null) this.deleted = [plain];
    else if (!this.deleted.includes(plain)) this.deleted.push(plain);
    this.remove(plain);
  }

  /** @throws TypeError for what no header may hold. */
  append(name: string, value: string): void {
    const { plain, owned, token } = judged(name);
    if (!token) throw new TypeError(`not a header name: ${JSON.stringify(name)}`);
    if (!isFieldValue(value)) throw new TypeError(`the value of ${name} holds a character that no header may hold`);
    if (owned) return;
    if (plain === 'host') {
      const host = canonicalAuthority(value, '');
      if (host === null) throw new TypeError(`not a host: ${JSON.stringify(value)}`);
      value = host;
      this.remove(plain); // a second one would name another place
    }
    this.appendFixed({ name, plain, value });
  }

  /** Adds a line of `fixedLine`. */
  appendFixed(line: AddedLine): void {
    if (this.bytes === NOTHING) throw new Error('the exchange is over');
    if (this.loose) this.findTwins(line.plain);
    if (line.plain === 'authorization') this.credentials = null;
    if (this.added === null) this.added = [line];
    else this.added.push(line);
  }

  set(name: string, value: string): void {
    this.delete(name);
    this.append(name, value);
  }

  /** Every line in order, names in lower case. */
  each(visit: (name: string, value: string) => void): void {
    const bytes = this.alive();
    for (let i = 0, line = this.first; i < this.lines; i++, line += LINE) {
      const start = this.table[line]!;
      if (start < 0) continue;
      visit(bytes.latin1Slice(this.base + start, this.base + this.table[line + 1]!).toLowerCase(), this.valueAt(line));
    }
    if (this.added !== null) for (const { plain, value } of this.added) visit(plain, value);
  }

  entries(): [string, string][] {
    const entries: [string, string][] = [];
    this.each((name, value) => entries.push([name, value]));
    return entries;
  }

  // ---- for the engine

  /** Deletes a header, whosever it is. `name` in lower case. */
  remove(name: string): void {
    if (this.loose) this.findTwins(name);
    if (name === 'authorization') this.credentials = null;
    for (let line = this.find(name, this.first); line >= 0; line = this.find(name, line + LINE)) this.dropLine(line);
    const added = this.added;
    if (added === null) return;
    for (let i = added.length - 1; i >= 0; i--) if (added[i]!.plain === name) added.splice(i, 1);
  }

  /** Whether somebody set or deleted a header of this name, folded, so that no trailer may bring it; also once released. */
  hasEdited(folded: string): boolean {
    return (
      (this.deleted?.some((name) => foldedName(name) === folded) ?? false) ||
      (this.added?.some(({ plain }) => foldedName(plain) === folded) ?? false)
    );
  }

  /** The Host header that somebody set, empty where it was deleted, or null; also once released. */
  get editedHost(): string | null {
    const line = lineNamed(this.added, 'host');
    if (line !== null) return line.value;
    return this.deleted?.includes('host') === true ? '' : null;
  }

  /** How much content came with the head and still goes with it. */
  get contentLength(): number {
    return this.content;
  }

  /** Takes the content that came with the head: from now on it is the taker's. */
  takeContent(): Buffer {
    const start = this.base + this.end + 2;
    const content = Buffer.from(this.alive().subarray(start, start + this.content));
    this.content = 0;
    return content;
  }

  /** The value in one line of the table. */
  valueAt(line: number): string {
    return this.alive().latin1Slice(this.base + this.table[line + 2]!, this.base + this.table[line + 3]!);
  }

  /** Where all lines are, dropped ones included; valid as long as the head. */
  ranges(): { bytes: Buffer; base: number; table: Int32Array; first: number; end: number } {
    const { base, table, first } = this;
    return { bytes: this.alive(), base, table, first, end: first + LINE * this.lines };
  }

  /** Whether one line of the table holds exactly this text: cheaper than making a string to compare. */
  saysAt(line: number, text: string): boolean {
    const bytes = this.alive();
    const start = this.base + this.table[line + 2]!;
    if (this.table[line + 3]! - this.table[line + 2]! !== text.length) return false;
    for (let i = 0; i < text.length; i++) if (bytes[start + i] !== text.charCodeAt(i)) return false;
    return true;
  }

  /** The line of the table with the only value of a header; -1 when there is not exactly one or somebody added lines. */
  soleLine(name: string): number {
    const line = this.find(name, this.first);
    return line < 0 || this.added !== null || this.find(name, line + LINE) >= 0 ? -1 : line;
  }

  /** Whether one line of the table holds exactly these bytes. */
  holdsAt(line: number, value: Buffer): boolean {
    return areBytes(this.alive(), this.base + this.table[line + 2]!, this.base + this.table[line + 3]!, value);
  }

  dropLine(line: number): void {
    if (this.table[line]! < 0) return;
    this.table[line] = ~this.table[line]!;
    this.droppedLines++;
  }

  /** Brings back dropped lines whose name passes: what a trusted peer may send although clients may not. */
  restore(wanted: (name: string) => boolean): void {
    for (let i = 0, line = this.first; i < this.lines; i++, line += LINE) {
      const start = ~this.table[line]!;
      if (start < 0) continue;
      if (!wanted(this.bytes.latin1Slice(this.base + start, this.base + this.table[line + 1]!).toLowerCase())) continue;
      this.table[line] = start;
      this.droppedLines--;
    }
  }

  /** Where the content that came with the head is: `contentLength` bytes, valid as long as the head. */
  contentAt(): { readonly bytes: Buffer; readonly start: number } {
    return { bytes: this.alive(), start: this.base + this.end + 2 };
  }

  /** Upper bound of what `write` produces, without `more`. */
  get size(): number {
    let size = this.end + 2 + this.content;
    const added = this.added;
    if (added !== null) for (const { name, value } of added) size += name.length + value.length + 4;
    return size;
  }

  /**
   * Writes the whole head: the line that was received before the headers if `startLine`, the lines that are left, the
   * `own`, the added ones, then `more` (whole lines), the empty line and the content that came along. @returns where it stopped.
   */
  write(out: Buffer, at: number, startLine: boolean, more: string | Buffer, own: Buffer | null = null): number {
    const bytes = this.alive();
    const { base, table, first, lines } = this;
    const plain = more.length === 0 && own === null && this.added === null;
    const rest = this.end + 2 + this.content;
    const stop = base + (plain ? rest : this.end); // the received empty line serves where nothing is added
    let from = startLine ? base : base + (lines === 0 ? this.end : lineStart(table, first));
    if (this.droppedLines !== 0) {
      for (let i = 0, line = first; i < lines; i++, line += LINE) {
        const start = table[line]!;
        if (start >= 0) continue;
        const to = base + ~start;
        if (to > from) at += bytes.copy(out, at, from, to);
        from = base + (i + 1 === lines ? this.end : lineStart(table, line + LINE));
      }
    }
    if (stop > from) at += bytes.copy(out, at, from, stop);
    if (plain) return at;
    if (own !== null) at += own.copy(out, at);
    at = this.writeMore(out, at, more);
    return this.content === 0 ? at : at + bytes.copy(out, at, base + this.end + 2, base + rest);
  }

  private writeMore(out: Buffer, at: number, more: string | Buffer): number {
    if (this.added !== null) {
      for (const { name, value } of this.added) {
        at = writeText(out, at, name);
        out[at++] = 58;
        out[at++] = 32;
        at = endLine(out, writeText(out, at, value));
      }
    }
    return typeof more === 'string' ? endLine(out, writeText(out, at, more)) : at + more.copy(out, at);
  }

  /** Upper bound of how many lines `encode` writes. */
  get count(): number {
    return this.lines + (this.added?.length ?? 0);
  }

  /**
   * Encodes the lines that are left, then the added ones, as fields of HTTP/2; not those with the name `except`, in
   * lower case. @returns where it stopped.
   */
  encode(encoder: LineEncoder, out: Buffer, at: number, except: string): number {
    const bytes = this.alive();
    const { base, table } = this;
    for (let line = this.first, end = line + LINE * this.lines; line < end; line += LINE) {
      const start = table[line]!;
      if (start < 0) continue;
      const name = base + start;
      const nameEnd = base + table[line + 1]!;
      if (nameEnd - name === except.length && except !== '' && spells(bytes, name, except)) continue;
      at = encoder.line(out, at, bytes, name, nameEnd, base + table[line + 2]!, base + table[line + 3]!);
    }
    if (this.added !== null) {
      for (const { plain, value } of this.added) {
        if (plain !== except) at = encoder.text(out, at, plain, withoutSpace(value));
      }
    }
    return at;
  }

  /** Whether a line that belonged to the sender's hop, and was dropped for that, had this name and value. */
  dropped(name: string, value: string): boolean {
    if (this.droppedLines === 0) return false;
    const bytes = this.alive();
    const { base, table } = this;
    for (let line = this.first, end = line + LINE * this.lines; line < end; line += LINE) {
      const start = ~table[line]!;
      if (start < 0 || table[line + 1]! - start !== name.length || !spells(bytes, base + start, name)) continue;
      if (table[line + 3]! - table[line + 2]! === value.length && spells(bytes, base + table[line + 2]!, value))
        return true;
    }
    return false;
  }

  /** Copies bytes and ranges out of the arenas of the turn. */
  retain(): void {
    if (this.block !== null || this.bytes === NOTHING || this.bytes === EMPTY) return;
    const length = this.end + 2 + this.content;
    const block = takeHeadBlock(length, this.lines);
    this.bytes.copy(block.bytes, 0, this.base, this.base + length);
    for (let i = 0, end = LINE * this.lines; i < end; i++) block.table[i] = this.table[this.first + i]!;
    this.bytes = block.bytes;
    this.base = 0;
    this.table = block.table;
    this.first = 0;
    this.block = block;
  }

  /** The exchange is over: a later read throws instead of seeing another request's bytes. */
  release(): void {
    const block = this.block;
    this.bytes = NOTHING;
    this.block = null;
    if (block !== null) giveHeadBlock(block);
  }

  /** True until `release`. */
  get readable(): boolean {
    return this.bytes !== NOTHING;
  }

  private alive(): Buffer {
    if (this.bytes === NOTHING) throw new Error('the exchange is over');
    return this.bytes;
  }

  private find(name: string, from: number): number {
    const bytes = this.alive();
    const table = this.table;
    const length = name.length;
    for (let line = from, end = this.first + LINE * this.lines; line < end; line += LINE) {
      const start = table[line]!;
      if (start >= 0 && table[line + 1]! - start === length && spells(bytes, this.base + start, name)) return line;
    }
    return -1;
  }

  /** Drops what names this header with `_`, and remembers that something else looks like it. */
  private findTwins(name: string): void {
    const folded = foldedName(name);
    const bytes = this.alive();
    for (let i = 0, line = this.first; i < this.lines; i++, line += LINE) {
      if (this.table[line]! < 0) continue;
      const start = this.base + this.table[line]!;
      const end = this.base + this.table[line + 1]!;
      if (!foldsTo(bytes, start, end, folded) || spells(bytes, start, name)) continue;
      if (isOddName(bytes, start, end)) this.imitated = true;
      else this.dropLine(line);
    }
  }
}

const EMPTY = Buffer.from('\r\n'.padEnd(SLACK, '\0'), 'latin1');
