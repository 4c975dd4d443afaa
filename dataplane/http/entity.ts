import type { Body, BodySink } from './body.ts';
import type { KeptContent } from './kept-content.ts';
import { Pieces } from './pieces.ts';

/** A body was longer than the reader allows. The boundary answers 413 for a request, 502 for a response. */
export class EntityTooLarge extends Error {
  readonly limit: number;
  readonly ofResponse: boolean;
  /** `setting` says where the limit comes from. */
  constructor(limit: number, ofResponse: boolean, setting = limit === entityLimit.bytes ? 'entityBytes' : '') {
    super(`the body is longer than ${limit} bytes${setting === '' ? '' : ` (${setting})`}`);
    this.name = 'EntityTooLarge';
    this.limit = limit;
    this.ofResponse = ofResponse;
  }
}

/** A body broke off before its end. */
export class EntityBroken extends Error {
  readonly ofResponse: boolean;
  constructor(ofResponse: boolean) {
    super('the body broke off');
    this.name = 'EntityBroken';
    this.ofResponse = ofResponse;
  }
}

/** What `bytes`, `text`, `json` and `form` read unless told otherwise: as much as the listener of this unit allows. */
export const entityLimit = { bytes: 1 << 20 };

const NO_BYTES = Buffer.alloc(0);
const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** A stream, and perhaps whole lines that follow it, once it is read. */
type Streamed = AsyncIterable<Uint8Array> & { readonly trailers?: string };

/**
 * The content of a message: passed through untouched, read as a whole on demand, read as a stream, or replaced. Once
 * read as a whole it stays readable, and what was read is what is sent.
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
  private readonly ofResponse: boolean;

  constructor(body: Body | null, ofResponse: boolean, content: Buffer | null = null) {
    this.body = body;
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

  /** Replaces the content. */
  set(content: string | Uint8Array): void {
    this.drop();
    this.content = typeof content === 'string' ? Buffer.from(content, 'utf8') : Buffer.from(content);
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

  /** The whole content. @throws EntityTooLarge beyond `limit`, EntityBroken when it broke off. */
  bytes(limit: number = entityLimit.bytes): Promise<Buffer> {
    const { content, body, stream, ofResponse } = this;
    if (content !== null) {
      return content.length > limit ? Promise.reject(new EntityTooLarge(limit, ofResponse)) : Promise.resolve(content);
    }
    if (this.reading !== null) return this.reading.then(() => this.bytes(limit));
    const read = body !== null ? collectBody(body, limit, ofResponse) : collectStream(stream!, limit, ofResponse);
    this.reading = read
      .then((bytes) => {
        if (this.body !== body || this.stream !== stream) return bytes; // replaced meanwhile
        this.body = null;
        this.stream = null;
        this.content = bytes;
        this.trailers = body?.trailers ?? stream?.trailers ?? '';
        return bytes;
      })
      .finally(() => {
        this.reading = null;
      });
    return this.reading;
  }

  /** The content as UTF-8. @throws TypeError when it is not. */
  async text(limit?: number): Promise<string> {
    return strictUtf8.decode(await this.bytes(limit));
  }

  /** The content as JSON. @throws SyntaxError when it is not. */
  async json(limit?: number): Promise<unknown> {
    return JSON.parse(await this.text(limit));
  }

  /** The content as form parameters. */
  async form(limit?: number): Promise<URLSearchParams> {
    return new URLSearchParams(await this.text(limit));
  }

  /** The content if it is at hand, null if somebody would have to wait for it: for what cannot wait. */
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

  /** Nobody will send it. */
  abandon(): void {
    this.body?.abandon();
    this.kept?.release();
    this.kept = null;
  }
}

function collectBody(body: Body, limit: number, ofResponse: boolean): Promise<Buffer> {
  if (body.length > limit) return Promise.reject(new EntityTooLarge(limit, ofResponse));
  return new Promise((resolve, reject) => {
    const pieces = new Pieces();
    const sink: BodySink = {
      bodyData(bytes, start, end) {
        if (pieces.length + end - start > limit) {
          reject(new EntityTooLarge(limit, ofResponse));
          body.abandon();
        } else pieces.add(bytes, start, end);
      },
      bodyEnd: () => resolve(pieces.joined()),
      bodyFailed: () => reject(new EntityBroken(ofResponse)),
    };
    body.pipe(sink);
  });
}

async function collectStream(stream: AsyncIterable<Uint8Array>, limit: number, ofResponse: boolean): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > limit) throw new EntityTooLarge(limit, ofResponse);
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

/** Bytes that may wait for whoever pulls. */
const MOST_WAITING = 65_536;

/** Turns pushes into pulls; when many bytes wait, the source does too. The body is claimed at once. */
function chunksOf(body: Body, ofResponse: boolean): AsyncGenerator<Buffer, void, void> {
  const waiting = new Pieces();
  let over = false;
  let broken = false;
  let wake: (() => void) | null = null;
  const changed = (): void => {
    wake?.();
    wake = null;
  };
  body.pipe({
    bodyData(bytes, start, end) {
      waiting.add(bytes, start, end);
      if (waiting.length > MOST_WAITING) body.pause();
      changed();
    },
    bodyEnd() {
      over = true;
      changed();
    },
    bodyFailed() {
      over = broken = true;
      changed();
    },
  });
  async function* pulled(): AsyncGenerator<Buffer, void, void> {
    try {
      for (;;) {
        const chunk = waiting.shift();
        if (chunk !== undefined) {
          if (waiting.length === 0) body.resume();
          yield chunk;
        } else if (broken) throw new EntityBroken(ofResponse);
        else if (over) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      if (!body.complete) body.abandon();
    }
  }
  return pulled();
}
