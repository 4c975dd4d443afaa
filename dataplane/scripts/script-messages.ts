import { isForwardingHeader } from '../engine/backend/forwarding.ts';
import { LINE } from '../engine/head/header-ranges.ts';
import { headerText } from '../engine/head/header-text.ts';
import type { Headers } from '../engine/head/headers.ts';
import type { Exchange } from '../engine/message/exchange.ts';
import type { Request } from '../engine/message/request.ts';
import type { Response } from '../engine/message/response.ts';
import { Uri } from '../engine/message/uri.ts';
import { ScriptFault } from './script-language.ts';

/** Reason phrases go into the first line of a response. */
const NOT_IN_REASONS = /[^\t\x20-\x7e\x80-\xff]/;

/** Header lines with names as they were sent, which scripts may print. */
export function headerLines<T>(headers: Headers, lineOf: (name: string, value: string) => T): T[] {
  const lines: T[] = [];
  const { bytes, base, table, first, end } = headers.ranges();
  for (let line = first; line < end; line += LINE) {
    const start = table[line]!;
    if (start < 0) continue;
    lines.push(lineOf(bytes.latin1Slice(base + start, base + table[line + 1]!), headerText(headers.valueAt(line))));
  }
  for (const { name, value } of headers.added ?? []) lines.push(lineOf(name, headerText(value)));
  return lines;
}

/** The URI that a script wrote, as a request line carries it. @throws ScriptFault for what no URI holds */
export function writtenUri(text: string): Uri {
  if (/[\0-\x20\x7f]/.test(text)) throw new ScriptFault('the URI of the request has a space or a control character');
  return Uri.parse(text.replace(/[^\x21-\x7e]+/g, (part) => encodeURIComponent(part.toWellFormed())));
}

/** Gives a request the URI that a script wrote. Path and query alone do not say where it goes. */
export function moveRequest(request: Request, text: string): void {
  const uri = writtenUri(text);
  const { scheme, authority } = request.uri;
  if (uri.scheme !== scheme || uri.authority !== authority) {
    request.uri = uri;
    return;
  }
  request.uri.rawPath = uri.rawPath;
  request.uri.rawQuery = uri.rawQuery;
}

/** Puts a request that a script made in the place of the one that came, of which only its way through gateways stays. */
export function replaceRequest(exchange: Exchange, method: string, uri: string, content: Uint8Array): void {
  const { request } = exchange;
  const place = writtenUri(uri);
  void exchange.client;
  void exchange.router;
  for (const [name] of request.headers.entries())
    if (name !== 'via' && !isForwardingHeader(name)) request.headers.delete(name);
  request.method = method;
  request.uri = place;
  request.upgrade = null;
  request.entity.set(content);
  request.headers.append('Host', request.uri.authority);
}

/** @throws ScriptFault for a method that no request of a script has */
export function checkOwnMethod(method: string): void {
  if (!/^[A-Z][A-Z0-9_-]*$/.test(method) || method === 'CONNECT' || method === 'TRACE')
    throw new ScriptFault(`not a method: ${JSON.stringify(method)}`);
}

/** @throws ScriptFault */
export function checkReason(reason: string): void {
  if (NOT_IN_REASONS.test(reason)) throw new ScriptFault('the reason phrase has a control character');
}

/** @throws ScriptFault for a status that does not end an exchange */
export function checkFinal(response: Response): void {
  if (!response.final) throw new ScriptFault(`${response.status} is not a valid response status`);
}

/** The parts of a message refuse what they may not hold. */
export function valid<T>(change: () => T): T {
  try {
    return change();
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) throw new ScriptFault(error.message);
    throw error;
  }
}
