import { randomFillSync } from 'node:crypto';
import type { Headers } from '../head/headers.ts';
import type { ByteRange } from '../wire/bytes.ts';

/** Ids that a trusted peer gave a request; null for what it did not say, or not in a way that can be used. */
export interface GivenIds {
  readonly requestId: string | null;
  readonly trace: { readonly id: string; readonly flags: string; readonly state: string | null } | null;
}

/** What tells a request from all others, in logs and for backends: lines for a backend, and the ids in them as text. */
export class RequestIds implements ByteRange {
  /** Holds the lines, each with its CRLF, from `start` to `end`. */
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  private readonly idLength: number;

  constructor(bytes: Buffer, start: number, end: number, idLength: number) {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
    this.idLength = idLength;
  }

  get requestId(): string {
    const from = this.start + BEFORE_ID.length;
    return this.bytes.latin1Slice(from, from + this.idLength);
  }

  /** The trace that the request is part of, 32 hexadecimal digits (W3C Trace Context). */
  get traceId(): string {
    const from = this.start + BEFORE_ID.length + this.idLength + BEFORE_TRACE.length;
    return this.bytes.latin1Slice(from, from + TRACE);
  }
}

const BEFORE_ID = 'X-Request-Id: ';
const BEFORE_TRACE = '\r\ntraceparent: 00-';

/** Whether requests of this thread get ids; as the listener says. */
export const identifying = { requests: false };

/** Headers that carry ids, in lower case. */
export const ID_HEADERS = ['x-request-id', 'traceparent', 'tracestate'] as const;

const TRACE = 32;
const SPAN = 16;
/** The lines of an id that is made here, which is the trace too. */
const pattern = Buffer.from(
  `${BEFORE_ID}${'0'.repeat(TRACE)}${BEFORE_TRACE}${'0'.repeat(TRACE)}-${'0'.repeat(SPAN)}-01\r\n`,
);
const TRACE_AT = BEFORE_ID.length + TRACE + BEFORE_TRACE.length;
const SPAN_AT = TRACE_AT + TRACE + 1;
/** How many ids are made at a time: asking for random bytes costs far more than the bytes do. An exchange keeps all of them. */
const AT_A_TIME = 64;
const random = Buffer.allocUnsafeSlow(((TRACE + SPAN) / 2) * AT_A_TIME);
const digits = Buffer.from('0123456789abcdef');
let block: Buffer = pattern;
let at = pattern.length;

/** Ids for a request: those that a trusted peer gave it, and new ones for the rest. */
export function requestIds(given: GivenIds | null): RequestIds {
  if (at === block.length) {
    block = freshBlock();
    at = 0;
  }
  const start = at;
  at += pattern.length;
  const fresh = new RequestIds(block, start, at, TRACE);
  return given === null ? fresh : givenIds(given, fresh);
}

/** The lines of many requests, written as bytes at once: no request makes text that only its backend reads. */
function freshBlock(): Buffer {
  const made = Buffer.allocUnsafeSlow(pattern.length * AT_A_TIME).fill(pattern);
  randomFillSync(random);
  for (let start = 0, from = 0; start < made.length; start += pattern.length) {
    for (let i = 0; i < TRACE; i += 2) {
      const byte = random[from++]!;
      made[start + BEFORE_ID.length + i] = made[start + TRACE_AT + i] = digits[byte >> 4]!;
      made[start + BEFORE_ID.length + i + 1] = made[start + TRACE_AT + i + 1] = digits[byte & 15]!;
    }
    for (let i = 0; i < SPAN; i += 2) {
      const byte = random[from++]!;
      made[start + SPAN_AT + i] = digits[byte >> 4]!;
      made[start + SPAN_AT + i + 1] = digits[byte & 15]!;
    }
  }
  return made;
}

function givenIds({ requestId, trace }: GivenIds, fresh: RequestIds): RequestIds {
  const id = requestId ?? fresh.requestId;
  const span = fresh.bytes.latin1Slice(fresh.start + SPAN_AT, fresh.start + SPAN_AT + SPAN);
  const state = trace === null || trace.state === null ? '' : `tracestate: ${trace.state}\r\n`;
  const parent = `${trace?.id ?? fresh.traceId}-${span}-${trace?.flags ?? '01'}\r\n`;
  const lines = Buffer.from(`${BEFORE_ID}${id}${BEFORE_TRACE}${parent}${state}`, 'latin1');
  return new RequestIds(lines, 0, lines.length, id.length);
}

/** What a request id of somebody else may be made of: it goes into log lines and headers. */
const REQUEST_ID = /^[\w.~+/=:@-]{1,128}$/;
/** Versions above 00 may have more fields behind the flags, which nobody knows yet (W3C Trace Context, section 3.2). */
const TRACE_PARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(-.*)?$/;
const LONGEST_STATE = 512;

/**
 * Takes the ids out of the headers of a request; `sent` says which are there. @returns what is believed of them, null
 * when that is nothing.
 */
export function takeIds(headers: Headers, sent: number, trusted: boolean): GivenIds | null {
  if (!trusted) {
    for (let at = 0; at < ID_HEADERS.length; at++) if ((sent & (1 << at)) !== 0) headers.remove(ID_HEADERS[at]!);
    return null;
  }
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
