import { headerBytes, headerText } from '../../../engine/head/header-text.ts';
import type { Headers } from '../../../engine/head/headers.ts';
import { statusText } from '../../../engine/head/status-text.ts';
import type { Exchange } from '../../../engine/message/exchange.ts';
import type { Request } from '../../../engine/message/request.ts';
import { Response } from '../../../engine/message/response.ts';
import { ScriptFault, type Waiting } from '../../script-language.ts';
import { checkFinal, checkReason, headerLines, moveRequest, replaceRequest, valid } from '../../script-messages.ts';
import { HeaderValue } from '../library/gateway/header-values.ts';
import type {
  MessageValue,
  PlainRequest,
  PlainResponse,
  ReceivedLines,
  SentRequest,
} from '../library/gateway/messages.ts';
import type { GMap } from '../values/collections.ts';

/** Characters that Java does not allow in URIs, although clients send them. */
const NOT_IN_URIS = /["<>[\\\]^`{|}]/g;

/** A message that a script kept has no headers any more once its exchange is over. */
function scriptLines(headers: Headers): [string, string[]][] {
  if (!headers.readable) return [];
  return headerLines(headers, (name, value) => [name, [value]]);
}

/** The lines of a name in lower case. */
function linesNamed(headers: Headers, key: string): ReceivedLines | null {
  if (!headers.readable) return null;
  const line = headers.soleLine(key);
  if (line >= 0) {
    const { bytes, base, table } = headers.ranges();
    const name = bytes.latin1Slice(base + table[line]!, base + table[line + 1]!);
    return { first: name, last: name, values: [headerText(headers.valueAt(line))] };
  }
  if (!headers.has(key)) return null;
  const lines = headerLines(headers, (name, value) => ({ name, value })).filter(
    ({ name }) => name.toLowerCase() === key,
  );
  return { first: lines[0]!.name, last: lines.at(-1)!.name, values: lines.map(({ value }) => value) };
}

/** The URI as scripts see it. */
function shownUri({ uri }: Request): string {
  return `${uri.scheme}://${uri.authority}${uri.target.replace(NOT_IN_URIS, encodeURIComponent)}`;
}

/** The request of an exchange, for a script. Its content is read when the script asks for it. */
export function scriptRequest({ request }: Exchange, wait: Waiting): PlainRequest {
  return new ReceivedRequest(request, wait);
}

/** Nothing of it is read before the script asks for it. */
class ReceivedRequest implements PlainRequest {
  readonly source: Request;
  readonly #wait: Waiting;

  constructor(request: Request, wait: Waiting) {
    this.source = request;
    this.#wait = wait;
  }

  get method(): string {
    return this.source.method;
  }

  get uri(): string {
    return shownUri(this.source);
  }

  get headers(): [string, string[]][] {
    return scriptLines(this.source.headers);
  }

  header(name: string): ReceivedLines | null {
    return linesNamed(this.source.headers, name);
  }

  get entity(): () => Promise<Uint8Array> {
    return () => this.#wait(() => this.source.entity.decoded());
  }
}

/** A response of the gateway, for a script. */
export function scriptResponse(response: Response, wait: Waiting): PlainResponse {
  return new ReceivedResponse(response, wait);
}

class ReceivedResponse implements PlainResponse {
  readonly source: Response;
  readonly #wait: Waiting;

  constructor(response: Response, wait: Waiting) {
    this.source = response;
    this.#wait = wait;
  }

  get status(): number {
    return this.source.status;
  }

  get reason(): string {
    return this.source.reason ?? statusText(this.source.status);
  }

  get headers(): [string, string[]][] {
    return scriptLines(this.source.headers);
  }

  header(name: string): ReceivedLines | null {
    return linesNamed(this.source.headers, name);
  }

  get entity(): () => Promise<Uint8Array> {
    return () => this.#wait(() => this.source.entity.decoded());
  }
}

/** Makes the request of the exchange what the script says. @throws ScriptFault for what no request may be */
export function applyRequest(exchange: Exchange, sent: SentRequest): void {
  const { request } = exchange;
  const { message } = sent;
  valid(() => {
    if (message.source !== request) {
      replaceRequest(exchange, sent.method ?? 'GET', sent.uri, sent.entity);
      for (const [name, values] of sent.headers)
        for (const value of values) request.headers.append(name, headerBytes(value));
      return;
    }
    if (sent.method === null) throw new ScriptFault('the request has no method');
    if (sent.method !== request.method) request.method = sent.method;
    if (message.isUriAsked && sent.uri !== shownUri(request)) moveRequest(request, sent.uri);
    if (message.isEntityReplaced) request.entity.set(message.entity.bytes);
    applyHeaders(request.headers, message);
  });
}

/** Writes the headers that a script changed; names that the engine owns stay as they are. */
function applyHeaders(headers: Headers, message: MessageValue): void {
  const now = message.source === null ? message.headers : message.askedHeaders;
  if (now === null) return;
  let kept = 0;
  let made: HeaderValue[] | null = null;
  for (const [key, { value: header }] of now.caseless()) {
    if (!(header instanceof HeaderValue)) continue;
    if (header.receivedBy !== message) (made ??= []).push(header);
    else if (header.receivedKey === key) kept++;
  }
  if (kept < message.received.length) deleteGone(headers, message, now);
  if (made === null) return;
  if (made.length > 1) made.sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1));
  for (const header of made) {
    headers.delete(header.name);
    for (const value of header.values) headers.append(header.name, headerBytes(value));
  }
}

/** Deletes headers that came and that the script took away. */
function deleteGone(headers: Headers, { received }: MessageValue, now: GMap): void {
  const names = new Set<string>();
  for (const [, { value }] of now.caseless()) if (value instanceof HeaderValue) names.add(value.name.toLowerCase());
  for (const { receivedKey: name } of received) if (!names.has(name)) headers.delete(name);
}

/** The response that a script returned. @throws ScriptFault for what no response may be */
export function responseOf(message: MessageValue): Response {
  const { source } = message;
  if (source instanceof Response && !message.isStatusAsked) return valid(() => changedResponse(source, message));
  const { status } = message;
  if (status === null) throw new ScriptFault('the response of the script has no status');
  return valid(() => {
    const response = source instanceof Response ? source : new Response(status.code);
    if (source === null || message.isEntityReplaced) response.entity.set(message.entity.bytes);
    applyHeaders(response.headers, message);
    if (status.code !== response.status || status.reason !== (response.reason ?? statusText(response.status))) {
      checkReason(status.reason);
      response.status = status.code;
      response.reason = status.reason === 'Unknown' || status.reason === statusText(status.code) ? null : status.reason;
    }
    checkFinal(response);
    return response;
  });
}

/** A response that came, whose status the script did not look at. */
function changedResponse(response: Response, message: MessageValue): Response {
  if (message.isEntityReplaced) response.entity.set(message.entity.bytes);
  applyHeaders(response.headers, message);
  checkFinal(response);
  return response;
}
