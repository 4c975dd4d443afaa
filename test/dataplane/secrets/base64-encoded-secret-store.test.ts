import { describe, expect, it } from 'vitest';
import { NoSuchSecret } from '../../../dataplane/heap/objects/secrets.ts';
import { buildObject } from '../../support/gateways/built-object.ts';
import { refusals } from '../../support/gateways/refused-objects.ts';
import { revealed } from '../../support/identity/secret-folder.ts';

const TYPE = 'Base64EncodedSecretStore';

describe(TYPE, () => {
  it('returns the secrets of the document, with a warning', async () => {
    const { object: store, problems } = buildObject('secretStore', TYPE, { secrets: { 'a.b': 'cGFzcw==' } });
    expect(revealed(await store.active('a.b'))).toBe('pass');
    await expect(store.active('toString')).rejects.toThrow(NoSuchSecret);
    await expect(store.key('sign', 'a.b')).rejects.toThrow('the stored value is a GenericSecret');
    expect(problems).toMatchObject([{ severity: 'warning', code: 'insecure', path: ['heap', 0, 'config'] }]);
  });

  it.each([
    [{}, 'config.secrets: is required'],
    [{ secrets: { a: 'hunter2!' } }, 'config.secrets.a: is not base64'],
    [{ secrets: { a: '' } }, 'config.secrets.a: must not be empty'],
    [{ secrets: { a: 7 } }, 'config.secrets.a: must be a text in base64, not a number'],
    [
      { secrets: { 'a b': 'cGFzcw==' } },
      "config.secrets[\"a b\"]: must be the id of a secret: letters, digits, '_' and '-' with single dots between",
    ],
  ])('refuses %j', (config, said) => {
    expect(refusals({ type: TYPE, config })).toEqual([said]);
  });
});
