import { hash, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { repeatedHash } from '../../../../dataplane/secrets/keystore/repeated-hash.ts';

it.each(['md5', 'sha1', 'sha256', 'sha512'])('%s is hashed with the requested number of iterations', async (name) => {
  for (let size = 0; size < 70; size++) {
    const first = randomBytes(size * 3);
    const suffix = randomBytes(size);
    for (const count of [1, 2, 3, 17]) {
      let expected = hash(name, first, 'buffer');
      for (let round = 1; round < count; round++) {
        expected = hash(name, Buffer.concat([expected, suffix]), 'buffer');
      }
      expect(await repeatedHash(name, first, suffix, count)).toEqual(expected);
    }
  }
});

it('two concurrent hashes do not affect each other', async () => {
  const one = () => repeatedHash('sha1', Buffer.from('one'), Buffer.alloc(0), 50_000);
  const other = () => repeatedHash('sha1', Buffer.from('other'), Buffer.alloc(0), 50_000);
  expect(await Promise.all([one(), other()])).toEqual([await one(), await other()]);
});
