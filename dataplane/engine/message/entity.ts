import type { Headers } from '../head/headers.ts';
import { Pieces } from '../wire/pieces.ts';
import type { Body, BodySink } from './body.ts';
import { chunksOf } from './body-chunks.ts';
import { type DecodedText, decodeText, inUtf8 } from './content-charset.ts';
import { contentCodings, withoutCodings } from './content-coding.ts';
import { EntityBroken, EntityTooLarge, HeldContentFull } from './entity-fault.ts';
import { HeldShare } from './held-content.ts';
import type { KeptContent } from './kept-content.ts';

/** Default limit of `bytes`, `decoded` and `text`: that of the listener of this unit. */
export const entityLimit = { bytes: 1 << 20 };

const NO_BYTES = Buffer.alloc(0);

/** A stream, and perhaps whole lines that follow it, once it is read. */
type Streamed = AsyncIterable<Uint8Array> & { readonly trailers?: string };

/** Content, and what it is without its codings. */
interface Decoded {
  readonly from: Buffer;
  readonly codings: string;
  readonly content: Buffer;
}

/**
 * The content of a message: passed through untouched, read as a whole on demand, read as a stream, or replaced. Once
 * read as a whole it stays readable, and what was read is what is sent. Whoever judges it reads it decoded; what is sent
 * stays as it came.
 */
export class Entity {
  private body: Body | null;
  private content: Buffer | null;
  private stream: Streamed | null = null;
  /** Whole lines that followed what was read as a whole, or empty. */
  private trailers = '';
  private streamLength = -1;
  private kept: KeptContent | null = null;
  /** Somebody reads what was kept, perhaps to make something else of it. */
  private keptTaken = false;
  private altered = false;
  private reading: Promise<Buffer> | null = null;
  private known: Decoded | null = null;
  /** What counts the content that is held here, until it is sent or nobody will send it. */
  private held: { release(): void } | null = null;
  private readonly headers: Headers;
  private readonly ofResponse: boolean;

  constructor(body: Body | null, headers: Headers, ofResponse: boolean, content: Buffer | null = null) {
    this.body = body;
    this.headers = headers;
    this.ofResponse = ofResponse;
    this.content = body === null && content === null ? NO_BYTES : content;
  }

  /** Length in bytes, or -1 when it is not known before the end. */
  get length(): number {
    if (this.content !== null) return this.content.length;
    return this.stream !== null || this.body === null ? this.streamLength : this.body.length;
  }

  get empty(): boolean {
    return this.length === 0;
  }

  /** True when something else than the received body will be sent. */
  get replaced(): boolean {
    return this.altered;
  }

  /** Replaces the content by bytes, or by a text in UTF-8, without a content coding: the headers say so then. */
  set(content: string | Uint8Array): void {
    const { headers } = this;
    if (headers.has('content-encoding')) headers.remove('content-encoding');
    if (typeof content === 'string' && headers.has('content-type')) {
      const type = headers.get('content-type')!;
      const own = inUtf8(type);
      if (own !== type) headers.set('Content-Type', own);
    }
    this.restore(typeof content === 'string' ? Buffer.from(content, 'utf8') : Buffer.from(content));
  }

  /** Replaces the content by what it was before, in the codings that the headers name. */
  restore(content: Buffer): void {
    this.drop();
    this.content = content;
  }

  /**
   * Replaces the content by a stream, which is asked for more only as fast as the peer reads. A `length` is announced; a
   * stream that turns out longer or shorter breaks the message off.
   */
  setStream(stream: AsyncIterable<Uint8Array>, length = -1): void {
    if (this.body?.claimed !== true && !this.keptTaken) this.drop();
    this.altered = true;
    this.trailers = '';
    this.body = null;
    this.content = null;
    this.stream = length < 0 ? stream : exactly(stream, length);
    this.streamLength = length;
  }

  /** Replaces the content by what was put aside of it. */
  setKept(kept: KeptContent): void {
    this.setStream(kept);
    if (kept.bytes !== null) this.held = kept;
    if (kept.trailers !== '') this.kept = kept;
    else if (kept.bytes === null) {
      this.kept = kept;
      this.streamLength = kept.length;
    } else {
      this.stream = null;
      this.content = kept.bytes;
    }
  }

