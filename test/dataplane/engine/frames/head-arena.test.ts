import { expect, it } from 'vitest';
import { beginHead, endHead, headArena } from '../../../../dataplane/engine/frames/head-arena.ts';
import { wake } from '../../../../dataplane/engine/wire/turn.ts';
import { nextTurn } from '../../../support/clients/event-loop.ts';

it('gives every head of a turn separate bytes, and reuses them in the next turn', async () => {
  const heads: { bytes: Buffer; start: number; mark: number }[] = [];
  for (let i = 0; i < 300; i++) {
    const length = i % 3 === 0 ? 300_000 : 20_000;
    beginHead(length);
    const { bytes, at } = headArena;
    expect(at + length).toBeLessThan(bytes.length);
    bytes.fill(i & 255, at, at + 1000);
    heads.push({ bytes, start: at, mark: i & 255 });
    endHead(at + 1000);
  }
  for (const { bytes, start, mark } of heads) {
    expect(bytes.subarray(start, start + 1000).every((byte) => byte === mark)).toBe(true);
    expect(bytes[start + 1000]).toBe(0);
  }
  wake();
  await nextTurn();
  await nextTurn();
  beginHead(10);
  expect(headArena.at).toBe(0);
});
