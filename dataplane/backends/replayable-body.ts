import type { Exchange } from '../engine/message/exchange.ts';
import type { TemporaryBuffer, TemporaryStorage } from '../heap/objects/temporary-storage.ts';

/**
 * A request body that can be sent more than once: it is kept while it is sent for the first time. What is sent again is
 * what was kept and then what still comes, so that no attempt gets less than the whole.
 */
export class ReplayableBody {
  private readonly exchange: Exchange;
  private readonly length: number;
  private readonly source: AsyncIterator<Uint8Array>;
  /** What follows it, once all of it was read. */
  private readonly trailers: () => string;
  private readonly kept: TemporaryBuffer;
  private keptBytes = 0;
  /** Whether everything that came so far is kept. */
  private isWhole: boolean;
  private pulling: Promise<Uint8Array | null> | null = null;
  /** Attempts so far; what an earlier one still asks for is not for it. */
  private attempt = 0;
  private readers = 0;
  private released = false;
  /** Why what was kept could not be read, or null. */
  failure: unknown = null;

  /** Takes the body of a request over; null when it has none, or one that is at hand and can be sent at any time. */
  static of(exchange: Exchange, storage: TemporaryStorage): ReplayableBody | null {
    const { request } = exchange;
    const entity = request.touchedEntity;
    if (entity === null ? request.incomingBody === null : entity.peek() !== null) return null;
    if (entity?.incoming?.claimed === true) return null; // somebody read it away, which the sender refuses
    return new ReplayableBody(exchange, storage);
  }

  private constructor(exchange: Exchange, storage: TemporaryStorage) {
    const { entity } = exchange.request;
    this.exchange = exchange;
    this.kept = storage.open();
    this.length = entity.length;
    this.isWhole = this.length <= storage.limit;
    const { incoming, replacement } = entity;
    const trailers = () => incoming?.trailers ?? trailersOf(replacement);
    this.trailers = trailers;
    this.source = entity.chunks();
  }

  /** Whether the whole body can be sent once more. */
  get repeatable(): boolean {
    return this.isWhole;
  }

  /** Makes it the body that is sent next. */
  offer(): void {
    const { trailers } = this;
    const chunks = this.read(++this.attempt);
    const stream = {
      [Symbol.asyncIterator]: () => chunks,
      get trailers() {
        return trailers();
      },
    };
    this.exchange.request.entity.setStream(stream, this.length);
  }

  /** It is not sent again. What is under way goes on. */
  release(): void {
    this.released = true;
    this.releaseUnread();
  }

  private async *read(attempt: number): AsyncGenerator<Uint8Array, void, void> {
    const { pulling } = this;
    this.readers++;
    try {
      yield* this.readKept();
      // the attempt before this one asked for it and went away
      let chunk = pulling === null ? await this.pull() : await pulling;
      while (chunk !== null && attempt === this.attempt) {
        yield chunk;
        if (attempt !== this.attempt) return;
        chunk = await this.pull();
      }
    } finally {
      this.readers--;
      this.releaseUnread();
    }
  }

  /** What was kept before now: what is being written at the same time is whoever pulled it. */
  private async *readKept(): AsyncGenerator<Uint8Array, void, void> {
    let left = this.keptBytes;
    if (left === 0) return;
    try {
      for await (const chunk of this.kept.read()) {
        yield chunk.subarray(0, left);
        left -= chunk.length;
        if (left <= 0) return;
      }
    } catch (error) {
      this.failure = error;
      this.exchange.call?.cancel(); // nobody will ever send the rest
      throw error;
    }
  }

  /** One more piece; whoever asks while one is on its way gets the same. */
  private pull(): Promise<Uint8Array | null> {
    this.pulling ??= this.next().finally(() => {
      this.pulling = null;
    });
    return this.pulling;
  }

  private async next(): Promise<Uint8Array | null> {
    const { value, done } = await this.source.next();
    if (done === true) return null;
    if (this.isWhole && !this.released) await this.keep(value);
    return value;
  }

  private async keep(chunk: Uint8Array): Promise<void> {
    try {
      await this.kept.write(chunk);
      this.keptBytes += chunk.length;
    } catch {
      this.isWhole = false; // too long, or the disk is full: it passes, and is not sent again
    }
  }

  private releaseUnread(): void {
    if (this.readers > 0) return;
    if (this.released || !this.isWhole) void this.kept.release();
    if (this.released) void this.source.return?.(); // what nobody reads to its end may hold a file
  }
}

/** What follows content that was put aside, or nothing. */
function trailersOf(stream: (AsyncIterable<Uint8Array> & { readonly trailers?: string }) | null): string {
  return stream?.trailers ?? '';
}
