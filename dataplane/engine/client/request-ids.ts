import type { Headers } from '../head/headers.ts';

/** Ids that a trusted peer gave a request; null for what it did not say, or not in a way that can be used. */
export interface GivenIds {
  readonly requestId: string | null;
  readonly trace: { readonly id: string; readonly flags: string; readonly state: string | null } | null;
}

const TRACE = 32;
const SPAN = 16;
const BEFORE_ID = 'X-Request-Id: ';
const BEFORE_TRACE = '\r\ntraceparent: 00-';
const END = '-01\r\n';
const TRACE_AT = BEFORE_ID.length + TRACE + BEFORE_TRACE.length;
const SPAN_AT = TRACE_AT + TRACE + 1;
/** How far the trace is behind the id, in pairs of digits. */
const BETWEEN = (TRACE_AT - BEFORE_ID.length) >> 1;

/** Lines of an id that is made here, which is the trace too; the digits are those of whoever wrote them last. */
const fresh = Buffer.alloc(SPAN_AT + SPAN + END.length);
fresh.latin1Write(BEFORE_ID, 0);
fresh.latin1Write(BEFORE_TRACE, BEFORE_ID.length + TRACE);
fresh.latin1Write('-', SPAN_AT - 1);
fresh.latin1Write(END, SPAN_AT + SPAN);
/** The same two digits at a time: id and trace begin at even places. */
const freshPairs = new Uint16Array(fresh.buffer, 0, fresh.length >> 1);
/** The digits of each byte. */
const digits = Buffer.alloc(512);
for (let byte = 0; byte < 256; byte++) digits.latin1Write(byte.toString(16).padStart(2, '0'), byte * 2);
const pairs = new Uint16Array(digits.buffer, 0, 256);

/** State of a generator (sfc32), which starts somewhere else in each thread: ids have to be unique, not secret. */
const state = new Int32Array(4);

function random(): number {
  const b = state[1]!;
  const c = state[2]!;
  const count = state[3]!;
  const made = (state[0]! + b + count) | 0;
  state[3] = count + 1;
  state[0] = b ^ (b >>> 9);
  state[1] = c + (c << 3);
  state[2] = ((c << 21) | (c >>> 11)) + made;
  return made;
}

/** Writes the digits of a word into an id and into its trace. */
function writeWord(at: number, word: number): void {
  for (let shift = 24, i = (BEFORE_ID.length + at) >> 1; shift >= 0; shift -= 8, i++) {
    freshPairs[i] = freshPairs[i + BETWEEN] = pairs[(word >>> shift) & 255]!;
  }
}

function writeDigits(out: Buffer, at: number, word: number): void {
  for (let shift = 24, i = at; shift >= 0; shift -= 8, i += 2) {
    const from = ((word >>> shift) & 255) * 2;
    out[i] = digits[from]!;
    out[i + 1] = digits[from + 1]!;
  }
}

/** What tells a request from all others, in logs and for backends. Digits are written when somebody wants them. */
export class RequestIds {
  private readonly given: GivenIds | null;
  private readonly id0 = random();
  private readonly id1 = random();
  private readonly id2 = random();
  private readonly id3 = random();
  private readonly span0 = random();
  private readonly span1 = random();

  /** Ids for a request: those that a trusted peer gave it, and new ones for the rest. */
  constructor(given: GivenIds | null) {
    this.given = given;
  }

  get requestId(): string {
    return this.given?.requestId ?? this.newId;
  }

  /** The trace that the request is part of, 32 hexadecimal digits (W3C Trace Context). */
  get traceId(): string {
    return this.given?.trace?.id ?? this.newId;
  }

  /** Both ids are made here, and the same. */
  get isMade(): boolean {
    return this.given === null;
  }

  /** Writes the id that is made here. @returns where it stopped. */
  writeMade(out: Buffer, at: number): number {
    writeDigits(out, at, this.id0);
    writeDigits(out, at + 8, this.id1);
    writeDigits(out, at + 16, this.id2);
    writeDigits(out, at + 24, this.id3);
    return at + TRACE;
  }

  /** The lines for a backend, each with its CRLF; to be read before other ids are asked for. */
  get lines(): Buffer {
    this.write();
    return this.given === null ? fresh : this.givenLines(this.given);
  }

  private get newId(): string {
    this.write();
    return fresh.latin1Slice(BEFORE_ID.length, BEFORE_ID.length + TRACE);
  }

  private write(): void {
    writeWord(0, this.id0);
    writeWord(8, this.id1);
    writeWord(16, this.id2);
    writeWord(24, this.id3);
    writeDigits(fresh, SPAN_AT, this.span0);
    writeDigits(fresh, SPAN_AT + 8, this.span1);
  }

  private givenLines({ trace }: GivenIds): Buffer {
    const span = fresh.latin1Slice(SPAN_AT, SPAN_AT + SPAN);
    const parent = `${this.traceId}-${span}-${trace?.flags ?? '01'}\r\n`;
    const state = trace === null || trace.state === null ? '' : `tracestate: ${trace.state}\r\n`;
    return Buffer.from(`${BEFORE_ID}${this.requestId}${BEFORE_TRACE}${parent}${state}`, 'latin1');
  }
}

/** Whether requests of this thread get ids. */
export const identifying = { requests: false };

/** Says whether requests of this thread get ids. */
export function identifyRequests(requests: boolean): void {
  if (requests && !identifying.requests) crypto.getRandomValues(state);
  identifying.requests = requests;
}

/** Headers that carry ids, in lower case. */
export const ID_HEADERS = ['x-request-id', 'traceparent', 'tracestate'] as const;

/** What a request id of somebody else may be made of: it goes into log lines and headers. */
const REQUEST_ID = /^[\w.~+/=:@-]{1,128}$/;
/** Versions above 00 may have more fields behind the flags, which nobody knows yet (W3C Trace Context, section 3.2). */
const TRACE_PARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(-.*)?$/;
const LONGEST_STATE = 512;

/** Takes the ids of a trusted peer out of the headers of its request. @returns what is believed, null for nothing. */
export function takeIds(headers: Headers): GivenIds | null {
  const [requestIds, parents, states] = ID_HEADERS.map((name) => headers.all(name));
  for (const name of ID_HEADERS) headers.remove(name);
  const [requestId = ''] = requestIds!;
  const isUsable = requestIds!.length === 1 && REQUEST_ID.test(requestId);
  const [, version, id, flags, more] = (parents!.length === 1 && TRACE_PARENT.exec(parents![0]!)) || [];
  const isTrace = id !== undefined && flags !== undefined && (version !== '00' || more === undefined);
  if (!isTrace) return isUsable ? { requestId, trace: null } : null;
  const state = states!.join(',');
  const usable = state !== '' && state.length <= LONGEST_STATE ? state : null;
  // of the flags only `sampled` is defined (section 3.2.2.5), and the others must not be passed on
  const sampled = (Number.parseInt(flags, 16) & 1) === 1 ? '01' : '00';
  return { requestId: isUsable ? requestId : null, trace: { id, flags: sampled, state: usable } };
}
