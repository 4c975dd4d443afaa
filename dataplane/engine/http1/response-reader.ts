import { Headers } from '../head/headers.ts';
import { INCOMPLETE, MALFORMED } from '../head/message-head.ts';
import { responseHead, scanResponseHead } from '../head/response-head.ts';
import { Body, type BodySource } from '../message/body.ts';
import type { Refusal } from '../message/refusal.ts';
import { Response } from '../message/response.ts';
import { SLACK } from '../wire/bytes.ts';
import { type Passed, REFUSED, type Wire } from '../wire/wire.ts';
import { BAD_CHUNK, ChunkDecoder, type ChunkReceiver } from './chunked.ts';

const NOTHING = 0;
const HEAD = 1;
const LENGTH = 2;
const CHUNKED = 3;
const UNTIL_CLOSE = 4;

/** Bodies with more than this to come are passed on without copies. */
const BULK = 131_072;
/** Where the reason starts in a status line that ends with its status. */
const BARE_STATUS = 'HTTP/1.1 200'.length;
/** Heads longer than this are read by lines when they come in pieces. */
const LONG_HEAD = 2048;
/** Interim answers a backend may send before its answer. */
const MOST_INTERIM = 16;
/** The type of a frame of HTTP/2. */
const SETTINGS = 4;
const IN_HTTP2 =
  "the response is HTTP/2: set protocolVersion to 'HTTP/2', and http2PriorKnowledge where there is no TLS";

/** Receiver of the responses of a backend. */
export interface ResponseReceiver extends BodySource {
  /** The method that is being answered decides whether there is a body. */
  readonly method: string;
  interim(status: number, reason: string, headers: Headers): void;
  /** The answer, with a body that follows or without one. `last`: the connection ends with it. */
  answered(response: Response, last: boolean, complete: boolean): void;
  /** The backend switched protocols; `early` is what it sent on. */
  switched(response: Response, early: Buffer | null): void;
  /** The body is complete. `clean` when nothing came after it. */
  completed(body: Body, trailers: string, clean: boolean): void;
  refuse(refusal: Refusal, reason?: string): void;
}

/** Reads the answers of one backend as strictly as requests are read: a doubtful answer is none. */
export class ResponseReader implements ChunkReceiver {
  private readonly receiver: ResponseReceiver;
  private readonly headBytes: number;
  private state = NOTHING;
  private body: Body | null = null;
  private left = 0;
  private decoder: ChunkDecoder | null = null;
  private partial: Buffer | null = null;
  private partialLength = 0;
  private interims = 0;

  constructor(receiver: ResponseReceiver, headBytes: number) {
    this.receiver = receiver;
    this.headBytes = headBytes;
  }

  /** A request was sent: its answer comes next. */
  expect(): void {
    this.state = HEAD;
    this.interims = 0;
  }

  /** Not a byte of the answer has come. */
  get untouched(): boolean {
    return this.state === HEAD && this.partial === null && this.interims === 0;
  }

  /** The end of the connection is the end of the body. */
  get endsWithConnection(): boolean {
    return this.state === UNTIL_CLOSE;
  }

  /** Nothing is read any more. @returns the body that was arriving. */
  stop(): Body | null {
    const { body } = this;
    this.state = NOTHING;
    this.body = this.decoder = this.partial = null;
    return body;
  }

  /** @returns false when nobody asked for these bytes. */
  receive(wire: Wire, bytes: Buffer, start: number, end: number): boolean {
    let p = start;
    while (p < end && p >= 0) {
      switch (this.state) {
        case HEAD:
          if (this.partial !== null) {
            if (!this.extend(bytes, p, end)) return true;
            bytes = this.partial;
            p = 0;
            end = this.partialLength;
            this.partial = null;
          }
          p = this.readHead(bytes, p, end);
          break;
        case LENGTH:
          p = this.readLength(wire, bytes, p, end);
          break;
        case CHUNKED:
          p = this.readChunked(bytes, p, end);
          break;
        case UNTIL_CLOSE:
          this.body!.push(bytes, p, end);
          return true;
        default:
          return false;
      }
    }
    return true;
  }

  /**
   * Adds to what is there of a head. @returns whether to read it again: a long one only when a line has become whole,
   * because reading it again for every byte takes its length squared.
   */
  private extend(bytes: Buffer, p: number, end: number): boolean {
    const length = this.partialLength + end - p;
    if (length + SLACK > this.partial!.length) {
      const larger = Buffer.allocUnsafeSlow(length * 2 + SLACK);
      this.partial!.copy(larger, 0, 0, this.partialLength);
      this.partial = larger;
    }
    bytes.copy(this.partial!, this.partialLength, p, end);
    this.partial![length] = 0;
    this.partialLength = length;
    return length < LONG_HEAD || length > this.headBytes || bytes.subarray(p, end).includes(10);
  }

  private refuse(refusal: Refusal, reason?: string): -1 {
    this.receiver.refuse(refusal, reason);
    return -1;
  }

