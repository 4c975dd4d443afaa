import { controlFrameError } from '../frames/control-frames.ts';
import type { FlowWindow } from '../frames/flow-window.ts';
import type { FrameOutput } from '../frames/frame-output.ts';
import { FrameReader, type FrameReceiver } from '../frames/frame-reader.ts';
import { ERROR, FLAG, FRAME, PREFACE, read31, USUAL_FRAME_SIZE } from '../frames/frames.ts';
import type { HeadWriter } from '../frames/head-writer.ts';
import { BLOCK_OPEN, BLOCK_WHOLE, HeaderBlock } from '../frames/header-block.ts';
import { PeerSettings } from '../frames/settings.ts';
import { clock } from '../wire/clock.ts';
import type { ClientStream } from './client-stream.ts';
import { FloodGuard } from './flood-guard.ts';
import { StreamRequests, type StreamRequestsOwner } from './stream-requests.ts';

/** The connection whose frames are read. */
export interface ClientFramesOwner extends StreamRequestsOwner {
  readonly output: FrameOutput;
  readonly heads: HeadWriter;
  readonly window: FlowWindow;
  /** Bytes that came were taken: the client may send as many again. */
  giveBack(stream: ClientStream | null, length: number): void;
  /** Streams that waited for a window go on. */
  resumeStalled(): void;
  /** The client answered a ping. */
  pinged(bytes: Buffer, start: number): void;
  /** No further stream is taken; the connection ends with the last one. */
  leave(): void;
  /** The connection cannot go on. */
  fail(code: number): void;
}

/** Reads what one client sends, frame by frame, and ends the connection when it breaks a rule or sends too much. */
export class ClientFrames implements FrameReceiver {
  /** What the client has said about itself. */
  readonly peer = new PeerSettings();
  /** The client has acknowledged our settings. */
  acknowledged = false;
  private readonly session: ClientFramesOwner;
  private readonly reader: FrameReader;
  private readonly block: HeaderBlock;
  private readonly requests: StreamRequests;
  private readonly guard: FloodGuard;
  private prefaceLeft = PREFACE.length;
  /** The client has begun with its settings, as it must. */
  private introduced = false;
  /** The stream of the DATA frame that is being read, or null when it is thrown away. */
  private receiver: ClientStream | null = null;
  private frameLength = 0;

  constructor(session: ClientFramesOwner) {
    const { limits } = session.listener;
    this.session = session;
    this.reader = new FrameReader(this, USUAL_FRAME_SIZE);
    this.block = new HeaderBlock(2 * limits.headBytes + USUAL_FRAME_SIZE, limits.headerFrames);
    this.requests = new StreamRequests(session);
    this.guard = new FloodGuard(limits);
  }

  receive(bytes: Buffer, start: number, end: number): void {
    const from = this.prefaceLeft > 0 ? this.readPreface(bytes, start, end) : start;
    if (from >= 0) this.reader.receive(bytes, from, end);
  }

  /** Part of a header block, or of any frame but DATA, is there. */
  get gathers(): boolean {
    return this.reader.gathers || this.block.stream !== 0;
  }

  /** Nothing is read any more. */
  stop(): void {
    this.reader.stop();
  }

  /** A frame of content was sent, which the client may have something to say about. */
  contentSent(): void {
    this.guard.content();
  }

  /** @returns where frames start, or -1 when this is no HTTP/2. */
  private readPreface(bytes: Buffer, start: number, end: number): number {
    while (this.prefaceLeft > 0 && start < end) {
      if (bytes[start++] !== PREFACE.charCodeAt(PREFACE.length - this.prefaceLeft--)) {
        this.broken(ERROR.PROTOCOL_ERROR);
        return -1;
      }
    }
    return start;
  }

  private broken(code: number): void {
    this.session.fail(code);
  }

  brokenFrame(code: number): void {
    this.broken(code);
  }

  private idleFrame(): void {
    if (!this.guard.idleFrame(clock.now)) this.broken(ERROR.ENHANCE_YOUR_CALM);
  }

  // ---- whole frames

  frame(type: number, flags: number, id: number, bytes: Buffer, start: number, end: number): void {
    const isFirst = !this.introduced && (type !== FRAME.SETTINGS || (flags & FLAG.ACK) !== 0);
    if (isFirst || (this.block.stream !== 0 && type !== FRAME.CONTINUATION)) this.broken(ERROR.PROTOCOL_ERROR);
    else if (type === FRAME.HEADERS) {
      if ((id & 1) === 0) this.broken(ERROR.PROTOCOL_ERROR);
      else this.headers(this.block.headers(flags, id, bytes, start, end));
    } else if (type === FRAME.CONTINUATION) this.headers(this.block.continuation(flags, id, bytes, start, end));
    else {
      const error = controlFrameError(type, flags, id, end - start);
      if (error !== ERROR.NO_ERROR) this.broken(error);
      else this.control(type, flags, id, bytes, start, end);
    }
  }

