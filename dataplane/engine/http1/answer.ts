import type { Headers } from '../head/headers.ts';
import { statusText } from '../head/status-text.ts';
import type { Body } from '../message/body.ts';
import type { Exchange } from '../message/exchange.ts';
import type { Response } from '../message/response.ts';
import { isFieldValue } from '../wire/bytes.ts';
import { httpDate } from '../wire/clock.ts';
import { output, reserve, wrote } from '../wire/turn.ts';
import type { Wire } from '../wire/wire.ts';
import type { AnswerSender } from './answer-sender.ts';

/** The connection that an answer goes out on. */
export interface AnsweringConnection {
  readonly wire: Wire;
  readonly sender: AnswerSender;
  /** The connection is closed when the current answer is out. */
  closing: boolean;
}

/**
 * Writes the head of an answer, with its content where that is at hand, and decides its framing.
 * @returns what is still to be sent: a body that arrives, a stream, or null when nothing is left.
 */
export function writeAnswer(
  connection: AnsweringConnection,
  exchange: Exchange | null,
  response: Response,
  toHead = exchange?.request.method === 'HEAD',
): Body | AsyncIterable<Uint8Array> | null {
  const { status, headers } = response;
  const entity = response.touchedEntity;
  const body = entity === null ? response.incomingBody : entity.incoming;
  const content = entity === null ? null : entity.whole;
  const stream = entity === null ? null : entity.replacement;
  const modern = exchange === null || exchange.request.version === 'HTTP/1.1';
  const interim = status < 200;
  const bodiless = interim || status === 204 || status === 304 || toHead;
  const intact =
    entity === null ? body !== null || bodiless || headers.contentLength > 0 : !entity.replaced && body !== null;
  const asReceived = response.fromBackend && intact; // a filter may have made a bodiless answer one that is not
  if (bodiless && headers.contentLength > 0) headers.takeContent(); // a filter made it bodiless
  const along = headers.contentLength;
  const length =
    content !== null ? content.length : body !== null ? body.length : stream !== null ? entity!.announcedLength : along;

  let lines = '';
  if (!asReceived && !interim) {
    headers.remove('content-length');
    headers.remove('transfer-encoding');
    headers.remove('connection');
    if (status !== 204 && status !== 304 && length >= 0) lines = `Content-Length: ${length}\r\n`;
    if (!response.fromBackend && !headers.has('date')) lines += `Date: ${httpDate()}\r\n`;
  } else if (interim || status === 204) headers.remove('content-length');
  const chunked = !bodiless && length < 0 && modern;
  if (chunked) lines += 'Transfer-Encoding: chunked\r\n';
  if (!bodiless && length < 0 && !modern) connection.closing = true;
  if (status === 101) lines += 'Connection: Upgrade\r\n';
  else if (response.refusal === 'websocket-version') lines += upgradeRequired(connection.closing);
  else if (connection.closing) lines += 'Connection: close\r\n';
  else if (!modern) lines += 'Connection: keep-alive\r\n';

  if (exchange !== null && !interim) lines += answeredId(exchange, response);

  const inline = content !== null && !bodiless ? content : null;
  const { wire } = connection;
  reserve(wire, headers.size + lines.length + (inline?.length ?? 0) + 64 + (response.reason?.length ?? 0));
  const out = output.bytes;
  const start = output.at;
  let at = start;
  if (response.lineIntact) {
    at = headers.write(out, at, true, lines);
    out[start + 7] = 49; // a backend may speak HTTP/1.0; we speak HTTP/1.1
  } else {
    const reason = response.reason !== null && isFieldValue(response.reason) ? response.reason : statusText(status);
    at += out.latin1Write(`HTTP/1.1 ${status} ${reason}\r\n`, at);
    at = headers.write(out, at, false, lines);
  }
  if (inline !== null) at += inline.copy(out, at);
  wrote(wire, at - start);

  const { sender } = connection;
  sender.chunked = chunked;
  sender.bodiless = bodiless;
  sender.sent += inline?.length ?? along;
  headers.release();
  if (bodiless) {
    if (!interim) response.abandon();
    return null;
  }
  return body ?? stream;
}

/**
 * The id of the request for its client, which can name it to an operator: in errors and in what the gateway answers by
 * itself. Answers of backends that are no errors pass as they are.
 */
function answeredId(exchange: Exchange, response: Response): string {
  const id = answeredIdOf(exchange, response);
  return id === null ? '' : `X-Request-Id: ${id}\r\n`;
}

/** The same without the name of the header. What a backend or a filter wrote under it is removed. */
export function answeredIdOf(exchange: Exchange, response: Response): string | null {
  if (response.status < 400 && response.fromBackend) return null;
  const { ids } = exchange;
  if (ids === null) return null;
  response.headers.remove('x-request-id');
  return ids.requestId;
}

/** What a client must speak to be served (RFC 9110 §15.5.22). */
function upgradeRequired(last: boolean): string {
  return `Connection: ${last ? 'close, ' : ''}Upgrade\r\nUpgrade: websocket\r\n`;
}

/** The head of an interim answer, which never has content: a length would make a reader take the answer for it. */
export function interimHead(status: number, reason: string, headers: Headers): string {
  let text = `HTTP/1.1 ${status} ${reason}\r\n`;
  headers.each((name, value) => {
    if (name !== 'content-length') text += `${name}: ${value}\r\n`;
  });
  return `${text}\r\n`;
}