  private readHead(bytes: Buffer, p: number, end: number): number {
    const headEnd = scanResponseHead(bytes, p, end);
    if (headEnd === MALFORMED) return this.refuse('backend-malformed', isHttp2(bytes, p, end) ? IN_HTTP2 : undefined);
    if ((headEnd === INCOMPLETE ? end : headEnd) - p > this.headBytes) return this.refuse('backend-head-too-large');
    if (headEnd === INCOMPLETE) {
      this.partial = Buffer.allocUnsafeSlow((end - p) * 2 + SLACK);
      this.partialLength = bytes.copy(this.partial, 0, p, end);
      return -1;
    }
    const head = responseHead;
    if (head.status >= 200) return this.readAnswer(bytes, headEnd, end);
    const headers = scanned(bytes, headEnd, 0);
    if (head.status === 101) {
      if (head.upgradeLine >= 0) headers.restore((name) => name === 'upgrade');
      this.state = NOTHING;
      const early = headEnd < end ? Buffer.from(bytes.subarray(headEnd, end)) : null;
      this.receiver.switched(answer(headers, null), early);
      return -1;
    }
    if (++this.interims > MOST_INTERIM) return this.refuse('backend-malformed');
    const reason = bytes.latin1Slice(head.base + head.reasonStart, head.base + head.reasonEnd);
    this.receiver.interim(head.status, reason, headers);
    return headEnd;
  }

  private readAnswer(bytes: Buffer, headEnd: number, end: number): number {
    const { status, chunked, length, close } = responseHead;
    const bodiless = status === 204 || status === 304 || this.receiver.method === 'HEAD';
    if (bodiless || (length >= 0 && length <= end - headEnd)) {
      // the whole answer is here: its content goes out with its head
      const content = bodiless ? 0 : length;
      this.state = NOTHING;
      this.receiver.answered(answer(scanned(bytes, headEnd, content), null), close || headEnd + content < end, true);
      return -1;
    }
    if (chunked && new ChunkDecoder().feed(bytes, headEnd, end, null) === BAD_CHUNK) {
      return this.refuse('backend-malformed'); // known before anything is passed on: a clean refusal
    }
    const body = new Body(this.receiver, length);
    this.body = body;
    this.left = length;
    this.decoder = chunked ? new ChunkDecoder() : null;
    this.state = chunked ? CHUNKED : length > 0 ? LENGTH : UNTIL_CLOSE;
    this.receiver.answered(answer(scanned(bytes, headEnd, 0), body), close || this.state === UNTIL_CLOSE, false);
    return headEnd;
  }

  private readLength(wire: Wire, bytes: Buffer, p: number, end: number): number {
    const body = this.body!;
    const stop = end - p < this.left ? end : p + this.left;
    this.left -= stop - p;
    body.push(bytes, p, stop);
    if (this.body !== body) return -1; // given up while it was passed on
    if (this.left === 0) return this.complete(body, '', stop === end);
    if (this.left > BULK) wire.bulk = true;
    return stop;
  }

  private readChunked(bytes: Buffer, p: number, end: number): number {
    const decoder = this.decoder!;
    const body = this.body!;
    const stop = decoder.feed(bytes, p, end, this);
    if (this.body !== body) return -1;
    if (stop === BAD_CHUNK) return this.refuse('backend-malformed');
    return stop < 0 ? end : this.complete(body, decoder.trailers, stop === end);
  }

  chunkData(bytes: Buffer, start: number, end: number): void {
    this.body?.push(bytes, start, end);
  }

  private complete(body: Body, trailers: string, clean: boolean): -1 {
    this.stop();
    this.receiver.completed(body, trailers, clean);
    return -1;
  }

  passes(bytes: Buffer, length: number): Passed {
    if (this.state !== LENGTH || length > this.left) return REFUSED;
    const body = this.body!;
    const passed = body.passDirect(bytes, length);
    if (passed === REFUSED) return REFUSED;
    this.left -= length;
    if (this.left === 0 && this.body === body) this.complete(body, '', true);
    return passed;
  }
}

/** Whether it begins as everybody begins who speaks HTTP/2: with a SETTINGS frame. */
function isHttp2(bytes: Buffer, start: number, end: number): boolean {
  return end - start >= 9 && bytes[start] === 0 && bytes[start + 3] === SETTINGS && bytes.readUInt32BE(start + 5) === 0;
}

/** The headers that were scanned last, with the content that goes out with them. */
function scanned(bytes: Buffer, headEnd: number, content: number): Headers {
  return new Headers(bytes, responseHead.base, headEnd - responseHead.base - 2, responseHead, content);
}

/** The answer whose head was scanned last. */
function answer(headers: Headers, body: Body | null): Response {
  const { status, reasonStart } = responseHead;
  const response = new Response(status, headers, body, status);
  if (reasonStart === BARE_STATUS) response.reason = ''; // the line lacks a space that we must send (RFC 9112 §4)
  return response;
}
