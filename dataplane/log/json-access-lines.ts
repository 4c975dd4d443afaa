import type { Finished } from '../engine/client/finished.ts';
import { writeText } from '../engine/wire/bytes.ts';
import { clock } from '../engine/wire/clock.ts';
import { refusalReason } from './refusal-reason.ts';

const FIRST_SIZE = 4096;
/** Memory beyond this is given back when a line needs less. */
const LARGEST_KEPT = 65_536;
const BEFORE_TIME = '{"level":30,"time":"';
/** Numbers and ids behind the path at most. */
const LONGEST_END = 512;
const LARGEST_WORD = 0x7fff_ffff;
const QUOTE = 34;
const CLOSING_BRACE = 125;
const LINE_END = 10;

/**
 * Access log lines as JSON, in the shape pino writes. A line is written over the one before: what most lines share stands
 * first and stays, so that a request costs few bytes. Queries are left out: they carry tokens more often than people think.
 */
export class JsonAccessLines {
  bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_SIZE);
  private readonly unit: number;
  private time = -1;
  private route: string | null = null;
  private backend: string | null = null;
  private remote = '';
  private method = '';
  private host = '';
  private status = 0;
  private sent = 0;
  private user: string | null = null;
  private userField = '';
  /** Where the part ends that all requests of a route share, and behind it that of alike requests; 0 for nothing. */
  private wayEnd = 0;
  private alikeEnd = 0;

  constructor(unit: number) {
    this.unit = unit;
  }

  line(finished: Finished): number {
    const { ids, milliseconds, firstByte, refusal, user } = finished;
    if (this.wayEnd === 0 || finished.route !== this.route || finished.backend !== this.backend) this.begin(finished);
    else if (clock.wall !== this.time) this.writeTime();
    if (!this.isAlike(finished)) this.continue(finished);
    if (user !== this.user) {
      this.user = user;
      this.userField = field('user', user);
    }
    const path = finished.path.includes('"') ? JSON.stringify(finished.path).slice(1, -1) : finished.path;
    const end = refusal === null ? this.userField : this.userField + refusalFields(finished);
    this.makeRoom(path.length + end.length);
    const out = this.bytes;
    let at = writeText(out, this.alikeEnd, path);
    at = writeText(out, at, '","us":');
    at = writeNumber(out, at, microseconds(milliseconds));
    at = writeText(out, at, ',"firstByteUs":');
    at = writeNumber(out, at, microseconds(firstByte));
    if (ids !== null) at = writeIds(out, at, ids);
    at = writeText(out, at, end);
    out[at] = CLOSING_BRACE;
    out[at + 1] = LINE_END;
    return at + 2;
  }

  /** Writes the part that all requests of a route share. */
  private begin({ route, backend }: Finished): void {
    this.route = route;
    this.backend = backend;
    this.time = clock.wall;
    const time = new Date(clock.wall).toISOString();
    const way = `${field('route', route)}${field('backend', backend)}`;
    this.wayEnd = this.alikeEnd = 0;
    this.wayEnd = this.write(`${BEFORE_TIME}${time}","msg":"request","unit":${this.unit}${way},"remote":"`);
  }

  private isAlike({ remote, method, host, status, sent }: Finished): boolean {
    return (
      this.alikeEnd !== 0 &&
      status === this.status &&
      sent === this.sent &&
      remote === this.remote &&
      method === this.method &&
      host === this.host
    );
  }

  /** Writes the part that alike requests share. */
  private continue({ remote, method, host, status, sent }: Finished): void {
    this.remote = remote;
    this.method = method;
    this.host = host;
    this.status = status;
    this.sent = sent;
    this.alikeEnd = this.wayEnd;
    const asked = `${remote}","method":"${method}","host":"${host}","status":${status},"bytes":${sent}`;
    this.alikeEnd = this.write(`${asked},"path":"`);
  }

  private write(text: string): number {
    this.makeRoom(text.length);
    return this.alikeEnd + this.bytes.latin1Write(text, this.alikeEnd);
  }

  /** Makes room for so many bytes and those of the end, behind what is shared. */
  private makeRoom(length: number): void {
    const size = this.alikeEnd + length + LONGEST_END;
    const isLarge = this.bytes.length > LARGEST_KEPT && size < FIRST_SIZE;
    if (size <= this.bytes.length && !isLarge) return;
    const other = Buffer.allocUnsafeSlow(Math.max(FIRST_SIZE, 2 * size));
    this.bytes.copy(other, 0, 0, this.alikeEnd);
    this.bytes = other;
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
