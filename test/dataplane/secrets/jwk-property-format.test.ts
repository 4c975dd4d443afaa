import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { buildObject, buildObjects } from '../../support/gateways/built-object.ts';
import { secretFolder } from '../../support/identity/secret-folder.ts';

const TYPE = 'JwkPropertyFormat';
const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const whole = pair.privateKey.export({ format: 'jwk' });
const open = pair.publicKey.export({ format: 'jwk' });
const secret = { kty: 'oct', k: randomBytes(32).toString('base64url') };

async function decoded(value: unknown): Promise<readonly string[]> {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const keys = await buildObject('propertyFormat', TYPE).object.decode('the.id', Buffer.from(text));
  return keys.map((one) => `${one.stableId} ${one.kind === 'key' ? one.key.type : one.kind}`);
}

describe(TYPE, () => {
  it.each<readonly [string, unknown, readonly string[]]>([
    ['a private key', whole, ['the.id private', 'the.id public']],
    ['a public key', open, ['the.id public']],
    ['a symmetric key', secret, ['the.id secret']],
    ['a key with a name', { ...whole, kid: 'k1' }, ['k1 private', 'k1 public']],
    ['a set', { keys: [{ ...open, kid: 'k1' }, secret, { ...secret, kid: 's' }] }, ['k1 public', 's secret']],
    ['a set whose first key has no name', { keys: [secret] }, ['the.id secret']],
    [
      'a set with a key twice',
      {
        keys: [
          { ...open, kid: 'k1' },
          { ...open, kid: 'k1' },
        ],
      },
      ['k1 public'],
    ],
  ])('reads %s', async (_, value, expected) => {
    expect(await decoded(value)).toEqual(expected);
  });

  it.each<readonly [string, unknown, RegExp]>([
    ['no JSON', 'secret-text', /^it is not a JSON object/],
    ['a member twice', '{"kty":"oct","k":"AAAA","k":"BBBB"}', /has a duplicate member/],
    ['a key that is not sound', { kty: 'oct', k: '' }, /'k' is missing/],
    ['a set without a sound key', { keys: [{ kty: 'XX' }] }, /no key that can be used/],
    ['an empty set', { keys: [] }, /no key that can be used/],
  ])('refuses %s', async (_, value, message) => {
    await expect(decoded(value)).rejects.toThrow(message);
  });

  it('reads files of a store', async () => {
    const directory = secretFolder({ 'my.key': JSON.stringify({ ...whole, kid: 'k1', use: 'sig' }) });
    const objects = buildObjects([
      { name: 'jwk', type: TYPE },
      { name: 'it', type: 'FileSystemSecretStore', config: { directory, format: 'jwk' } },
    ]);
    const store = objects.get('secretStore', 'it');
    expect((await store.key('sign', 'my.key')).stableId).toBe('k1');
    expect((await store.named('verify', 'my.key', 'k1')).key.equals(pair.publicKey)).toBe(true);
    await expect(store.key('agreeKey', 'my.key')).rejects.toThrow('that may agree on keys');
  });
});
