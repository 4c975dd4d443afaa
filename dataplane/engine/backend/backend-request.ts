import { ID_HEADERS } from '../client/request-ids.ts';
import type { AddedLine } from '../head/added-line.ts';
import type { Via } from '../head/via.ts';
import { upgradeLines } from '../http2/backend-upgrade.ts';
import type { Body } from '../message/body.ts';
import type { Exchange } from '../message/exchange.ts';
import type { Request } from '../message/request.ts';
import { writeText } from '../wire/bytes.ts';
import { output, reserve, wrote } from '../wire/turn.ts';
import type { Wire } from '../wire/wire.ts';
import type { BackendOptions } from './backend-options.ts';

/** Content to send after the head. */
export interface PendingContent {
  body: Body | null;
  content: Buffer | null;
  stream: AsyncIterable<Uint8Array> | null;
  /** Nobody knows how long it is. */
  chunked: boolean;
  /** The length that the head must announce beside what it says already, or -1. */
  announced: number;
}

const pending: PendingContent = { body: null, content: null, stream: null, chunked: false, announced: -1 };

/** What ends a request line. */
const VERSION = ' HTTP/1.1\r\n';

/** Methods whose empty content is announced (RFC 9110 §8.6), because a backend may insist on it. */
const EXPECTS_CONTENT = new Set(['POST', 'PUT', 'PATCH']);

/** Returns the content of a request and makes its length headers fit. Read the result before the next call. */
export function pendingContent(request: Request): PendingContent {
  const { headers } = request;
  const entity = request.touchedEntity;
  pending.body = entity === null ? request.incomingBody : entity.incoming;
  pending.content = entity === null ? null : entity.whole;
  pending.stream = entity === null ? null : entity.replacement;
  pending.chunked = false;
  pending.announced = -1;
  if (entity !== null && (pending.content !== null || pending.stream !== null)) {
    headers.remove('content-length');
    const length = entity.announcedLength;
    if (length < 0) pending.chunked = true;
    else if (length > 0 || EXPECTS_CONTENT.has(request.method)) pending.announced = length;
  } else if (pending.body !== null) pending.chunked = pending.body.length < 0;
  else if (EXPECTS_CONTENT.has(request.method) && !headers.has('content-length')) pending.announced = 0;
  return pending;
}

/**
 * Writes the head of a request for a backend: what the client sent without what belonged to its hop, the edits of the
 * filters, then what the gateway itself says. @returns what is left to send; read it before the next call.
 */
export function writeBackendRequest(
  wire: Wire,
  exchange: Exchange,
  options: BackendOptions,
  asksForHttp2: boolean,
): PendingContent {
  const { request } = exchange;
  const { headers } = request;
  pendingContent(request);
  const forwarding = exchange.origin.facts.forwardingLines(exchange, options.forwarding);
  let lines = pending.announced < 0 ? '' : `Content-Length: ${pending.announced}\r\n`;
  if (pending.chunked) lines += 'Transfer-Encoding: chunked\r\n';
  if (request.host === '' && !headers.has('host')) lines += `Host: ${hostOf(options)}\r\n`;
  if (request.upgrade !== null && options.upgrades.includes(request.upgrade.toLowerCase())) {
    lines += `Connection: Upgrade\r\nUpgrade: ${request.upgrade}\r\n`;
  } else if (asksForHttp2) lines += upgradeLines(options);
  else if (!options.reuse) lines += 'Connection: close\r\n';
  const { via } = options;
  if (via !== null && via.prefix !== null) lines += via.lines;
  const ids = forwardedIds(exchange);
  const more = lines === '' ? forwarding : forwarding.latin1Slice(0, forwarding.length - 2) + lines;

  const lineIntact = request.lineIntact && (via === null || via.prefix === null);
  const target = lineIntact ? '' : targetFor(via, request.forwardTarget);
  const own = ids === null ? 0 : ids.length;
  reserve(wire, headers.size + own + more.length + 2 + request.method.length + target.length + VERSION.length + 1);
  const out = output.bytes;
  let at = output.at;
  if (!lineIntact) {
    at = writeText(out, at, request.method);
    out[at++] = 32;
    at = writeText(out, writeText(out, at, target), VERSION);
  }
  at = headers.write(out, at, lineIntact, more, ids);
  wrote(wire, at - output.at);
  return pending;
}

/** Lines with the ids of a request for its backend, for now; null where its chain has set one of them itself. */
export function forwardedIds({ ids, request: { headers } }: Exchange): Buffer | null {
  return ids === null || (headers.added !== null && addsIds(headers.added)) ? null : ids.lines;
}

/** Tells if the chain has added an id; those that the client sent are gone. */
function addsIds(added: readonly AddedLine[]): boolean {
  for (const { plain } of added) for (const name of ID_HEADERS) if (plain === name) return true;
  return false;
}

/** The target as whoever reads the request first wants it. */
function targetFor(via: Via | null, target: string): string {
  if (via === null || via.prefix === null) return target;
  return target === '*' ? via.prefix : via.prefix + target; // RFC 9112 §3.2.4
}

/** The host that a request names when nobody else named one. */
export function hostOf({ destination, scheme, via }: BackendOptions): string {
  if (via !== null) return via.authority;
  if ('path' in destination) return 'localhost';
  const host = destination.host.includes(':') ? `[${destination.host}]` : destination.host;
  return destination.port === (scheme === 'https' ? 443 : 80) ? host : `${host}:${destination.port}`;
}
