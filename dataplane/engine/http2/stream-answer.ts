import type { HeadWriter } from '../frames/head-writer.ts';
import { answeredIdOf } from '../http1/answer.ts';
import type { Body } from '../message/body.ts';
import type { Exchange } from '../message/exchange.ts';
import type { Response } from '../message/response.ts';
import { httpDate } from '../wire/clock.ts';

/** The stream that an answer goes out on. */
export interface AnsweringStream {
  readonly id: number;
  readonly heads: HeadWriter;
  /** Sends content that is all there is, and with it the end. */
  sendContent(bytes: Buffer, start: number, end: number): void;
}

/**
 * Writes the head of an answer, with its content where that is at hand; a head without content ends the stream.
 * @returns what is still to be sent: a body that arrives, a stream, or null when nothing is left.
 */
export function writeStreamAnswer(
  stream: AnsweringStream,
  exchange: Exchange | null,
  response: Response,
  toHead = exchange?.request.method === 'HEAD',
): Body | AsyncIterable<Uint8Array> | null {
  const { status, headers } = response;
  const entity = response.touchedEntity;
  const body = entity === null ? response.incomingBody : entity.incoming;
  const content = entity === null ? null : entity.whole;
  const made = entity === null ? null : entity.replacement;
  const bodiless = status === 204 || status === 304 || toHead;
  const intact =
    entity === null ? body !== null || bodiless || headers.contentLength > 0 : !entity.replaced && body !== null;
  const asReceived = response.fromBackend && intact; // a filter may have made a bodiless answer one that is not
  if (bodiless && headers.contentLength > 0) headers.takeContent();
  const along = headers.contentLength;
  const length =
    content !== null ? content.length : body !== null ? body.length : made !== null ? entity!.announcedLength : along;

  const { heads, id } = stream;
  const requestId = exchange === null ? null : answeredIdOf(exchange, response);
  heads.begin(status, headers);
  if (asReceived) heads.headers(headers, status === 204 ? 'content-length' : '');
  else {
    heads.headers(headers, 'content-length');
    if (status !== 204 && status !== 304 && length >= 0) heads.text('content-length', String(length));
    if (!response.fromBackend && !headers.has('date')) heads.text('date', httpDate());
  }
  if (requestId !== null) heads.text('x-request-id', requestId);
  const rest = bodiless ? null : (body ?? made);
  const inline = bodiless ? 0 : (content?.length ?? along);
  heads.end(id, rest === null && inline === 0);
  if (inline > 0) {
    if (content !== null) stream.sendContent(content, 0, inline);
    else {
      const { bytes, start } = headers.contentAt();
      stream.sendContent(bytes, start, start + along);
    }
  }
  headers.release();
  if (bodiless) response.abandon();
  return rest;
}

/**
 * Writes the head that agrees to another protocol: in HTTP/2 that is a plain success. `proof` is what the client wants to
 * hear with it; what the backend proved concerns our own key.
 */
export function writeSwitch({ heads, id }: AnsweringStream, { headers }: Response, proof: string | null): void {
  headers.remove('upgrade');
  headers.remove('content-length');
  heads.begin(200, headers);
  heads.headers(headers, 'sec-websocket-accept');
  if (proof !== null) heads.text('sec-websocket-accept', proof);
  heads.end(id, false);
  headers.release();
}
