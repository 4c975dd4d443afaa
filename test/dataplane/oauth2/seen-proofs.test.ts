import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { LONGEST_MEMORY, SeenProofs } from '../../../dataplane/oauth2/seen-proofs.ts';
import type { ProofRace } from '../../support/identity/proof-racer.ts';

const NOW = 1_794_752_157;

function memory(): SharedArrayBuffer {
  return new SharedArrayBuffer(SeenProofs.bytes);
}

it('detects a replayed proof until it expires', () => {
  const seen = new SeenProofs(memory());
  expect(seen.add('one', NOW, NOW + 60)).toBe('new');
  expect(seen.add('two', NOW, NOW + 60)).toBe('new');
  expect(seen.add('one', NOW, NOW + 60)).toBe('seen');
  expect(seen.add('one', NOW + 60, NOW + 60)).toBe('seen');
  expect(seen.add('one', NOW + 61, NOW + 121)).toBe('new');
  expect(seen.add('one', NOW + 62, NOW + 122)).toBe('seen');
});

it('detects a replayed proof for the maximum time', () => {
  const seen = new SeenProofs(memory());
  expect(seen.add('one', NOW, NOW + LONGEST_MEMORY)).toBe('new');
  expect(seen.add('one', NOW, NOW + LONGEST_MEMORY)).toBe('seen');
  expect(seen.add('one', NOW + LONGEST_MEMORY, NOW + LONGEST_MEMORY)).toBe('seen');
});

it('works when truncated seconds wrap around, and beyond 32 bits', () => {
  for (const now of [(1 << 20) * 1711 - 30, 2 ** 31 - 30, 2 ** 32 - 30, 2 ** 33]) {
    const seen = new SeenProofs(memory());
    expect(seen.add('one', now, now + 60)).toBe('new');
    expect(seen.add('one', now + 59, now + 60)).toBe('seen');
    expect(seen.add('one', now + 61, now + 121)).toBe('new');
  }
});

it('is shared by all units with the same memory', () => {
  const shared = memory();
  expect(new SeenProofs(shared).add('one', NOW, NOW + 60)).toBe('new');
  expect(new SeenProofs(shared).add('one', NOW, NOW + 60)).toBe('seen');
});

it('confuses no two proofs, and has room for 300,000', () => {
  const seen = new SeenProofs(memory());
  const told = { new: 0, seen: 0, full: 0 };
  for (let proof = 0; proof < 300_000; proof++) told[seen.add(`proof ${proof}`, NOW, NOW + 60)]++;
  expect(told.seen).toBe(0);
  expect(told.full).toBeLessThan(30);
});

it('evicts nothing when it is full, and has room again after proofs expire', () => {
  const shared = memory();
  const seen = new SeenProofs(shared);
  const later = 2n ** 20n - 1n;
  new BigUint64Array(shared).fill((7n << 20n) | (BigInt(NOW + 60) & later));
  expect(seen.add('one', NOW, NOW + 60)).toBe('full');
  expect(seen.add('one', NOW + 61, NOW + 121)).toBe('new');
});

it('accepts a proof as new in at most one of several threads', async () => {
  const race: ProofRace = {
    memory: memory(),
    ready: new SharedArrayBuffer(4),
    threads: 3,
    proofs: 3000,
    now: NOW,
  };
  const racer = async (): Promise<number[]> => {
    const worker = new Worker(new URL('../../support/identity/proof-racer.ts', import.meta.url), { workerData: race });
    const [own] = (await once(worker, 'message')) as [number[]];
    await worker.terminate();
    return own;
  };
  const winners = (await Promise.all([racer(), racer(), racer()])).flat();
  expect(new Set(winners).size).toBe(winners.length);
  expect(winners.length).toBeGreaterThan(race.proofs / 2);
});
