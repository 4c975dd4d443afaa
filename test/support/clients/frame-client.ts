import {
  FLAG,
  FRAME,
  FRAME_HEADER,
  PREFACE,
  read31,
  write32,
  writeFrameHeader,
} from '../../../dataplane/engine/frames/frames.ts';
import { HpackDecoder } from '../../../dataplane/engine/frames/hpack-decoder.ts';
import { blockOf, type Field, fieldsOf } from './hpack-blocks.ts';
import { RawClient } from './raw-client.ts';

/** A frame as a client sees it. */
export interface SeenFrame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** A frame as bytes. */
export function frame(type: number, flags: number, stream: number, payload: Buffer | string = ''): Buffer {
  const bytes = Buffer.from(payload);
  const head = Buffer.alloc(FRAME_HEADER);
  writeFrameHeader(head, 0, bytes.length, type, flags, stream);
  return Buffer.concat([head, bytes]);
}

export function headersFrame(stream: number, fields: readonly Field[], flags: number = FLAG.END_HEADERS): Buffer {
  return frame(FRAME.HEADERS, flags, stream, blockOf(...fields));
}

export function number32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  write32(bytes, 0, value);
  return bytes;
}

export function setting(name: number, value: number): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeUInt16BE(name, 0);
  bytes.writeUInt32BE(value, 2);
  return bytes;
}

/** What every request needs. */
export const GET: readonly Field[] = [
  [':method', 'GET'],
  [':scheme', 'http'],
  [':path', '/'],
  [':authority', 'gateway.example'],
];

export const POST: readonly Field[] = [[':method', 'POST'], ...GET.slice(1)];

/** An HTTP/2 client that sends the frames it is told to, right or wrong. */
export class FrameClient {
  readonly raw: RawClient;
  private readonly decoder = new HpackDecoder(4096);
  private readonly heads = new Map<number, Field[][]>();
  private read = 0;
  private readonly seen: SeenFrame[] = [];

  private constructor(raw: RawClient) {
    this.raw = raw;
  }

  /** Connects, and says what a client says first, unless something else is given. */
  static async connect(port: number, first: string | Buffer = greeting()): Promise<FrameClient> {
    const client = new FrameClient(await RawClient.connect(port));
    client.raw.send(first);
    return client;
  }

  send(...frames: Buffer[]): void {
    this.raw.send(Buffer.concat(frames));
  }

  /** All frames that have come. */
  get frames(): readonly SeenFrame[] {
    const { bytes } = this.raw;
    for (;;) {
      const end = this.read + FRAME_HEADER + (bytes.length - this.read < 3 ? 0 : bytes.readUIntBE(this.read, 3));
      if (bytes.length - this.read < FRAME_HEADER || bytes.length < end) return this.seen;
      const payload = bytes.subarray(this.read + FRAME_HEADER, end);
      const found = { type: bytes[this.read + 3]!, flags: bytes[this.read + 4]!, stream: read31(bytes, this.read + 5) };
      this.seen.push({ ...found, payload });
      this.read = end;
      if (found.type === FRAME.HEADERS) {
        const fields = fieldsOf(this.decoder, payload);
        if (fields === null) throw new Error('a header block is malformed');
        this.heads.set(found.stream, [...(this.heads.get(found.stream) ?? []), fields]);
      }
    }
  }

  /** The first frame that is wanted; undefined when the connection ended without it. */
  async until(wanted: (frame: SeenFrame) => boolean): Promise<SeenFrame | undefined> {
    await this.raw.until(() => this.frames.some(wanted));
    return this.frames.find(wanted);
  }

  /** The status that a stream was answered with, or how it was reset, or how the connection ended. */
  async outcome(stream: number): Promise<string> {
    const end = await this.until(
      ({ type, stream: on }) =>
        type === FRAME.GOAWAY ||
        (on === stream && (type === FRAME.RST_STREAM || (type === FRAME.HEADERS && this.status(stream) !== null))),
    );
    if (end === undefined) return 'closed';
    if (end.type === FRAME.GOAWAY) return `goaway ${end.payload.readUInt32BE(4)}`;
    if (end.type === FRAME.RST_STREAM) return `reset ${end.payload.readUInt32BE(0)}`;
    return this.status(stream)!;
  }

  /** The status of an answer; those before it do not count. */
  private status(stream: number): string | null {
    for (const fields of this.heads.get(stream) ?? []) {
      const status = fields.find(([name]) => name === ':status')?.[1] ?? '1';
      if (!status.startsWith('1')) return status;
    }
    return null;
  }

  /** The error that the connection ended with, or null when it ended without a word. */
  async goaway(): Promise<number | null> {
    const end = await this.until(({ type }) => type === FRAME.GOAWAY);
    return end === undefined ? null : end.payload.readUInt32BE(4);
  }

  /** Header blocks of a stream, in order. */
  fields(stream: number): readonly (readonly Field[])[] {
    void this.frames;
    return this.heads.get(stream) ?? [];
  }

  /** Content that came on a stream. */
  content(stream: number): string {
    return this.frames
      .filter((seen) => seen.type === FRAME.DATA && seen.stream === stream)
      .map(({ payload }) => payload.toString('latin1'))
      .join('');
  }

  /** Waits until a stream has ended as it should. */
  async whole(stream: number): Promise<string> {
    await this.until(
      ({ type, flags, stream: on }) => on === stream && type <= FRAME.HEADERS && (flags & FLAG.END_STREAM) !== 0,
    );
    return this.content(stream);
  }
}

/** The preface, settings, and the acknowledgement of the server's. */
export function greeting(...settings: Buffer[]): Buffer {
  return Buffer.concat([
    Buffer.from(PREFACE),
    frame(FRAME.SETTINGS, 0, 0, Buffer.concat(settings)),
    frame(FRAME.SETTINGS, FLAG.ACK, 0),
  ]);
}
