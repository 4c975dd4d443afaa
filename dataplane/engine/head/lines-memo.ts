import { endOfValue, holdsPart } from '../wire/bytes.ts';
import { beginRanges, LINE, lineStart, ranges } from './header-ranges.ts';
import { KnownCredentials } from './known-credentials.ts';
import { requestHead } from './scanned-request.ts';

/** Requests in a row with other lines after which lines are compared only when they were just learned. */
const MOST_MISSES = 8;
/** Lines whose value may be another one each time; each of them costs one comparison more. */
const MOST_HOLES = 3;
/** Names of lines whose value the scan judges, in lower case. */
const JUDGED = new Set(['authorization', 'connection', 'content-length', 'expect', 'host', 'transfer-encoding']);

/**
 * The header lines that one client sent before, and what the scan found in them. Most clients send the same lines with
 * every request, but for an id: to compare them takes a fraction of the time of a scan. The bytes are the same, and so is
 * the verdict.
 */
export class LinesMemo {
  /** Those of the first line with credentials; null where there is none. */
  credentials: KnownCredentials | null = null;
  private bytes: Buffer = NOTHING;
  /** Where the lines began, from the start of their head. */
  private offset = 0;
  private table: Int32Array = NO_LINES;
  /** Lines whose value was another one each time, as places in the table. */
  private holes: readonly number[] = NO_HOLES;
  private dropped = 0;
  private minor = 1;
  private dropsIds = false;
  private length = -1;
  private chunked = false;
  private close = false;
  private keepAlive = false;
  private upgrade = false;
  private nominated: string[] | null = null;
  private hostLine = -1;
  private upgradeLine = -1;
  private authorizationLine = -1;
  private authorizations = 0;
  private expects = false;
  private forwarded = false;
  private unusual = false;
  private identified = false;
  private misses = 0;
  private isNew = false;

  /**
   * Fills in what the scan of lines from `start` on would find, if they are those that were learned and end before `limit`.
   * @returns the end of the head, or 0
   */
  recall(bytes: Buffer, start: number, limit: number, dropsIds: boolean): number {
    if (this.misses >= MOST_MISSES && !this.isNew) return 0;
    this.isNew = false;
    const head = requestHead;
    if (head.minor !== this.minor || dropsIds !== this.dropsIds) return 0;
    const end = this.compare(bytes, start, limit);
    if (end === 0) return 0;
    this.misses = 0;
    const first = beginRanges();
    this.restoreTable(first, start - head.base - this.offset);
    head.first = first;
    head.table = ranges.table;
    head.lines = this.table.length / LINE;
    head.dropped = this.dropped;
    head.length = this.length;
    head.chunked = this.chunked;
    head.close = this.close;
    head.keepAlive = this.keepAlive;
    head.upgrade = this.upgrade;
    head.nominated = this.nominated;
    head.hostLine = lineFrom(first, this.hostLine);
    head.upgradeLine = lineFrom(first, this.upgradeLine);
    head.authorizationLine = lineFrom(first, this.authorizationLine);
    head.expects = this.expects;
    head.forwarded = this.forwarded;
    head.unusual = this.unusual;
    head.identified = this.identified;
    head.authorizations = this.authorizations;
    head.credentials = this.authorizations === 1 ? this.credentials : null;
    head.recalled = true;
    return end;
  }

  /** Compares everything but the values that may differ, whose ends it notes. @returns where the lines end, or 0 */
  private compare(bytes: Buffer, start: number, limit: number): number {
    const { holes, table, offset } = this;
    let from = 0;
    let p = start;
    for (let i = 0; i < holes.length; i++) {
      const hole = holes[i]!;
      const to = table[hole + 2]! - offset;
      if (p + to - from > limit || !holdsPart(bytes, p, this.bytes, from, to)) return 0;
      p += to - from;
      if (isSpace(bytes[p]!)) return 0; // the value would begin further on
      const end = endOfValue(bytes, p);
      if (end > p && isSpace(bytes[end - 1]!)) return 0;
      holeEnds[i] = end;
      from = table[hole + 3]! - offset;
      p = end;
    }
    const left = this.bytes.length - from;
    return left > 0 && p + left <= limit && holdsPart(bytes, p, this.bytes, from, this.bytes.length) ? p + left : 0;
  }