  private control(type: number, flags: number, id: number, bytes: Buffer, start: number, end: number): void {
    switch (type) {
      case FRAME.RST_STREAM:
        this.reset(id);
        return;
      case FRAME.WINDOW_UPDATE:
        this.windowUpdate(id, read31(bytes, start));
        break;
      case FRAME.SETTINGS:
        this.introduced = true;
        if ((flags & FLAG.ACK) !== 0) this.acknowledged = true;
        else this.settings(bytes, start, end);
        break;
      case FRAME.PING:
        if ((flags & FLAG.ACK) === 0) this.session.output.pingAck(bytes, start);
        else this.session.pinged(bytes, start);
        break;
      case FRAME.PRIORITY:
        this.priority(id, bytes, start, end);
        break;
      case FRAME.GOAWAY:
        this.session.leave();
        break;
      case FRAME.PUSH_PROMISE:
        this.broken(ERROR.PROTOCOL_ERROR);
        return;
      default: // what is not known means nothing
    }
    this.idleFrame();
  }

  private headers(outcome: number): void {
    if (outcome === BLOCK_OPEN) return;
    if (outcome !== BLOCK_WHOLE) {
      this.broken(outcome);
      return;
    }
    const { session, requests } = this;
    const error = requests.read(this.block);
    const { requestsPerConnection } = session.listener.limits;
    this.block.done();
    if (error !== ERROR.NO_ERROR) this.broken(error);
    else if (requestsPerConnection > 0 && requests.count >= requestsPerConnection) session.leave();
  }

  private reset(id: number): void {
    const stream = this.session.streams.get(id);
    if (id > this.session.lastStream) this.broken(ERROR.PROTOCOL_ERROR);
    else if (stream === undefined) this.idleFrame();
    else {
      const isAnswered = stream.status !== 0;
      stream.cancel(false);
      if (!isAnswered) this.countReset();
    }
  }

  /** A request came to nothing, and the client knew that it would. */
  countReset(): void {
    if (!this.guard.reset(clock.now)) this.broken(ERROR.ENHANCE_YOUR_CALM);
  }

  private windowUpdate(id: number, increment: number): void {
    const { session } = this;
    if (id === 0) {
      if (increment === 0) this.broken(ERROR.PROTOCOL_ERROR);
      else if (!session.window.widen(increment)) this.broken(ERROR.FLOW_CONTROL_ERROR);
      else session.resumeStalled();
      return;
    }
    const stream = session.streams.get(id);
    if (id > session.lastStream) this.broken(ERROR.PROTOCOL_ERROR);
    else if (stream === undefined) return;
    else if (increment === 0) stream.reset(ERROR.PROTOCOL_ERROR, 'malformed');
    else if (!stream.window.widen(increment)) stream.reset(ERROR.FLOW_CONTROL_ERROR, 'malformed');
    else stream.windowOpened();
  }

  private settings(bytes: Buffer, start: number, end: number): void {
    const { session, peer } = this;
    const before = peer.initialWindowSize;
    const error = peer.read(bytes, start, end);
    if (error !== ERROR.NO_ERROR) {
      this.broken(error);
      return;
    }
    session.heads.encoder.tableSize(peer.headerTableSize);
    session.output.settingsAck();
    const by = peer.initialWindowSize - before;
    if (by === 0) return;
    for (const stream of session.streams.values()) {
      if (!stream.window.widen(by)) {
        this.broken(ERROR.FLOW_CONTROL_ERROR);
        return;
      }
    }
    if (by > 0) session.resumeStalled();
  }

  /** Priorities are not kept; what must be wrong about them is. */
  private priority(id: number, bytes: Buffer, start: number, end: number): void {
    if (id === 0) this.broken(ERROR.PROTOCOL_ERROR);
    else if (end - start !== 5) this.resetStream(id, ERROR.FRAME_SIZE_ERROR);
    else if (read31(bytes, start) === id) this.resetStream(id, ERROR.PROTOCOL_ERROR);
  }

  /** Ends a stream with an error, whether or not it is open. */
  resetStream(id: number, code: number): void {
    const stream = this.session.streams.get(id);
    if (stream !== undefined) stream.reset(code, 'malformed');
    else {
      this.session.output.reset(id, code);
      this.idleFrame();
    }
  }

  // ---- content

  dataBegins(id: number, flags: number, length: number): void {
    const { session } = this;
    this.receiver = null;
    this.frameLength = length;
    if (!this.introduced || this.block.stream !== 0 || id > session.lastStream || (id & 1) === 0) {
      this.broken(ERROR.PROTOCOL_ERROR);
      return;
    }
    if (!session.window.received(length)) {
      this.broken(ERROR.FLOW_CONTROL_ERROR);
      return;
    }
    if (length > 0) this.guard.content();
    else if ((flags & FLAG.END_STREAM) === 0) this.idleFrame();
    const stream = session.streams.get(id);
    if (stream === undefined || stream.requestDone) {
      if (!session.closed.isOurs(id)) this.resetStream(id, ERROR.STREAM_CLOSED);
    } else if (!stream.window.received(length)) stream.reset(ERROR.FLOW_CONTROL_ERROR, 'malformed');
    else this.receiver = stream;
  }

  dataBytes(_id: number, bytes: Buffer, start: number, end: number): void {
    this.receiver?.data(bytes, start, end);
  }

  dataEnds(_id: number, flags: number): void {
    const { receiver, session } = this;
    this.receiver = null;
    if (receiver === null) session.giveBack(null, this.frameLength);
    else {
      receiver.frameRead(this.frameLength);
      if ((flags & FLAG.END_STREAM) !== 0 && session.streams.get(receiver.id) === receiver) receiver.ended('');
    }
  }
}
