import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { LONGEST_REVIEW, ReviewBodies } from '../../../controller/admission/review-bodies.ts';
import { memoryUse } from '../../support/clients/memory.ts';

/** A body that stops before its end until it is let go on. */
function heldBody(pieces: Iterable<Buffer>): { body: Readable; isTaken: Promise<void>; end(): void } {
  const taken = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  async function* content(): AsyncGenerator<Buffer> {
    yield* pieces;
    taken.resolve();
    await ended.promise;
  }
  return { body: Readable.from(content(), { objectMode: false }), isTaken: taken.promise, end: ended.resolve };
}

function* singleBytes(count: number): Generator<Buffer> {
  for (let at = 0; at < count; at++) yield Buffer.from('a');
}

describe('ReviewBodies', () => {
  it('joins pieces at any cut', async () => {
    const bytes = Buffer.from('{"name":"Zoë"}'.repeat(3_000));
    const pieces = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
    expect(await new ReviewBodies().read(Readable.from(pieces))).toEqual({ text: bytes.toString() });
  });

  it('uses no more memory for many small pieces than for few large ones', async () => {
    const { body, isTaken, end } = heldBody(singleBytes(300_000));
    const before = memoryUse().heap;
    const reading = new ReviewBodies().read(body);
    await isTaken;
    expect(memoryUse().heap - before).toBeLessThan(10 * 1024 * 1024);
    end();
    expect(await reading).toEqual({ text: 'a'.repeat(300_000) });
  });

  it('rejects a body that is too long, and bodies beyond the total limit', async () => {
    const bodies = new ReviewBodies();
    const longest = Buffer.alloc(LONGEST_REVIEW, 'a');
    expect(await bodies.read(Readable.from([longest, Buffer.from('a')]))).toEqual({ refusal: 'too-long' });
    const held = Array.from({ length: 16 }, () => heldBody([longest]));
    const readings = held.map(({ body }) => bodies.read(body));
    await Promise.all(held.map(({ isTaken }) => isTaken));
    expect(await bodies.read(Readable.from([Buffer.from('a')]))).toEqual({ refusal: 'too-many' });
    for (const { end } of held) end();
    await Promise.all(readings);
    expect(await bodies.read(Readable.from([longest]))).toHaveProperty('text');
  });
});
