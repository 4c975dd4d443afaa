import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { problemsOf, startFiltered } from '../../../support/gateways/filtered-gateway.ts';
import { inlineSecrets } from '../../../support/identity/inline-secrets.ts';
import { secretFolder } from '../../../support/identity/secret-folder.ts';

const TYPE = 'HttpBasicAuthenticationClientFilter';
const secretsProvider = inlineSecrets({ pw: 'x' });

async function sentBy(config: object, password: string | Uint8Array): Promise<string[]> {
  const filter = {
    type: TYPE,
    config: { passwordSecretId: 'pw', secretsProvider: inlineSecrets({ pw: password }), ...config },
  };
  const { ask, seen } = await startFiltered([JSON.parse(JSON.stringify(filter))]);
  expect((await ask('/', { headers: ['Authorization: Bearer of-the-client'] })).status).toBe(200);
  return seen[0]!.headers.filter(([name]) => name === 'authorization').map(([, value]) => value);
}

function basic(credentials: string | Buffer): string {
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}

describe(TYPE, () => {
  it.each([
    ['gateway', 'secret', false, 'gateway:secret'],
    ['gateway', 'a:b c%&', false, 'gateway:a:b c%&'],
    ['gäte', 'pässwörd', false, 'gäte:pässwörd'],
    ['a:b c', 'p:w ä*-._~', true, 'a%3Ab+c:p%3Aw+%C3%A4*-._%7E'],
  ])('sends %s and %s, encoded: %s', async (username, password, urlEncodeCredentials, credentials) => {
    expect(await sentBy({ username, urlEncodeCredentials }, password)).toEqual([basic(credentials)]);
  });

  it('sends a binary password byte for byte', async () => {
    const bytes = Buffer.from([0xff, 0x00, 0xfe]);
    const sent = await sentBy({ username: 'u' }, bytes);
    expect(sent).toEqual([basic(Buffer.concat([Buffer.from('u:'), bytes]))]);
  });

  it('uses a new password at once, and answers 500 if there is none', async () => {
    const directory = secretFolder({ pw: 'one' });
    const store = { type: 'FileSystemSecretStore', config: { directory, format: 'PLAIN' } };
    const config = { username: 'u', passwordSecretId: 'pw', secretsProvider: store };
    const { ask, seen, logged } = await startFiltered([{ type: TYPE, config }]);
    await ask('/');
    writeFileSync(join(directory, '.new'), 'two');
    renameSync(join(directory, '.new'), join(directory, 'pw'));
    await vi.waitFor(async () => {
      await ask('/');
      expect(new Map(seen.at(-1)!.headers).get('authorization')).toBe(basic('u:two'));
    });
    expect(new Map(seen[0]!.headers).get('authorization')).toBe(basic('u:one'));
    expect(JSON.stringify(logged)).not.toMatch(/one|two|dTpv|dTp0/);
    const lacking = await startFiltered([{ type: TYPE, config: { ...config, passwordSecretId: 'other' } }]);
    expect((await lacking.ask('/')).status).toBe(500);
    expect(lacking.seen).toEqual([]);
  });

  it.each([
    [
      {},
      [
        'missing username: is required',
        'missing passwordSecretId: is required',
        'missing secretsProvider: is required',
      ],
    ],
    [
      { username: 'a:b', passwordSecretId: 'pw', secretsProvider },
      ['value username: must hold no colon, which ends the name in Basic authentication'],
    ],
    [{ username: 'a\nb', passwordSecretId: 'pw', secretsProvider }, ['value username: must hold no control character']],
    [{ username: 'a:b', passwordSecretId: 'pw', secretsProvider, urlEncodeCredentials: true }, []],
    [
      { username: 'a', passwordSecretId: 'p w', secretsProvider },
      ["value passwordSecretId: must be the id of a secret: letters, digits, '_' and '-' with single dots between"],
    ],
  ])('validates the configuration %j', (config, problems) => {
    expect(problemsOf(TYPE, JSON.parse(JSON.stringify(config))).filter((one) => !one.startsWith('insecure'))).toEqual(
      problems,
    );
  });
});