  private drop(): void {
    this.altered = true;
    this.trailers = '';
    this.abandon();
    this.body = null;
    this.stream = null;
  }

  /** The whole content as it is sent. @throws EntityTooLarge beyond `limit`, EntityBroken when it broke off. */
  bytes(limit: number = entityLimit.bytes): Promise<Buffer> {
    const { content, body, stream, ofResponse } = this;
    if (content !== null) {
      return content.length > limit ? Promise.reject(tooLarge(limit, ofResponse)) : Promise.resolve(content);
    }
    if (this.reading !== null) return this.reading.then(() => this.bytes(limit));
    const share = new HeldShare();
    const read =
      body !== null ? collectBody(body, limit, ofResponse, share) : collectStream(stream!, limit, ofResponse, share);
    this.reading = read
      .then((bytes) => {
        if (this.body !== body || this.stream !== stream) {
          share.release();
          return bytes; // replaced meanwhile
        }
        this.held = share;
        this.body = null;
        this.stream = null;
        this.content = bytes;
        this.trailers = body?.trailers ?? stream?.trailers ?? '';
        return bytes;
      })
      .catch((error: unknown) => {
        share.release();
        throw error;
      })
      .finally(() => {
        this.reading = null;
      });
    return this.reading;
  }

  /** The whole content without its codings. @throws as `bytes`, and EntityUndecodable when it cannot be decoded. */
  async decoded(limit: number = entityLimit.bytes): Promise<Buffer> {
    const codings = contentCodings(this.headers); // the bytes they are read from may last for one turn
    const from = await this.bytes(limit);
    if (codings === '' || from.length === 0) return from;
    const { known } = this;
    if (known !== null && known.from === from && known.codings === codings) return known.content;
    const content = await withoutCodings(from, codings, limit, this.ofResponse);
    this.known = { from, codings, content };
    return content;
  }

  /** What `decoded` gives if it is at hand, null if somebody would have to wait for it: for what cannot wait. */
  peekDecoded(): Buffer | null {
    const { content, known } = this;
    if (content === null || content.length === 0) return content;
    const codings = contentCodings(this.headers);
    if (codings === '') return content;
    return known !== null && known.from === content && known.codings === codings ? known.content : null;
  }

  /** Content that `decoded` or `peekDecoded` gave, as text. @throws EntityUndecodable when it cannot be decoded. */
  textOf(content: Buffer, charset?: string): DecodedText {
    return decodeText(content, this.headers, this.ofResponse, charset);
  }

  /** The content as text, in the charset given or declared. @throws EntityUndecodable when it cannot be decoded. */
  async text(limit?: number, charset?: string): Promise<string> {
    return this.textOf(await this.decoded(limit), charset).text;
  }

  /** The content as JSON. @throws SyntaxError when it is not. */
  async json(limit?: number): Promise<unknown> {
    return JSON.parse(await this.text(limit));
  }

  /** The content as form parameters. */
  async form(limit?: number): Promise<URLSearchParams> {
    return new URLSearchParams(await this.text(limit));
  }

  /** The content as it is sent if it is at hand, or null. */
  peek(): Buffer | null {
    return this.content;
  }

  /**
   * The first `limit` bytes of the content, and whether they are all of it. Nothing is taken: what is sent, and how, is
   * the same as without.
   */
  async prefix(limit: number): Promise<{ readonly bytes: Buffer; readonly whole: boolean }> {
    const { body, stream } = this;
    if (body === null && stream !== null) return this.streamPrefix(stream, limit);
    // one byte more than wanted tells whether there is more
    const bytes = body === null ? this.content! : await body.gather(limit + 1);
    return { bytes: bytes.subarray(0, limit), whole: bytes.length <= limit && body?.failed !== true };
  }

