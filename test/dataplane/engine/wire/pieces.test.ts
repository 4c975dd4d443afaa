import { expect, it } from 'vitest';
import { Body } from '../../../../dataplane/engine/message/body.ts';
import { Pieces } from '../../../../dataplane/engine/wire/pieces.ts';
import { SpillingStorage } from '../../../../dataplane/services/spilling-storage.ts';
import { randomNumbers } from '../../../support/clients/random.ts';

const source = { pauseBody() {}, resumeBody() {}, abandonBody() {}, bodyWanted() {} };
const BYTE = Buffer.from('x');

it('keeps bytes in order for any sequence of writes and reads', () => {
  const random = randomNumbers(5);
  const bytes = Buffer.from(Array.from({ length: 70_000 }, () => random(256)));
  for (let run = 0; run < 200; run++) {
    const pieces = new Pieces();
    const taken: Buffer[] = [];
    let at = 0;
    while (at < bytes.length) {
      const end = Math.min(bytes.length, at + random([2, 50, 5000, 20_000][random(4)]!));
      pieces.add(bytes, at, end);
      at = end;
      if (random(20) === 0) taken.push(...pieces.take());
      else if (random(19) === 0) taken.push(pieces.shift() ?? Buffer.alloc(0));
      else if (random(50) === 0) expect(pieces.joined()).toHaveLength(pieces.length);
    }
    const left = pieces.joined();
    expect(Buffer.concat([...taken, left]).equals(bytes)).toBe(true);
    expect(Buffer.concat(pieces.take()).equals(left)).toBe(true);
    expect([pieces.length, pieces.shift()]).toEqual([0, undefined]);
  }
});

it('uses at most twice the memory of the bytes for all sizes', () => {
  const pieces = new Pieces();
  const bytes = Buffer.alloc(4096);
  for (let i = 0; i < 1000; i++) pieces.add(bytes, 0, i % 2 === 0 ? 1 : bytes.length);
  const memory = new Set(pieces.list().map(({ buffer }) => buffer));
  expect([...memory].reduce((sum, { byteLength }) => sum + byteLength, 0)).toBeLessThan(2 * pieces.length + 131_072);
});

it('a body that arrives byte by byte is stored in few pieces', () => {
  const body = new Body(source, -1);
  for (let i = 0; i < 60_000; i++) body.push(BYTE, 0, 1);
  const lengths: number[] = [];
  body.pipe({
    bodyData: (_bytes, start, end) => void lengths.push(end - start),
    bodyEnd() {},
    bodyFailed() {},
  });
  expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(60_000);
  expect(lengths.length).toBeLessThan(20);
});

it('a storage that is written byte by byte keeps few pieces', async () => {
  const storage = new SpillingStorage({ memoryLimit: 60_000, limit: 60_000, directory: '' });
  const buffer = storage.open();
  for (let i = 0; i < 60_000; i++) await buffer.write(BYTE);
  const read = await Array.fromAsync(buffer.read());
  await storage.close();
  expect(Buffer.concat(read)).toHaveLength(60_000);
  expect(read.length).toBeLessThan(20);
});
