import { BAD_HEADER, NEEDS_MORE, NO_HEADER, readProxyHeader } from '../client/proxy-protocol.ts';
import { identifying } from '../client/request-ids.ts';
import { PREFACE } from '../frames/frames.ts';
import type { ListenerLimits } from '../head/limits.ts';
import { LinesMemo } from '../head/lines-memo.ts';
import { MALFORMED } from '../head/message-head.ts';
import { MOST_EMPTY_LINES, scanRequestHead } from '../head/request-head.ts';
import { RequestJudge } from '../head/request-judge.ts';
import { type AskedFor, askedFor, nothingAsked } from '../head/request-line.ts';
import { requestHead } from '../head/scanned-request.ts';
import { requestTrailers } from '../head/trailers.ts';
import { Body, type BodySource } from '../message/body.ts';
import type { Refusal } from '../message/refusal.ts';
import { SLACK } from '../wire/bytes.ts';
import { COUNTER, counters } from '../wire/counters.ts';
import { WaitingBytes } from '../wire/waiting-bytes.ts';
import { type Passed, REFUSED, type Wire } from '../wire/wire.ts';
import { BAD_CHUNK, ChunkDecoder, type ChunkReceiver, ENDING } from './chunked.ts';
import type { RequestReceiver } from './request-receiver.ts';

const PROXY_HEADER = 0;
const HEAD = 1;
const LENGTH = 2;
const CHUNKED = 3;
const OVER = 4;

const PREFACE_LINE = PREFACE.slice(0, PREFACE.indexOf('\n') + 1);

