import { beginRanges, LINE, ranges } from './header-ranges.ts';
import { requestHead } from './scanned-request.ts';

/** Requests in a row with other lines after which lines are compared only when they were just learned. */
const MOST_MISSES = 8;

/**
 * The header lines that one client sent before, and what the scan found in them. Most clients send the same lines with
 * every request: to compare them takes a fraction of the time of a scan. The bytes are the same, and so is the verdict.
 */
export class LinesMemo {
  /** The value of the first line with credentials, with its CRLF; null where there is none. */
  authorization: Buffer | null = null;
  private bytes: Buffer = NOTHING;
  /** Where the lines began, from the start of their head. */
  private offset = 0;
  private table: Int32Array = NO_LINES;
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
    const end = start + this.bytes.length;
    if (this.bytes.length === 0 || end > limit || (this.misses >= MOST_MISSES && !this.isNew)) return 0;
    this.isNew = false;
    const head = requestHead;
    if (head.minor !== this.minor || dropsIds !== this.dropsIds) return 0;
    if (bytes.compare(this.bytes, 0, this.bytes.length, start, end) !== 0) return 0;
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
    head.sameAuthorization = this.authorizationLine >= 0;
    head.recalled = true;
    return end;
  }

  /** Writes where the lines are, so much further from the start of their head than before. */
  private restoreTable(first: number, further: number): void {
    const { table } = this;
    const into = ranges.table;
    for (let i = 0; i < table.length; i++) {
      const at = table[i]!;
      into[first + i] = at < 0 ? at - further : at + further; // a dropped line is inverted
    }
    ranges.used = first + table.length;
  }

  /**
   * The head that was scanned last, up to `headEnd`, had other lines, which nobody has edited yet: learns them, if that is
   * likely to be of use.
   */
  miss(bytes: Buffer, headEnd: number, dropsIds: boolean): void {
    const head = requestHead;
    this.misses++;
    const isWorthIt = (this.misses & (this.misses - 1)) === 0; // rarer and rarer while each request has other lines
    if (isWorthIt || (head.authorizationLine >= 0 && !head.sameAuthorization)) this.learn(bytes, headEnd, dropsIds);
  }

  private learn(bytes: Buffer, headEnd: number, dropsIds: boolean): void {
    const head = requestHead;
    const { base, table, first, lines, authorizationLine } = head;
    if (lines === 0) return;
    const firstLine = table[first]!;
    this.isNew = true;
    this.offset = firstLine < 0 ? ~firstLine : firstLine;
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
    this.authorization = null;
    if (authorizationLine < 0) return;
    const value = table[authorizationLine + 2]! - this.offset;
    const end = table[authorizationLine + 3]! - this.offset;
    // a value with space behind it is not worth the trouble
    if (this.bytes[end] === 13 && this.bytes[end + 1] === 10) this.authorization = this.bytes.subarray(value, end + 2);
  }
}

/** A line of this head that was so far from the first one; -1 for none. */
function lineFrom(first: number, distance: number): number {
  return distance < 0 ? -1 : first + distance;
}

const NOTHING = Buffer.alloc(0);
const NO_LINES = new Int32Array(0);