  private async streamPrefix(
    stream: AsyncIterable<Uint8Array>,
    limit: number,
  ): Promise<{ bytes: Buffer; whole: boolean }> {
    const source = stream[Symbol.asyncIterator]();
    const ahead: Uint8Array[] = [];
    let size = 0;
    try {
      for (let next = await source.next(); next.done !== true; next = await source.next()) {
        ahead.push(next.value);
        size += next.value.length;
        if (size > limit) break;
      }
      this.stream = Object.assign(rejoined(ahead, source), { trailers: this.kept?.trailers ?? '' });
    } catch (error) {
      this.stream = rejoined(ahead, { next: () => Promise.reject(error) }); // whoever sends it hears of it too
      throw error;
    }
    return { bytes: Buffer.concat(ahead, Math.min(size, limit)), whole: size <= limit };
  }

  /** The content as it arrives, once; back-pressure reaches the peer. */
  chunks(): AsyncGenerator<Buffer, void, void> {
    this.keptTaken = this.kept !== null;
    if (this.body !== null) return chunksOf(this.body, this.ofResponse);
    return this.stream !== null ? buffersOf(this.stream) : buffersOf(this.content!.length > 0 ? [this.content!] : []);
  }

  // ---- for the engine

  /** The content that is to be sent as a whole, or null. */
  get whole(): Buffer | null {
    this.settle();
    return this.trailers === '' ? this.content : null;
  }

  /** The stream that is to be sent, or null. */
  get replacement(): AsyncIterable<Uint8Array> | null {
    const { content, trailers } = this;
    return content === null || trailers === '' ? this.stream : Object.assign(buffersOf([content]), { trailers });
  }

  /** The length to announce, or -1: in HTTP/1 only content without one can have something behind it. */
  get announcedLength(): number {
    return this.trailers === '' ? this.length : -1;
  }

  /** The body as received and untouched, or null. */
  get incoming(): Body | null {
    return this.body;
  }

  /** Whether the content may be gone: it can be sent once, and that was tried. */
  get spent(): boolean {
    if (this.content !== null || this.reading !== null) return false;
    return this.body !== null ? this.body.claimed : this.kept?.begun !== false;
  }

  /** It is on its way, or will not be: what is held of it counts no more. */
  settle(): void {
    this.held?.release();
    this.held = null;
  }

  /** Nobody will send it. */
  abandon(): void {
    this.settle();
    this.body?.abandon();
    this.kept?.release();
    this.kept = null;
  }
}

function tooLarge(limit: number, ofResponse: boolean): EntityTooLarge {
  return new EntityTooLarge(limit, ofResponse, limit === entityLimit.bytes ? 'entityBytes' : '');
}

function collectBody(body: Body, limit: number, ofResponse: boolean, share: HeldShare): Promise<Buffer> {
  if (body.length > limit) return Promise.reject(tooLarge(limit, ofResponse));
  return new Promise((resolve, reject) => {
    const pieces = new Pieces();
    const sink: BodySink = {
      bodyData(bytes, start, end) {
        if (pieces.length + end - start > limit) {
          reject(tooLarge(limit, ofResponse));
          body.abandon();
          return;
        }
        pieces.add(bytes, start, end);
        if (share.hold(pieces.allocated)) return;
        reject(new HeldContentFull(ofResponse));
        body.abandon();
      },
      bodyEnd: () => resolve(pieces.joined()),
      bodyFailed: () => reject(new EntityBroken(ofResponse)),
    };
    body.pipe(sink);
  });
}

async function collectStream(
  stream: AsyncIterable<Uint8Array>,
  limit: number,
  ofResponse: boolean,
  share: HeldShare,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit, ofResponse);
    if (!share.hold(size)) throw new HeldContentFull(ofResponse);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** The same bytes, or an error once it is certain that there are not as many as were announced. */
async function* exactly(stream: AsyncIterable<Uint8Array>, length: number): AsyncGenerator<Uint8Array, void, void> {
  let left = length;
  for await (const chunk of stream) {
    left -= chunk.length;
    if (left < 0) break;
    yield chunk;
  }
  if (left !== 0)
    throw new Error(`a stream that was announced with ${length} bytes is ${left < 0 ? 'longer' : 'shorter'}`);
}

/** What was read ahead of a stream, and the rest of it. */
async function* rejoined(
  ahead: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* ahead;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

async function* buffersOf(chunks: AsyncIterable<Uint8Array> | Uint8Array[]): AsyncGenerator<Buffer, void, void> {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}
