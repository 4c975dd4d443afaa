import { controlFrameError } from '../frames/control-frames.ts';
import type { FlowWindow } from '../frames/flow-window.ts';
import type { FrameOutput } from '../frames/frame-output.ts';
import { FrameReader, type FrameReceiver } from '../frames/frame-reader.ts';
import { ERROR, FLAG, FRAME, read31, USUAL_FRAME_SIZE } from '../frames/frames.ts';
import { BLOCK_OPEN, BLOCK_WHOLE, HeaderBlock } from '../frames/header-block.ts';
import { type FieldSink, HpackDecoder, INITIAL_TABLE_SIZE } from '../frames/hpack-decoder.ts';
import { PeerSettings } from '../frames/settings.ts';
import { clock } from '../wire/clock.ts';
import type { Wire } from '../wire/wire.ts';
import { AnswerFields } from './answer-fields.ts';
import type { BackendStream } from './backend-stream.ts';
import { FloodGuard } from './flood-guard.ts';
import { TrailerFields } from './trailer-fields.ts';

/** Frames that one header block may take. */
const MOST_BLOCK_FRAMES = 16;
/** Acknowledgements that a backend which does not read may ask for. */
const MOST_UNREAD = 1000;
/** What a backend may send in ten seconds that leads to nothing. */
const FLOOD = { idleFrames: 10_000, streamResets: Number.POSITIVE_INFINITY };

const answerFields = new AnswerFields();
const trailerFields = new TrailerFields();
const ignored: FieldSink = { field() {} };

/** The connection whose frames are read. */
export interface BackendFramesOwner {
  readonly wire: Wire;
  readonly output: FrameOutput;
  readonly window: FlowWindow;
  /** The number of the next stream. */
  readonly nextId: number;
  /** The stream with this number, if it is open. */
  stream(id: number): BackendStream | undefined;
  /** The windows of all streams change by as much. @returns false when one gets too large. */
  widen(increment: number): boolean;
  /** What the backend takes may have changed. */
  settled(): void;
  /** Streams that wait for a window go on. */
  proceed(): void;
  /** The backend gave a stream up. */
  reset(id: number, code: number): void;
  /** The backend takes no more streams, and has not touched those behind `last`. */
  farewell(last: number, code: number): void;
  /** The backend broke a rule. */
  broken(code: number, reason: string): void;
}

/** Reads what one backend sends, frame by frame, and ends the connection when it breaks a rule or sends too much. */
export class BackendFrames implements FrameReceiver {
  /** What the backend has said about itself. */
  readonly peer = new PeerSettings();
  /** It has said something about itself. */
  introduced = false;
  private readonly session: BackendFramesOwner;
  private readonly headBytes: number;
  private readonly reader: FrameReader;
  private readonly decoder = new HpackDecoder(INITIAL_TABLE_SIZE);
  private readonly block: HeaderBlock;
  private readonly guard = new FloodGuard(FLOOD);
  private unread = 0;
  /** The content that is being read: of which stream, if it is wanted, how much, and how it ends. */
  private dataStream: BackendStream | undefined;
  private dataLength = 0;
  private dataFlags = 0;

  constructor(session: BackendFramesOwner, headBytes: number) {
    this.session = session;
    this.headBytes = headBytes;
    this.reader = new FrameReader(this, USUAL_FRAME_SIZE);
    this.block = new HeaderBlock(2 * headBytes, MOST_BLOCK_FRAMES); // what is a little too large costs a stream only
  }

  receive(bytes: Buffer, start: number, end: number): void {
    this.reader.receive(bytes, start, end);
  }

  /** Nothing is read any more. */
  stop(): void {
    this.reader.stop();
  }

  /** A frame of content was sent, which the backend may have something to say about. */
  contentSent(): void {
    this.guard.content();
  }

  /** The backend has read everything. */
  drained(): void {
    this.unread = 0;
  }

  frame(type: number, flags: number, id: number, bytes: Buffer, start: number, end: number): void {
    if (this.block.stream !== 0 && type !== FRAME.CONTINUATION) {
      this.broken(ERROR.PROTOCOL_ERROR, 'a header block is not complete');
    } else if (!this.introduced && (type !== FRAME.SETTINGS || (flags & FLAG.ACK) !== 0)) {
      this.broken(ERROR.PROTOCOL_ERROR, 'the backend did not send SETTINGS first');
    } else if (type === FRAME.HEADERS) this.headers(this.block.headers(flags, id, bytes, start, end), id);
    else if (type === FRAME.CONTINUATION) this.headers(this.block.continuation(flags, id, bytes, start, end), id);
    else {
      const error = controlFrameError(type, flags, id, end - start);
      if (error !== ERROR.NO_ERROR) this.broken(error, 'a frame is malformed');
      else if (!this.guard.idleFrame(clock.now)) this.broken(ERROR.ENHANCE_YOUR_CALM, 'there are too many frames');
      else this.control(type, flags, id, bytes, start, end);
    }
  }

  private control(type: number, flags: number, id: number, bytes: Buffer, start: number, end: number): void {
    switch (type) {
      case FRAME.WINDOW_UPDATE:
        this.windowUpdate(id, read31(bytes, start));
        break;
      case FRAME.RST_STREAM:
        if (this.isIdle(id)) this.broken(ERROR.PROTOCOL_ERROR, 'RST_STREAM for a stream that does not exist');
        else this.session.reset(id, bytes.readUInt32BE(start));
        break;
      case FRAME.SETTINGS:
        if ((flags & FLAG.ACK) === 0) this.settings(bytes, start, end);
        break;
      case FRAME.PING:
        if ((flags & FLAG.ACK) === 0 && this.mayAnswer()) this.session.output.pingAck(bytes, start);
        break;
      case FRAME.GOAWAY:
        this.session.farewell(read31(bytes, start), bytes.readUInt32BE(start + 4));
        break;
      case FRAME.PUSH_PROMISE:
        this.broken(ERROR.PROTOCOL_ERROR, 'PUSH_PROMISE although push is disabled');
        break;
      default: // priorities, and what is not known, mean nothing here
    }
  }

