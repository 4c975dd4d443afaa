import type { TemporaryBuffer, TemporaryStorage } from '../heap/temporary-storage.ts';
import type { Body, BodySink } from '../http/body.ts';
import { EntityBroken, EntityTooLarge } from '../http/entity-fault.ts';
import type { KeptContent } from '../http/kept-content.ts';
import { Pieces } from '../http/pieces.ts';

/** Bytes that may be on their way to a file before the sender of the body is told to wait. */
const AHEAD = 65_536;

/** Where the content of a message is kept while it is not whole, and how much of it. */
export interface WholeRule {
  readonly storage: TemporaryStorage;
  readonly limit: number;
  /** Where the limit comes from. */
  readonly setting: string;
  readonly ofResponse: boolean;
}

/**
 * Takes a body whole: in memory while it is short, then in the storage, as fast as that takes it.
 * @throws EntityTooLarge beyond the limit, at once where the length is known; EntityBroken when it broke off.
 */
export function takeWhole(body: Body, rule: WholeRule): Promise<KeptContent> {
  if (body.length > rule.limit) {
    body.abandon();
    return Promise.reject(new EntityTooLarge(rule.limit, rule.ofResponse, rule.setting));
  }
  return new Promise((resolve, reject) => body.pipe(new Taking(body, rule, resolve, reject)));
}

/** A body that is being taken. */
class Taking implements BodySink {
  private readonly body: Body;
  private readonly rule: WholeRule;
  private readonly resolve: (content: KeptContent) => void;
  private readonly reject: (error: unknown) => void;
  private readonly pieces = new Pieces();
  private size = 0;
  private buffer: TemporaryBuffer | null = null;
  /** Bytes on their way to the storage. */
  private ahead = 0;
  private trailers: string | null = null;
  private over = false;

  constructor(body: Body, rule: WholeRule, resolve: (content: KeptContent) => void, reject: (error: unknown) => void) {
    this.body = body;
    this.rule = rule;
    this.resolve = resolve;
    this.reject = reject;
  }

  bodyData(bytes: Buffer, start: number, end: number): void {
    if (this.over) return;
    const { storage, limit, setting, ofResponse } = this.rule;
    const piece = bytes.subarray(start, end);
    this.size += piece.length;
    if (this.size > limit) {
      this.fail(new EntityTooLarge(limit, ofResponse, setting));
      return;
    }
    if (this.size <= storage.memoryLimit) {
      this.pieces.add(bytes, start, end);
      return;
    }
    if (this.buffer === null) {
      try {
        this.buffer = storage.open();
      } catch (error) {
        this.fail(error);
        return;
      }
      for (const earlier of this.pieces.take()) this.store(this.buffer, earlier);
    }
    this.store(this.buffer, piece);
  }

  private store(buffer: TemporaryBuffer, piece: Buffer): void {
    this.ahead += piece.length;
    if (this.ahead > AHEAD) this.body.pause();
    const stored = (): void => {
      const waited = this.ahead > AHEAD;
      this.ahead -= piece.length;
      if (this.over) return;
      if (waited && this.ahead <= AHEAD) this.body.resume();
      this.finishIfWhole();
    };
    buffer.write(piece).then(stored, (error: unknown) => this.fail(error));
  }

  bodyEnd(trailers: string): void {
    this.trailers = trailers;
    this.finishIfWhole();
  }

  bodyFailed(): void {
    this.fail(new EntityBroken(this.rule.ofResponse));
  }

  private finishIfWhole(): void {
    if (this.over || this.trailers === null || this.ahead > 0) return;
    this.over = true;
    const { buffer, pieces, trailers } = this;
    this.resolve(buffer === null ? inMemory(pieces.joined(), trailers) : inStorage(buffer, trailers));
  }

  private fail(error: unknown): void {
    if (this.over) return;
    this.over = true;
    this.pieces.take();
    this.body.abandon();
    void this.buffer?.release();
    this.reject(error);
  }
}

function inMemory(bytes: Buffer, trailers: string): KeptContent {
  return {
    length: bytes.length,
    bytes,
    trailers,
    lasting: true,
    begun: false,
    async *[Symbol.asyncIterator]() {
      yield bytes;
    },
    hold() {},
    letGo() {},
    release() {},
  };
}

function inStorage(buffer: TemporaryBuffer, trailers: string): KeptContent {
  let begun = false;
  let users = 0;
  const leave = async (): Promise<void> => {
    if (--users === 0 && begun) await buffer.release();
  };
  return {
    length: buffer.length,
    bytes: null,
    trailers,
    lasting: true,
    get begun() {
      return begun;
    },
    async *[Symbol.asyncIterator]() {
      begun = true;
      users++;
      try {
        yield* buffer.read();
      } finally {
        await leave();
      }
    },
    hold() {
      users++;
    },
    letGo() {
      void leave();
    },
    release() {
      void buffer.release();
    },
  };
}
