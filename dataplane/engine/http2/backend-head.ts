import type { BackendOptions } from '../backend/backend-options.ts';
import { forwardedIds, hostOf } from '../backend/backend-request.ts';
import { type EncodedLines, writeLines } from '../frames/encoded-lines.ts';
import { type FrameOutput, headerFramesRoom } from '../frames/frame-output.ts';
import { FRAME_HEADER } from '../frames/frames.ts';
import { blockRoom, type HpackEncoder } from '../frames/hpack-encoder.ts';
import type { Exchange } from '../message/exchange.ts';
import { spells } from '../wire/bytes.ts';

/** Pseudo-header fields, `te`, a length and ids. */
const OWN_FIELDS = 11;
const OWN_BYTES = 128;
/** Lines that make sense in HTTP/1.1 only. */
const OF_ONE_HOP = ['connection', 'host', 'http2-settings', 'keep-alive', 'transfer-encoding', 'upgrade'];

/** Fields of the static table, as they are written. */
const GET = 0x82;
const POST = 0x83;
const HTTP = 0x86;
const HTTPS = 0x87;

/** Where a head goes, and how it is framed there. */
export interface HeadPlace {
  readonly output: FrameOutput;
  readonly encoder: HpackEncoder;
  readonly frameSize: number;
}

/** The same for the heads of requests. */
export interface RequestPlace extends HeadPlace {
  readonly lines: EncodedLines;
}

/**
 * Writes the head of a request for a backend: what the client sent without what belonged to its hop, the edits of the
 * filters, then what the gateway itself says. `announced` is a length that the headers do not say, or -1; `last` says
 * that no content follows.
 */
export function writeRequestHead(
  place: RequestPlace,
  stream: number,
  exchange: Exchange,
  options: BackendOptions,
  announced: number,
  last: boolean,
): void {
  const { output, encoder } = place;
  const { request } = exchange;
  const { headers, method } = request;
  const forwarding = exchange.origin.facts.forwardingLines(exchange, options.forwarding);
  const ids = forwardedIds(exchange);
  const own = ids === null ? 0 : ids.length;
  const target = request.forwardTarget;
  const host = headers.get('host') ?? hostOf(options);
  const length = headers.size + forwarding.length + own + target.length + host.length + method.length + OWN_BYTES;
  const start = begin(place, length, headers.count + (forwarding.length >> 2) + OWN_FIELDS);
  const out = output.bytes;
  let at = writeTarget(encoder, out, start + FRAME_HEADER, method, options.scheme, host, target);
  at = headers.encode(encoder, out, at, 'host');
  if (announced >= 0) at = encoder.text(out, at, 'content-length', String(announced));
  if (headers.dropped('te', 'trailers')) at = encoder.text(out, at, 'te', 'trailers');
  at = place.lines.write(encoder, out, at, forwarding);
  if (ids !== null) at = writeLines(encoder, out, at, ids, 0);
  output.headers(start, at, stream, last, place.frameSize);
}

/**
 * Writes the head of a request that was sent in HTTP/1.1 before, on a connection that turned out dead: `text` is all of
 * it, and written by us. @returns where its content starts; the head ends the stream when there is none.
 */
export function writeReplayedHead(place: HeadPlace, stream: number, text: Buffer, options: BackendOptions): number {
  const { output, encoder } = place;
  const lines = text.indexOf('\r\n') + 2;
  const content = text.indexOf('\r\n\r\n') + 4;
  const [method = '', target = ''] = text.latin1Slice(0, lines).split(' ');
  const start = begin(place, content + OWN_BYTES, countLines(text) + OWN_FIELDS);
  const out = output.bytes;
  const host = hostIn(text.latin1Slice(lines, content)) ?? hostOf(options);
  let at = writeTarget(encoder, out, start + FRAME_HEADER, method, options.scheme, host, target);
  at = writeLines(encoder, out, at, text, lines, isNotOfOneHop);
  output.headers(start, at, stream, content === text.length, place.frameSize);
  return content;
}

/** Writes the lines behind a body. They are the last that is said. */
export function writeTrailers(place: HeadPlace, stream: number, trailers: string): void {
  const { output, encoder } = place;
  const text = Buffer.from(`${trailers}\r\n`, 'latin1');
  const start = begin(place, text.length, countLines(text));
  const at = writeLines(encoder, output.bytes, encoder.begin(output.bytes, start + FRAME_HEADER), text, 0);
  output.headers(start, at, stream, true, place.frameSize);
}

/** @returns where the frame starts. */
function begin({ output, frameSize }: HeadPlace, length: number, fields: number): number {
  output.reserve(headerFramesRoom(blockRoom(length, fields), frameSize));
  return output.at;
}

function writeTarget(
  encoder: HpackEncoder,
  out: Buffer,
  at: number,
  method: string,
  scheme: string,
  host: string,
  target: string,
): number {
  at = encoder.begin(out, at);
  if (method === 'GET') out[at++] = GET;
  else if (method === 'POST') out[at++] = POST;
  else at = encoder.text(out, at, ':method', method);
  out[at++] = scheme === 'https' ? HTTPS : HTTP;
  at = encoder.text(out, at, ':authority', host);
  return encoder.text(out, at, ':path', target);
}

function countLines(text: Buffer): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) if (text[i] === 10) count++;
  return count;
}

function isNotOfOneHop(text: Buffer, start: number, end: number): boolean {
  for (const name of OF_ONE_HOP) if (end - start === name.length && spells(text, start, name)) return false;
  return true;
}

function hostIn(lines: string): string | null {
  return /^host:[ \t]*(.*?)[ \t]*\r$/im.exec(lines)?.[1] ?? null;
}
