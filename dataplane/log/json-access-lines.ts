import type { Finished } from '../engine/client/finished.ts';
import { writeText } from '../engine/wire/bytes.ts';
import { clock } from '../engine/wire/clock.ts';
import { refusalReason } from './refusal-reason.ts';

const FIRST_SIZE = 4096;
/** Memory beyond this is not kept for long. */
const LARGEST_KEPT = 65_536;
const BEFORE_TIME = '{"level":30,"time":"';
/** What stands behind the path at most. */
const LONGEST_END = 512;
const LARGEST_WORD = 0x7fff_ffff;
const QUOTE = 34;
const CLOSING_BRACE = 125;
const LINE_END = 10;

/**
 * Access log lines as JSON, in the shape pino writes. A line is written over the one before, and its beginning stays where
 * it is the same, so that a request costs few bytes. Queries are left out: they carry tokens more often than people think.
 */
export class JsonAccessLines {
  bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_SIZE);
  private readonly unit: number;
  private time = -1;
  private remote = '';
  private method = '';
  private host = '';
  private status = 0;
  private sent = 0;
  private route: string | null = null;
  private backend: string | null = null;
  private user: string | null = null;
  /** Where the part ends that alike requests share; 0 when no other line can have it. */
  private sharedEnd = 0;

  constructor(unit: number) {
    this.unit = unit;
  }

  line(finished: Finished): number {
    if (!this.isAlike(finished)) this.begin(finished);
    else if (clock.wall !== this.time) this.writeTime();
    const { ids, milliseconds, firstByte, refusal } = finished;
    const path = finished.path.includes('"') ? JSON.stringify(finished.path).slice(1, -1) : finished.path;
    if (this.sharedEnd + path.length + LONGEST_END > this.bytes.length) this.makeRoom(path.length + LONGEST_END);
    const out = this.bytes;
    let at = writeText(out, this.sharedEnd, path);
    at = writeText(out, at, '","us":');
    at = writeNumber(out, at, microseconds(milliseconds));
    at = writeText(out, at, ',"firstByteUs":');
    at = writeNumber(out, at, microseconds(firstByte));
    if (ids !== null) at = writeIds(out, at, ids);
    out[at] = CLOSING_BRACE;
    out[at + 1] = LINE_END;
    if (refusal !== null) this.sharedEnd = 0;
    return at + 2;
  }

  private isAlike({ remote, method, host, status, sent, route, backend, user, refusal }: Finished): boolean {
    return (
      this.sharedEnd !== 0 &&
      refusal === null &&
      status === this.status &&
      sent === this.sent &&
      route === this.route &&
      backend === this.backend &&
      user === this.user &&
      remote === this.remote &&
      method === this.method &&
      host === this.host
    );
  }

  /** Writes the part that alike requests share. */
  private begin(finished: Finished): void {
    const { remote, method, host, status, sent, route, backend, user, refusal } = finished;
    this.remote = remote;
    this.method = method;
    this.host = host;
    this.status = status;
    this.sent = sent;
    this.route = route;
    this.backend = backend;
    this.user = user;
    this.time = clock.wall;
    const client = `${new Date(clock.wall).toISOString()}","msg":"request","unit":${this.unit},"remote":"${remote}`;
    const asked = `","method":"${method}","host":"${host}","status":${status},"bytes":${sent}`;
    const way = `${field('route', route)}${field('backend', backend)}${field('user', user)}`;
    const why = refusal === null ? '' : refusalFields(finished);
    const text = `${BEFORE_TIME}${client}${asked}${way}${why},"path":"`;
    if (text.length > this.bytes.length || this.bytes.length > LARGEST_KEPT) {
      this.bytes = Buffer.allocUnsafeSlow(Math.max(text.length, FIRST_SIZE));
    }
    this.sharedEnd = this.bytes.latin1Write(text, 0);
  }

  /** Makes room for so many bytes behind the part that alike requests share. */
  private makeRoom(length: number): void {
    const larger = Buffer.allocUnsafeSlow(2 * (this.sharedEnd + length));
    this.bytes.copy(larger, 0, 0, this.sharedEnd);
    this.bytes = larger;
  }

  /** Writes the time over that of the line before, which is as long. */
  private writeTime(): void {
    this.time = clock.wall;
    writeText(this.bytes, BEFORE_TIME.length, new Date(clock.wall).toISOString());
  }
}

function writeIds(out: Buffer, at: number, ids: NonNullable<Finished['ids']>): number {
  at = writeText(out, at, ',"requestId":"');
  if (!ids.isMade) return writeText(out, at, `${ids.requestId}","traceId":"${ids.traceId}"`);
  const end = ids.writeMade(out, at);
  const trace = writeText(out, end, '","traceId":"');
  ids.writeMade(out, trace); // what is made here is the id of both
  out[trace + end - at] = QUOTE;
  return trace + end - at + 1;
}

function microseconds(milliseconds: number): number {
  return Math.max(0, Math.round(milliseconds * 1000));
}

/** Writes a natural number. @returns where it stopped. */
function writeNumber(out: Buffer, at: number, value: number): number {
  if (value > LARGEST_WORD) return writeText(out, at, String(value));
  let end = at + 1;
  for (let rest = value; rest >= 10; rest = (rest / 10) | 0) end++;
  for (let i = end - 1, rest = value | 0; i >= at; i--) {
    const tens = (rest / 10) | 0;
    out[i] = 48 + rest - tens * 10;
    rest = tens;
  }
  return end;
}

function field(name: string, value: string | null): string {
  return value === null ? '' : `,"${name}":${latin1Json(value)}`;
}

/** Why the request was refused: the code, what exactly was wrong, and the object that decided it. */
function refusalFields(finished: Finished): string {
  const { reason, object } = refusalReason(finished);
  return `,"refusal":"${finished.refusal}"${field('reason', reason)}${field('object', object)}`;
}

/** A text as JSON whose characters are one byte each, so that a line has as many bytes as characters. */
function latin1Json(text: string): string {
  const json = JSON.stringify(text);
  return /[^\0-\x7e]/.test(json) ? json.replaceAll(/[^\0-\x7e]/g, escaped) : json;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