  private headers(outcome: number, id: number): void {
    if (outcome === BLOCK_OPEN) return;
    const { block } = this;
    const stream = this.session.stream(id);
    if (outcome !== BLOCK_WHOLE) this.broken(outcome, 'a header block is malformed or too long');
    else if (stream === undefined && this.isIdle(id)) {
      this.broken(ERROR.PROTOCOL_ERROR, 'a response on a stream that was not opened');
    } else if (stream === undefined) {
      if (!this.guard.idleFrame(clock.now)) this.broken(ERROR.ENHANCE_YOUR_CALM, 'there are too many frames');
      else this.decode(ignored);
    } else if (stream.headed) this.trailers(stream, (block.flags & FLAG.END_STREAM) !== 0);
    else {
      const last = (block.flags & FLAG.END_STREAM) !== 0;
      answerFields.begin(this.headBytes);
      if (!this.decode(answerFields)) return;
      answerFields.finish();
      this.guard.content();
      stream.head(answerFields, last);
    }
  }

  private trailers(stream: BackendStream, last: boolean): void {
    trailerFields.begin();
    if (!this.decode(trailerFields)) return;
    if (last && !trailerFields.malformed) stream.ends(trailerFields.text);
    else stream.refuse('backend-malformed', 'the trailers of the answer are malformed');
  }

  /** Decodes the block that is whole. @returns false when the connection has ended because of it. */
  private decode(sink: FieldSink): boolean {
    const { block } = this;
    const sound = this.decoder.decode(block.bytes, block.start, block.end, sink);
    block.done();
    if (!sound) this.broken(ERROR.COMPRESSION_ERROR, 'a header block cannot be decoded');
    return sound;
  }

  dataBegins(id: number, flags: number, length: number): void {
    const { window, output } = this.session;
    if (this.block.stream !== 0 || this.isIdle(id) || !this.introduced) {
      this.broken(ERROR.PROTOCOL_ERROR, 'DATA on a stream that cannot have any');
      return;
    }
    this.dataLength = length;
    this.dataFlags = flags;
    const stream = this.session.stream(id);
    this.dataStream = stream;
    if (!window.received(length) || stream?.window.received(length) === false) {
      this.broken(ERROR.FLOW_CONTROL_ERROR, 'the backend sends more than its flow-control window allows');
      return;
    }
    // the connection as a whole never waits for one slow client: each stream has its own window for that
    const increment = window.taken(length);
    if (increment > 0) output.windowUpdate(0, increment);
    if (length > 0 && stream !== undefined) this.guard.content();
    else if (!this.guard.idleFrame(clock.now)) this.broken(ERROR.ENHANCE_YOUR_CALM, 'there are too many frames');
  }

  dataBytes(_id: number, bytes: Buffer, start: number, end: number): void {
    const last = (this.dataFlags & FLAG.END_STREAM) !== 0 && end - start === this.dataLength;
    this.dataStream?.data(bytes, start, end, last);
  }

  dataEnds(_id: number, flags: number): void {
    const { dataStream } = this;
    if (dataStream === undefined) return;
    this.dataStream = undefined;
    if ((flags & FLAG.END_STREAM) !== 0) dataStream.ends('');
    else dataStream.taken(this.dataLength);
  }

  brokenFrame(code: number): void {
    this.broken(code, this.introduced ? 'a frame is malformed' : 'the backend does not speak HTTP/2');
  }

  private windowUpdate(id: number, increment: number): void {
    const { session } = this;
    const stream = id === 0 ? undefined : session.stream(id);
    if (id === 0) {
      if (increment > 0 && session.window.widen(increment)) session.proceed();
      else
        this.broken(
          increment > 0 ? ERROR.FLOW_CONTROL_ERROR : ERROR.PROTOCOL_ERROR,
          'a flow-control window is too large',
        );
    } else if (stream !== undefined) {
      if (increment > 0 && stream.window.widen(increment)) stream.proceed();
      else stream.refuse('backend-malformed', 'a flow-control window is too large');
    } else if (this.isIdle(id)) this.broken(ERROR.PROTOCOL_ERROR, 'WINDOW_UPDATE for a stream that does not exist');
  }

  private settings(bytes: Buffer, start: number, end: number): void {
    const { peer, session } = this;
    const before = peer.initialWindowSize;
    const error = peer.read(bytes, start, end);
    this.introduced = true;
    if (error !== ERROR.NO_ERROR) this.broken(error, 'the settings of the backend are malformed');
    else if (!session.widen(peer.initialWindowSize - before)) {
      this.broken(ERROR.FLOW_CONTROL_ERROR, 'the settings of the backend make a flow-control window too large');
    } else if (this.mayAnswer()) {
      session.output.settingsAck();
      session.settled();
    }
  }

  /** Who asks for many answers and reads none would fill the memory. */
  private mayAnswer(): boolean {
    if (!this.session.wire.pending || ++this.unread <= MOST_UNREAD) return true;
    this.broken(ERROR.ENHANCE_YOUR_CALM, 'the backend does not read from the connection');
    return false;
  }

  /** No stream has had this number. */
  private isIdle(id: number): boolean {
    return id === 0 || id % 2 === 0 || id >= this.session.nextId;
  }

  private broken(code: number, reason: string): void {
    this.session.broken(code, reason);
  }
}
