import { randomFillSync } from 'node:crypto';
import type { Headers } from '../head/headers.ts';

/** Ids that a trusted peer gave a request; null for what it did not say, or not in a way that can be used. */
export interface GivenIds {
  readonly requestId: string | null;
  readonly trace: { readonly id: string; readonly flags: string; readonly state: string | null } | null;
}

/** What tells a request from all others, in logs and for backends. */
export interface RequestIds {
  readonly requestId: string;
  /** The trace that the request is part of, 32 hexadecimal digits (W3C Trace Context). */
  readonly traceId: string;
  /** The lines for a backend, each with its CRLF. */
  readonly lines: string;
}

/** Whether requests of this thread get ids; as the listener says. */
export const identifying = { requests: false };

/** Headers that carry ids, in lower case. */
export const ID_HEADERS = ['x-request-id', 'traceparent', 'tracestate'] as const;

const TRACE = 32;
const ID = 48;
/** How many ids are made at a time: asking for random bytes costs far more than the bytes do. */
const AT_A_TIME = 1024;
const random = Buffer.allocUnsafeSlow((ID / 2) * AT_A_TIME);
let digits = '';
let at = 0;

/** Ids for a request: those that a trusted peer gave it, and new ones for the rest. */
export function requestIds(given: GivenIds | null): RequestIds {
  if (at >= digits.length) {
    digits = randomFillSync(random).toString('hex');
    at = 0;
  }
  const fresh = digits.slice(at, at + TRACE);
  const span = digits.slice(at + TRACE, at + ID);
  at += ID;
  if (given !== null) return idsOf(given.requestId ?? fresh, given.trace, fresh, span);
  return {
    requestId: fresh,
    traceId: fresh,
    lines: `X-Request-Id: ${fresh}\r\ntraceparent: 00-${fresh}-${span}-01\r\n`,
  };
}

function idsOf(requestId: string, trace: GivenIds['trace'], fresh: string, span: string): RequestIds {
  const traceId = trace?.id ?? fresh;
  const state = trace === null || trace.state === null ? '' : `tracestate: ${trace.state}\r\n`;
  const parent = `traceparent: 00-${traceId}-${span}-${trace?.flags ?? '01'}\r\n`;
  return { requestId, traceId, lines: `X-Request-Id: ${requestId}\r\n${parent}${state}` };
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