const FOREIGN_LINE = /^(?!PROXY )[A-Z]+ (?![/*]|https?:)[^ \r\n]+ (?!HTTP)/;

/** Bodies with more than this to come are passed on without copies. */
const BULK = 131_072;
/** Requests up to this size may wait for the end of their chunks: each new line of it means to read all of it again. */
const LONGEST_HELD = 4096;

/** Reads the requests of one client, in any segmentation, and refuses whatever could be read in more than one way. */
export class RequestReader implements BodySource, ChunkReceiver {
  /** The bytes of the head that is being read, for a refusal. */
  private head: Buffer | null = null;
  private headStart = 0;
  private headEnd = 0;
  /** The body that is arriving, or null. */
  body: Body | null = null;
  /** The whole body of the current request came with its head. */
  bodyAtHand = true;
  /** The client waits for 100 Continue before it sends its body. */
  expects = false;
  /** The head that was read last is that of a HEAD request: whatever answers it has no content. */
  asksForHead = false;
  /** The body is not read because somebody else is slow. */
  paused = false;
  private readonly wire: Wire;
  private readonly limits: ListenerLimits;
  private readonly receiver: RequestReceiver;
  private phase: number;
  private left = 0;
  private decoder: ChunkDecoder | null = null;
  private partial: Buffer | null = null;
  private partialLength = 0;
  private waiting: WaitingBytes | null = null;
  private readonly judge = new RequestJudge();
  /** The lines sent before, from the second request on: a client that sends one request costs no copy. */
  private lines: LinesMemo | null = null;
  private again = false;

  constructor(wire: Wire, limits: ListenerLimits, receiver: RequestReceiver) {
    this.wire = wire;
    this.limits = limits;
    this.receiver = receiver;
    this.phase = receiver.trusted ? PROXY_HEADER : HEAD;
  }

  /** Part of a head is there; the empty lines that may stand before it are none. */
  get begun(): boolean {
    const { partial, partialLength } = this;
    if (partial === null) return false;
    let p = 0;
    while (p < partialLength && partial[p] === (p % 2 === 0 ? 13 : 10)) p++;
    return p < partialLength || p > 2 * MOST_EMPTY_LINES;
  }

  /** What the head that is being read asks for. */
  get asked(): AskedFor {
    if (this.head !== null) return askedFor(this.head, this.headStart, this.headEnd);
    return this.partial === null ? nothingAsked : askedFor(this.partial, 0, this.partialLength);
  }

  /** Why a head that stays incomplete is refused: what is wrong with it already, or `otherwise`. */
  blame(otherwise: Refusal): Refusal {
    const { partial, limits } = this;
    if (partial === null || this.phase !== HEAD) return otherwise;
    const headEnd = scanRequestHead(partial, 0, this.partialLength, limits, null, false);
    if (headEnd === MALFORMED) return requestHead.refusal;
    if (headEnd < 0) return otherwise;
    // a whole head that waits for the end of its chunks
    return new ChunkDecoder().feed(partial, headEnd, this.partialLength, null) === BAD_CHUNK ? 'chunk' : otherwise;
  }

  /** Further requests wait for the current one to be answered. */
  get pipelined(): boolean {
    return this.waiting !== null && this.waiting.length > 0;
  }

  /** Nothing is read any more; what arrives is thrown away. */
  stop(): void {
    this.phase = OVER;
    this.partial = this.waiting = this.decoder = null;
    this.wire.bulk = false;
    const { body } = this;
    this.body = null;
    body?.fail();
  }

  receive(bytes: Buffer, start: number, end: number): void {
    let p = start;
    while (p < end) {
      switch (this.phase) {
        case HEAD:
          if (this.receiver.busy) {
            this.hold(bytes, p, end);
            return;
          }
          if (this.partial !== null) {
            if (!this.accumulate(bytes, p, end) && this.partialLength <= this.limits.headBytes) return;
            bytes = this.partial.subarray(0, this.partialLength + SLACK);
            p = 0;
            end = this.partialLength;
            this.partial = null;
          } else this.receiver.headBegun();
          p = this.readHead(bytes, p, end);
          break;
        case LENGTH:
          p = this.readLength(bytes, p, end);
          break;
        case CHUNKED:
          p = this.readChunked(bytes, p, end);
          break;
        case PROXY_HEADER:
          this.readProxy(bytes, p, end);
          return;
        default:
          return;
      }
      if (p < 0) return;
    }
  }

  /** Goes on with what was sent ahead. */
  receiveWaiting(): void {
    if (this.phase === OVER) return;
    this.wire.resume();
    this.waiting?.take((bytes, start, end) => this.receive(bytes, start, end));
  }

  /** What was sent ahead, for a connection that becomes something else. */
  takeWaiting(): Buffer | null {
    let early: Buffer | null = null;
    this.waiting?.take((bytes, start, end) => {
      early = bytes.subarray(start, end);
    });
    return early;
  }

  private hold(bytes: Buffer, p: number, end: number): void {
    this.waiting ??= new WaitingBytes();
    this.waiting.add(bytes, p, end);
    if (this.waiting.length > this.limits.pipelineBytes) this.wire.pause();
  }

  /** Adds to what is there of a head. @returns whether a line was completed, so that reading again may find more. */
  private accumulate(bytes: Buffer, p: number, end: number): boolean {
    const length = end - p;
    if (this.partial === null || this.partialLength + length + SLACK > this.partial.length) {
      const before = this.partial === null ? 0 : this.partialLength;
      const larger = Buffer.allocUnsafeSlow((before + length) * 2 + SLACK);
      this.partial?.copy(larger, 0, 0, before);
      this.partial = larger;
      this.partialLength = before;
    }
    bytes.copy(this.partial, this.partialLength, p, end);
    this.partialLength += length;
    this.partial[this.partialLength] = 0;
    return this.partial.subarray(this.partialLength - length, this.partialLength).includes(10);
  }

  private refuse(refusal: Refusal): -1 {
    this.receiver.refuse(refusal);
    return -1;
  }

  private readProxy(bytes: Buffer, p: number, end: number): void {
    if (this.partial !== null) {
      this.accumulate(bytes, p, end);
      bytes = this.partial.subarray(0, this.partialLength + SLACK);
      p = 0;
      end = this.partialLength;
      this.partial = null;
    }
    const header = readProxyHeader(bytes, p, end);
    if (header === NEEDS_MORE) this.accumulate(bytes, p, end);
    else if (header === BAD_HEADER) this.refuse('proxy-header');
    else {
      this.phase = HEAD;
      if (header !== NO_HEADER) {
        p = header.end;
        this.receiver.introduced(header);
      }
      this.receive(bytes, p, end);
    }
  }

  private readHead(bytes: Buffer, p: number, end: number): number {
    this.asksForHead = false;
    this.head = bytes;
    this.headStart = p;
    this.headEnd = end;
    const next = this.judgeHead(bytes, p, end);
    this.head = null;
    return next;
  }

  private judgeHead(bytes: Buffer, p: number, end: number): number {
    const dropsIds = identifying.requests && !this.receiver.trusted;
    const headEnd = scanRequestHead(bytes, p, end, this.limits, this.lines, dropsIds);
    if (headEnd > 0) {
      if (this.again && !requestHead.recalled) {
        this.lines ??= new LinesMemo();
        this.lines.miss(bytes, headEnd, dropsIds); // before anybody edits them
      }
      return this.readRequest(bytes, headEnd, end);
    }
    if (headEnd === MALFORMED) {
      const { refusal } = requestHead;
      if (refusal === 'version' && this.isPreface(bytes, p)) this.receiver.prefaced(bytes, p, end);
      else if (refusal === 'version-syntax' && this.isForeign(bytes, p, end)) this.receiver.hangUp(refusal);
      else return this.refuse(refusal);
    } else this.accumulate(bytes, p, end);
    return -1;
  }

  /** HTTP/2 by prior knowledge begins with a line that no request can be; over TLS it is negotiated before. */
  private isPreface(bytes: Buffer, p: number): boolean {
    if (this.again || !this.limits.http2 || this.receiver.scheme !== 'http') return false;
    return bytes.latin1Slice(p, p + PREFACE_LINE.length) === PREFACE_LINE;
  }

  /** Neither target nor version is one of HTTP/1: a client of another protocol, to whom an answer would be noise. */
  private isForeign(bytes: Buffer, p: number, end: number): boolean {
    return !this.again && this.limits.http2 && FOREIGN_LINE.test(bytes.latin1Slice(p, Math.min(end, p + LONGEST_HELD)));
  }

  /** A whole head: judges what the scan left open, then hands the request on. @returns where its body starts. */
  private readRequest(bytes: Buffer, headEnd: number, end: number): number {
    const head = requestHead;
    const { base } = head;
    const { judge } = this;
    const isSound = judge.judge(bytes, headEnd, this.receiver.scheme, this.limits);
    this.asksForHead = judge.method === 'HEAD';
    if (!isSound) return this.refuse(judge.refusal);
    if (head.chunked) {
      const ahead = new ChunkDecoder(); // what is broken never starts
      const found = ahead.feed(bytes, headEnd, end, null);
      if (this.limits.bodyBytes > 0 && ahead.received > this.limits.bodyBytes) return this.refuse('body-too-large');
      if (found === BAD_CHUNK) return this.refuse('chunk');
      if (found === ENDING && end - base <= LONGEST_HELD) {
        this.accumulate(bytes, base, end); // nothing goes to a backend before the end of the body is seen to be one
        return -1;
      }
      this.bodyAtHand = found >= 0;
      this.decoder = new ChunkDecoder();
      this.body = new Body(this, -1);
      this.phase = CHUNKED;
    } else if (head.length > 0) {
      if (this.limits.bodyBytes > 0 && head.length > this.limits.bodyBytes) return this.refuse('body-too-large');
      this.bodyAtHand = end - headEnd >= head.length;
      this.left = head.length;
      this.body = new Body(this, head.length);
      this.phase = LENGTH;
    } else this.bodyAtHand = true;
    if (this.body !== null) this.body.atHand = this.bodyAtHand;
    this.expects = head.expects;
    this.again = true;
    const version = head.minor === 1 ? 'HTTP/1.1' : 'HTTP/1.0';
    const request = judge.request(bytes, this.receiver.scheme, version, this.body, this.receiver.trusted);
    this.receiver.requested(request, head.close);
    return headEnd;
  }

  private readLength(bytes: Buffer, p: number, end: number): number {
    const stop = end - p < this.left ? end : p + this.left;
    counters.block[COUNTER.bytesReceived]! += stop - p;
    this.left -= stop - p;
    this.body!.push(bytes, p, stop);
    if (this.phase !== LENGTH) return -1; // cut off while it was passed on
    if (this.left === 0) this.complete('');
    else if (this.left > BULK) this.wire.bulk = true;
    return stop;
  }

  private readChunked(bytes: Buffer, p: number, end: number): number {
    const decoder = this.decoder!;
    const stop = decoder.feed(bytes, p, end, this);
    if (this.phase !== CHUNKED) return -1; // refused or cut off on the way
    if (stop === BAD_CHUNK) return this.refuse('chunk');
    if (stop < 0) return end;
    this.decoder = null;
    this.complete(requestTrailers(decoder.trailers, this.limits.trailers));
    return stop;
  }

  chunkData(bytes: Buffer, start: number, end: number): void {
    if (this.phase !== CHUNKED) return;
    counters.block[COUNTER.bytesReceived]! += end - start;
    const { bodyBytes } = this.limits;
    if (bodyBytes > 0 && this.body!.received + end - start > bodyBytes) this.refuse('body-too-large');
    else this.body!.push(bytes, start, end);
  }

  private complete(trailers: string): void {
    this.phase = HEAD;
    this.wire.bulk = false;
    const body = this.body!;
    this.body = null;
    if (this.paused) this.resumeBody(); // nobody resumes what is complete, and the next request waits behind it
    body.finish(trailers);
    this.receiver.bodyComplete();
  }

  /** A bulk read: passed on as it is where that is possible. */
  passes(bytes: Buffer, length: number): Passed {
    if (this.phase !== LENGTH || length > this.left) return REFUSED;
    const passed = this.body!.passDirect(bytes, length);
    if (passed === REFUSED) return REFUSED;
    counters.block[COUNTER.bytesReceived]! += length;
    this.left -= length;
    if (this.left === 0 && this.phase === LENGTH) this.complete('');
    return passed;
  }

  // ---- as the source of a body

  pauseBody(): void {
    this.paused = true;
    this.wire.pause();
  }

  resumeBody(): void {
    this.paused = false;
    this.wire.resume();
  }

  /** Nobody wants the rest: it is read and thrown away until the answer is out. */
  abandonBody(): void {
    this.resumeBody();
  }

  bodyWanted(): void {
    if (this.expects) this.receiver.askForBody();
  }
}
