import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { KeyUsage } from '../../../dataplane/heap/objects/secrets.ts';
import { buildObject, buildObjects } from '../../support/gateways/built-object.ts';
import { operatorReach } from '../../support/gateways/operator-reach.ts';
import { refusals } from '../../support/gateways/refused-objects.ts';

const TYPE = 'SecretKeyPropertyFormat';
const KEY = Buffer.alloc(32, 7);

describe(TYPE, () => {
  it.each<readonly [JsonObject, string, string | null, readonly KeyUsage[]]>([
    [{ algorithm: 'AES' }, KEY.toString('base64'), null, ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey']],
    [{ algorithm: 'HmacSHA256' }, KEY.toString('base64'), 'HS256', ['sign', 'verify']],
    [{ algorithm: 'hmacsha256', format: 'PLAIN' }, KEY.toString('latin1'), 'HS256', ['sign', 'verify']],
    [{ algorithm: 'HmacSHA512' }, Buffer.alloc(64, 7).toString('base64'), 'HS512', ['sign', 'verify']],
  ])('reads a key for %o', async (config, value, algorithm, usages) => {
    const [key, ...others] = await buildObject('propertyFormat', TYPE, config).object.decode('id', Buffer.from(value));
    expect(others).toEqual([]);
    expect(key).toMatchObject({ kind: 'key', stableId: 'id', algorithm, usages: new Set(usages) });
    expect(key?.kind === 'key' && key.key.export()).toEqual(Buffer.from(value, config['format'] ? 'latin1' : 'base64'));
  });

  it.each<readonly [JsonObject, Uint8Array, RegExp]>([
    [{ algorithm: 'AES' }, Buffer.alloc(15), /for AES must have 16, 24, 32, 48 or 64 bytes/],
    [{ algorithm: 'HmacSHA256' }, Buffer.alloc(31), /for HmacSHA256 must have at least 32 bytes/],
    [{ algorithm: 'HmacSHA384' }, Buffer.alloc(47), /at least 48/],
    [{ algorithm: 'HmacSHA512' }, Buffer.alloc(63), /at least 64/],
  ])('refuses a key of another length for %o', async (config, bytes, message) => {
    const format = buildObject('propertyFormat', TYPE, config).object;
    await expect(format.decode('id', Buffer.from(Buffer.from(bytes).toString('base64')))).rejects.toThrow(message);
  });

  it('rejects a value that is not in its format, and a format that returns keys', async () => {
    const decode = (config: JsonObject) =>
      buildObject('propertyFormat', TYPE, config).object.decode('id', Buffer.from('{"kty":"oct","k":"AAAA"}'));
    await expect(decode({ algorithm: 'AES' })).rejects.toThrow('not base64');
    await expect(decode({ algorithm: 'AES', format: { type: 'JwkPropertyFormat' } })).rejects.toThrow('gives a key');
  });

  it.each<readonly [JsonObject, readonly string[]]>([
    [{}, ['config.algorithm: is required']],
    [{ algorithm: 'DES' }, ['config.algorithm: must be one of AES, HmacSHA256, HmacSHA384, HmacSHA512']],
    [{ algorithm: 5 }, ['config.algorithm: must be the name of an algorithm, not a number']],
  ])('refuses %o', (config, expected) => {
    expect(refusals({ type: TYPE, config })).toEqual(expected);
  });

  it('decodes environment variables of a store', async () => {
    const format = { type: TYPE, config: { algorithm: 'HmacSHA256' } };
    const objects = buildObjects(
      [{ name: 'it', type: 'SystemAndEnvSecretStore', config: { mappings: [{ secretId: 'jwt.key', format }] } }],
      operatorReach({ JWT_KEY: KEY.toString('base64') }),
    );
    const store = objects.get('secretStore', 'it');
    expect((await store.key('sign', 'jwt.key')).algorithm).toBe('HS256');
    await expect(store.active('jwt.key')).rejects.toThrow('the stored value is a CryptoKey');
  });
});
