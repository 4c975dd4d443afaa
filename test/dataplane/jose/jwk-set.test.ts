import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { JwkSetReader } from '../../../dataplane/jose/jwk-set.ts';

function jwk(kid: string): object {
  return { ...generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }), kid };
}

function content(...keys: readonly unknown[]): Buffer {
  return Buffer.from(JSON.stringify({ keys }));
}

function reader() {
  const skipped: (readonly [number, string])[] = [];
  return { skipped, it: new JwkSetReader({ skipped: (index, reason) => skipped.push([index, reason]) }) };
}

describe('JwkSetReader', () => {
  it('returns the same objects for unchanged keys in any order', async () => {
    const [a, b, c] = [jwk('a'), jwk('b'), jwk('c')];
    const { it: sets } = reader();
    const first = await sets.set(content(a, b));
    expect(await sets.set(content(a, b))).toBe(first);
    const second = await sets.set(content(c, b, a));
    expect(second.map(({ stableId }) => stableId)).toEqual(['c', 'b', 'a']);
    expect([second[1], second[2]]).toEqual([first[1], first[0]]);
    expect(second[1]).toBe(first[1]);
    expect(second[2]).toBe(first[0]);
  });

  it('reports the problem of a key once while it is in the set', async () => {
    const { it: sets, skipped } = reader();
    const bad = { kty: 'XX' };
    await sets.set(content(bad, jwk('a')));
    await sets.set(content(bad, jwk('b')));
    expect(skipped).toEqual([[0, "its 'kty' is not supported"]]);
    await sets.set(content(jwk('b')));
    await sets.set(content(bad));
    expect(skipped.length).toBe(2);
  });

  it('does not block the event loop while it reads a large set', async () => {
    const { it: sets } = reader();
    let turns = 0;
    let isReading = true;
    const count = (): void => {
      turns++;
      if (isReading) setImmediate(count);
    };
    setImmediate(count);
    const keys = await sets.set(content(...Array.from({ length: 100 }, (_, at) => jwk(`k${at}`))));
    isReading = false;
    expect(keys.length).toBe(100);
    expect(turns).toBeGreaterThan(5);
  });

  it('keeps the known keys when a set cannot be read', async () => {
    const { it: sets } = reader();
    const set = content(jwk('a'));
    const first = await sets.set(set);
    await expect(sets.set(Buffer.from('{"keys":1}'))).rejects.toThrow("no array 'keys'");
    expect(await sets.set(set)).toBe(first);
  });
});
