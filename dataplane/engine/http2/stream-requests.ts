import { randomBytes } from 'node:crypto';
import type { ClientFacts } from '../client/client-facts.ts';
import type { ConnectionOwner } from '../client/connection-owner.ts';
import { identifying } from '../client/request-ids.ts';
import { ERROR, FLAG } from '../frames/frames.ts';
import type { HeaderBlock } from '../frames/header-block.ts';
import { type FieldSink, HpackDecoder, INITIAL_TABLE_SIZE } from '../frames/hpack-decoder.ts';
import type { ListenerLimits } from '../head/limits.ts';
import { LinesMemo } from '../head/lines-memo.ts';
import { MALFORMED } from '../head/message-head.ts';
import { scanRequestHead } from '../head/request-head.ts';
import { RequestJudge } from '../head/request-judge.ts';
import { requestHead } from '../head/scanned-request.ts';
import { requestTrailers } from '../head/trailers.ts';
import { acceptFor } from '../websocket/accept-key.ts';
import type { ClientStream } from './client-stream.ts';
import type { ClosedStreams } from './closed-streams.ts';
import { RequestFields } from './request-fields.ts';
import { TrailerFields } from './trailer-fields.ts';

/** The protocol that an extended CONNECT may ask for. */
const WEBSOCKET = 'websocket';

/** All sessions share them, because a block is decoded and judged in one go. */
const fields = new RequestFields();
const trailers = new TrailerFields();
/** For blocks that nobody wants: the table must stay in step all the same. */
const nobody: FieldSink = { field() {} };

/** The connection whose requests are read. */
export interface StreamRequestsOwner {
  readonly listener: ConnectionOwner;
  readonly facts: ClientFacts;
  /** Those that are open. */
  readonly streams: ReadonlyMap<number, ClientStream>;
  readonly closed: ClosedStreams;
  /** The newest stream that the client opened. */
  lastStream: number;
  /** Whether a stream that the client begins is taken. */
  readonly takes: boolean;
  /** A request that the client began is to be read. */
  open(id: number): ClientStream;
  /** A stream is not taken: it is read no further. */
  decline(id: number, code: number): void;
}

/** Turns the header blocks of one client into requests and trailers. */
export class StreamRequests {
  /** How many requests came. */
  count = 0;
  private readonly session: StreamRequestsOwner;
  private readonly limits: ListenerLimits;
  private readonly decoder = new HpackDecoder(INITIAL_TABLE_SIZE);
  private readonly judge = new RequestJudge();
  private lines: LinesMemo | null = null;

  constructor(session: StreamRequestsOwner) {
    this.session = session;
    this.limits = session.listener.limits;
  }

  /** Reads a whole block. @returns NO_ERROR or why the connection ends. */
  read(block: HeaderBlock): number {
    const { session } = this;
    const { stream: id, flags } = block;
    const last = (flags & FLAG.END_STREAM) !== 0;
    const known = session.streams.get(id);
    if (known !== undefined) return this.readTrailers(known, block, last);
    if (id <= session.lastStream) return this.readLate(id, block);
    session.lastStream = id;
    this.count++;
    if (!session.takes) return this.discard(id, block, ERROR.REFUSED_STREAM);
    if (block.dependency === id) return this.discard(id, block, ERROR.PROTOCOL_ERROR);
    fields.begin(this.limits.headBytes);
    if (!this.decoder.decode(block.bytes, block.start, block.end, fields)) return ERROR.COMPRESSION_ERROR;
    fields.finish();
    const stream = session.open(id);
    stream.requestDone = last;
    if (fields.malformed) {
      this.refuseMalformed(stream);
    } else this.readRequest(stream, last);
    return ERROR.NO_ERROR;
  }

  private readRequest(stream: ClientStream, last: boolean): void {
    const { session, limits, judge } = this;
    const { facts, listener } = session;
    if (fields.refusal === null && fields.protocol !== null && fields.protocol !== WEBSOCKET)
      fields.refusal = 'connect';
    if (fields.refusal !== null) {
      stream.refuseHead(fields.refusal, fields.asked());
      return;
    }
    // a trusted proxy may have ended TLS before us
    if ((listener.scheme === 'https') !== fields.isSecure && !facts.proxied) {
      stream.refuseHead('scheme', fields.asked());
      return;
    }
    const { bytes, start, end } = fields;
    const dropsIds = identifying.requests && !facts.trusted;
    const headEnd = scanRequestHead(bytes, start, end, limits, this.lines, dropsIds);
    if (headEnd !== end) {
      stream.refuseHead(headEnd === MALFORMED ? requestHead.refusal : 'header-line', fields.asked());
      return;
    }
    if (!requestHead.recalled && this.count > 1) {
      this.lines ??= new LinesMemo(); // from the second request on: a client that sends one costs no copy
      this.lines.miss(bytes, headEnd, dropsIds); // before anybody edits them
    }
    if (!judge.judge(bytes, headEnd, listener.scheme, limits)) {
      stream.refuseHead(judge.refusal, fields.asked());
      return;
    }
    const { length, expects } = requestHead;
    if (length > 0 && (last || fields.protocol !== null)) {
      this.refuseMalformed(stream);
      return;
    }
    if (limits.bodyBytes > 0 && length > limits.bodyBytes) {
      stream.refuseHead('body-too-large', fields.asked());
      return;
    }
    const { protocol } = fields;
    const body = last || protocol !== null ? null : stream.expectContent(length, expects);
    const request = judge.request(bytes, listener.scheme, 'HTTP/2', body, facts.trusted);
    if (protocol !== null) {
      request.upgrade = WEBSOCKET;
      // HTTP/2 needs no proof that the answer belongs to the request, but some clients want one
      stream.expectTunnel(acceptFor(request.headers.get('sec-websocket-key') ?? ''));
      // the handshake with the backend is ours
      request.headers.set('Sec-WebSocket-Key', randomBytes(16).toString('base64'));
    }
    stream.requested(request);
  }

  private refuseMalformed(stream: ClientStream): void {
    const { listener, facts } = this.session;
    listener.refusedHead({ status: 400, sent: 0, facts }, fields.asked(), 'malformed');
    stream.reset(ERROR.PROTOCOL_ERROR, 'malformed');
  }

  private readTrailers(stream: ClientStream, block: HeaderBlock, last: boolean): number {
    trailers.begin();
    if (!this.decoder.decode(block.bytes, block.start, block.end, trailers)) return ERROR.COMPRESSION_ERROR;
    if (stream.requestDone) stream.reset(ERROR.STREAM_CLOSED, 'malformed');
    else if (!last || trailers.malformed) stream.reset(ERROR.PROTOCOL_ERROR, 'malformed');
    else stream.ended(requestTrailers(trailers.text, this.limits.trailers));
    return ERROR.NO_ERROR;
  }

  /** A block for a stream that is closed, or was never opened and cannot be any more. */
  private readLate(id: number, block: HeaderBlock): number {
    const { closed } = this.session;
    if (!closed.isOurs(id)) return closed.has(id) ? ERROR.STREAM_CLOSED : ERROR.PROTOCOL_ERROR;
    return this.decoder.decode(block.bytes, block.start, block.end, nobody) ? ERROR.NO_ERROR : ERROR.COMPRESSION_ERROR;
  }

  private discard(id: number, block: HeaderBlock, code: number): number {
    if (!this.decoder.decode(block.bytes, block.start, block.end, nobody)) return ERROR.COMPRESSION_ERROR;
    this.session.decline(id, code);
    return ERROR.NO_ERROR;
  }
}
