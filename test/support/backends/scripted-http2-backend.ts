import { FLAG, FRAME, PREFACE, read31, writeFrameHeader } from '../../../dataplane/engine/frames/frames.ts';
import { HpackDecoder, INITIAL_TABLE_SIZE } from '../../../dataplane/engine/frames/hpack-decoder.ts';
import { blockOf, type Field, fieldsOf } from '../clients/hpack-blocks.ts';
import type { Script, ScriptedPeer } from './scripted-backend.ts';

const HEADER_LENGTH = 9;

/** A frame as the gateway sent it. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** The head of a request as the gateway sent it. */
export interface StreamHead {
  readonly stream: number;
  readonly fields: ReadonlyMap<string, string>;
  /** No content follows. */
  readonly last: boolean;
}

/** One connection of a scripted backend that speaks HTTP/2: reads frames, and writes any frames at any time. */
export class Http2Peer {
  readonly peer: ScriptedPeer;
  /** Frames that were read so far. */
  readonly frames: Frame[] = [];
  private readonly decoder = new HpackDecoder(INITIAL_TABLE_SIZE);
  private greeted = false;

  constructor(peer: ScriptedPeer) {
    this.peer = peer;
  }

  /** The next frame; null when none comes any more. */
  async next(): Promise<Frame | null> {
    if (!this.greeted) {
      this.greeted = true;
      await this.take(PREFACE.length);
    }
    const header = await this.take(HEADER_LENGTH);
    if (header === null) return null;
    const payload = await this.take(header.readUIntBE(0, 3));
    if (payload === null) return null;
    const frame = { type: header[3]!, flags: header[4]!, stream: read31(header, 5), payload };
    this.frames.push(frame);
    return frame;
  }

  private async take(length: number): Promise<Buffer | null> {
    await this.peer.until((text) => text.length >= length);
    return this.peer.takeBytes(length);
  }

  /** The next frame of this type, and of this stream if one is given; null when none comes any more. */
  async nextOf(type: number, stream?: number): Promise<Frame | null> {
    for (let frame = await this.next(); frame !== null; frame = await this.next()) {
      if (frame.type === type && (stream === undefined || frame.stream === stream)) return frame;
    }
    return null;
  }

  /** The head of the next request; null when none comes any more. */
  async request(): Promise<StreamHead | null> {
    const frame = await this.nextOf(FRAME.HEADERS);
    if (frame === null) return null;
    const fields = fieldsOf(this.decoder, frame.payload);
    if (fields === null) throw new Error('the gateway sent a malformed header block');
    return { stream: frame.stream, fields: new Map(fields), last: (frame.flags & FLAG.END_STREAM) !== 0 };
  }

  send(type: number, flags: number, stream: number, payload: Buffer | string = ''): void {
    this.peer.send(frameOf(type, flags, stream, payload));
  }

  /** The settings that every backend begins with, and the acknowledgement of ours. */
  greet(...settings: (readonly [number, number])[]): void {
    this.send(FRAME.SETTINGS, 0, 0, settingsOf(...settings));
    this.send(FRAME.SETTINGS, FLAG.ACK, 0);
  }

  headers(stream: number, fields: readonly Field[], last: boolean): void {
    const flags = FLAG.END_HEADERS | (last ? FLAG.END_STREAM : 0);
    this.send(FRAME.HEADERS, flags, stream, blockOf(...fields));
  }

  data(stream: number, content: string | Buffer, last: boolean): void {
    this.send(FRAME.DATA, last ? FLAG.END_STREAM : 0, stream, content);
  }

  /** A whole answer. */
  answer(stream: number, content: string, ...fields: Field[]): void {
    this.headers(stream, [[':status', '200'], ...fields], false);
    this.data(stream, content, true);
  }

  reset(stream: number, code: number): void {
    this.send(FRAME.RST_STREAM, 0, stream, numberOf(code));
  }

  goaway(last: number, code: number): void {
    this.send(FRAME.GOAWAY, 0, 0, Buffer.concat([numberOf(last), numberOf(code)]));
  }
}

/** A script for connections of HTTP/2; it begins when the gateway was greeted. */
export function http2Script(script: (peer: Http2Peer, index: number) => void | Promise<void>): Script {
  return async (peer) => {
    const speaker = new Http2Peer(peer);
    speaker.greet();
    await script(speaker, peer.index);
  };
}

/** A script that is asked for each request of a connection. */
export function eachStream(answer: (head: StreamHead, peer: Http2Peer) => void | Promise<void>): Script {
  return http2Script(async (peer) => {
    for (let head = await peer.request(); head !== null; head = await peer.request()) await answer(head, peer);
  });
}

export function frameOf(type: number, flags: number, stream: number, payload: Buffer | string = ''): Buffer {
  const bytes = typeof payload === 'string' ? Buffer.from(payload, 'latin1') : payload;
  const header = Buffer.alloc(HEADER_LENGTH);
  writeFrameHeader(header, 0, bytes.length, type, flags, stream);
  return Buffer.concat([header, bytes]);
}

export function numberOf(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function settingsOf(...settings: (readonly [number, number])[]): Buffer {
  return Buffer.concat(
    settings.map(([name, value]) => Buffer.concat([Buffer.from([name >> 8, name]), numberOf(value)])),
  );
}
