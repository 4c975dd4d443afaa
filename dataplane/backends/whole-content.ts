import type { Body, BodySink } from '../engine/message/body.ts';
import { EntityBroken, EntityTooLarge } from '../engine/message/entity-fault.ts';
import { HeldShare } from '../engine/message/held-content.ts';
import type { KeptContent } from '../engine/message/kept-content.ts';
import { Pieces } from '../engine/wire/pieces.ts';
import type { TemporaryBuffer, TemporaryStorage } from '../heap/objects/temporary-storage.ts';

/** Bytes that may be on their way to a file before the sender of the body is told to wait. */
const AHEAD = 65_536;
/** Bytes that are worth a call to the storage. */
const ENOUGH = 16_384;

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
  private readonly share = new HeldShare();
  private size = 0;
  private buffer: TemporaryBuffer | null = null;
  /** Something is on its way to the storage: what comes meanwhile is put together and goes as one. */
  private storing = false;
  private paused = false;
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
    this.size += end - start;
    if (this.size > limit) {
      this.fail(new EntityTooLarge(limit, ofResponse, setting));
      return;
    }
    const { buffer, pieces } = this;
    if (buffer !== null && !this.storing && pieces.length === 0 && end - start >= ENOUGH) {
      this.store(buffer, [bytes.subarray(start, end)]);
      return;
    }
    pieces.add(bytes, start, end);
    const mayHold = this.share.hold(pieces.allocated);
    if (buffer === null) {
      if (this.size <= storage.memoryLimit && mayHold) return;
      try {
        this.buffer = storage.open();
      } catch (error) {
        this.fail(error);
        return;
      }
    }
    this.storeEnough(mayHold && buffer !== null ? ENOUGH : 1);
    if (this.storing && !this.paused && (pieces.length > AHEAD || !mayHold)) {
      this.paused = true;
      this.body.pause();
    }
  }

  /** Stores what was put together, where it is worth it or nothing follows. */
  private storeEnough(enough = ENOUGH): void {
    const { buffer, pieces } = this;
    if (this.storing || buffer === null || pieces.length === 0) return;
    if (pieces.length < enough && this.trailers === null) return;
    this.store(buffer, pieces.take());
    this.share.release();
  }

  private store(buffer: TemporaryBuffer, chunks: readonly Uint8Array[]): void {
    this.storing = true;
    const stored = (): void => {
      this.storing = false;
      if (this.over) return;
      this.storeEnough();
      if (this.paused && !this.storing) {
        this.paused = false;
        this.body.resume();
      }
      this.finishIfWhole();
    };
    Promise.all(chunks.map((chunk) => buffer.write(chunk))).then(stored, (error: unknown) => this.fail(error));
  }

  bodyEnd(trailers: string): void {
    this.trailers = trailers;
    this.storeEnough();
    this.finishIfWhole();
  }

  bodyFailed(): void {
    this.fail(new EntityBroken(this.rule.ofResponse));
  }

  private finishIfWhole(): void {
    if (this.over || this.trailers === null || this.storing) return;
    this.over = true;
    const { buffer, pieces, trailers, share } = this;
    this.resolve(buffer === null ? inMemory(pieces.joined(), trailers, share) : inStorage(buffer, trailers));
  }

  private fail(error: unknown): void {
    if (this.over) return;
    this.over = true;
    this.pieces.take();
    this.share.release();
    this.body.abandon();
    void this.buffer?.release();
    this.reject(error);
  }
}

function inMemory(bytes: Buffer, trailers: string, share: HeldShare): KeptContent {
  share.hold(bytes.length);
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
    release() {
      share.release();
    },
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