  /** Writes where the lines are, so much further from the start of their head than before. */
  private restoreTable(first: number, further: number): void {
    const { table, holes } = this;
    const into = ranges.table;
    let next = 0;
    for (let line = 0; line < table.length; line += LINE) {
      const name = table[line]!;
      into[first + line] = name < 0 ? name - further : name + further; // a dropped line is inverted
      into[first + line + 1] = table[line + 1]! + further;
      into[first + line + 2] = table[line + 2]! + further;
      if (next < holes.length && holes[next] === line) {
        further = holeEnds[next]! - requestHead.base - table[line + 3]!;
        next++;
      }
      into[first + line + 3] = table[line + 3]! + further;
    }
    ranges.used = first + table.length;
  }

  /**
   * The head that was scanned last, up to `headEnd`, had other lines, which nobody has edited yet: learns them, if that is
   * likely to be of use.
   */
  miss(bytes: Buffer, headEnd: number, dropsIds: boolean): void {
    this.misses++;
    if ((this.misses & (this.misses - 1)) !== 0) return; // rarer and rarer while each request has other lines
    const { base, table, first, lines } = requestHead;
    if (lines === 0) return;
    this.holes = this.holesIn(bytes, base, table, first, lines);
    this.learn(bytes, headEnd, dropsIds);
  }

  /** The lines with other values than those that were learned, if that is all that is different and they are few. */
  private holesIn(bytes: Buffer, base: number, table: Int32Array, first: number, lines: number): readonly number[] {
    if (this.table.length !== LINE * lines) return NO_HOLES;
    const holes: number[] = [];
    for (let line = 0; line < this.table.length; line += LINE) {
      const text = (from: number, to: number): string => bytes.latin1Slice(base + from, base + to);
      const was = (from: number, to: number): string => this.bytes.latin1Slice(from - this.offset, to - this.offset);
      const name = text(lineStart(table, first + line), table[first + line + 2]!);
      if (name !== was(lineStart(this.table, line), this.table[line + 2]!)) return NO_HOLES;
      const value = text(table[first + line + 2]!, table[first + line + 3]!);
      if (value === was(this.table[line + 2]!, this.table[line + 3]!) && !this.holes.includes(line)) continue;
      if (JUDGED.has(name.slice(0, name.indexOf(':')).toLowerCase())) return NO_HOLES;
      holes.push(line);
    }
    return holes.length > MOST_HOLES ? NO_HOLES : holes;
  }

  private learn(bytes: Buffer, headEnd: number, dropsIds: boolean): void {
    const head = requestHead;
    const { base, table, first, lines, authorizationLine } = head;
    this.isNew = true;
    this.offset = lineStart(table, first);
    this.bytes = Buffer.from(bytes.subarray(base + this.offset, headEnd));
    this.table = table.slice(first, first + LINE * lines);
    this.dropped = head.dropped;
    this.minor = head.minor;
    this.dropsIds = dropsIds;
    this.length = head.length;
    this.chunked = head.chunked;
    this.close = head.close;
    this.keepAlive = head.keepAlive;
    this.upgrade = head.upgrade;
    this.nominated = head.nominated;
    this.hostLine = head.hostLine - first;
    this.upgradeLine = head.upgradeLine - first;
    this.authorizationLine = authorizationLine - first;
    this.expects = head.expects;
    this.forwarded = head.forwarded;
    this.unusual = head.unusual;
    this.identified = head.identified;
    this.authorizations = head.authorizations;
    this.credentials = null;
    if (authorizationLine < 0) return;
    const value = table[authorizationLine + 2]! - this.offset;
    const end = table[authorizationLine + 3]! - this.offset;
    // a value with space behind it is not worth the trouble
    if (this.bytes[end] !== 13 || this.bytes[end + 1] !== 10) return;
    this.credentials = new KnownCredentials(this.bytes.subarray(value, end + 2));
  }
}

/** A line of this head that was so far from the first one; -1 for none. */
function lineFrom(first: number, distance: number): number {
  return distance < 0 ? -1 : first + distance;
}

function isSpace(byte: number): boolean {
  return byte === 32 || byte === 9;
}

/** Ends of the values that may differ, in the head that was compared last. */
const holeEnds = new Int32Array(MOST_HOLES);
const NOTHING = Buffer.alloc(0);
const NO_LINES = new Int32Array(0);
const NO_HOLES: readonly number[] = [];
