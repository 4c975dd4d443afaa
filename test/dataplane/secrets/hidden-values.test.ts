import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import type { JsonValue } from '../../../contract/document/json-value.ts';
import type { SecretsProvider } from '../../../dataplane/heap/objects/secrets.ts';
import { buildObjects } from '../../support/gateways/built-object.ts';
import { checkConfigured } from '../../support/gateways/configured-gateway.ts';
import { operatorReach } from '../../support/gateways/operator-reach.ts';
import { certificateAuthority } from '../../support/identity/certificates.ts';
import { secretFolder } from '../../support/identity/secret-folder.ts';

const VALUE = 'Tr0ub4dor-and-three!';
const { pem, key } = certificateAuthority('any').issue();

/** The value in every form in which it could be printed, whole or in part. */
function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  const texts = [value, bytes.toString('base64'), bytes.toString('hex'), [...bytes].join(', '), [...bytes].join(',')];
  return texts.flatMap((text) => [text.slice(0, 12), text.slice(-12)]);
}

/** What anybody could print of these things. */
function printed(...things: readonly unknown[]): string {
  return things
    .map((thing) => [
      inspect(thing, { depth: 20, showHidden: true, getters: true }),
      JSON.stringify(thing),
      String(thing),
      thing instanceof Error ? `${thing.stack} ${inspect(thing.cause)}` : '',
    ])
    .join('\n');
}

const bodyOf = (block: string): string =>
  block
    .replace(/-----.*-----/g, '')
    .replace(/\s+/g, '')
    .slice(0, 60);

describe('a value of a secret', () => {
  const stores: readonly (readonly [string, (directory: string) => JsonValue])[] = [
    ['files as they are', (directory) => ({ type: 'FileSystemSecretStore', config: { directory, format: 'PLAIN' } })],
    ['files that should be base64', (directory) => ({ type: 'FileSystemSecretStore', config: { directory } })],
    [
      'files that should be PEM',
      (directory) => ({ type: 'FileSystemSecretStore', config: { directory, format: { type: 'PemPropertyFormat' } } }),
    ],
    ['the environment', () => ({ type: 'SystemAndEnvSecretStore', config: { format: 'PLAIN' } })],
    ['the environment that should be base64', () => ({ type: 'SystemAndEnvSecretStore' })],
    [
      'the document',
      () => ({
        type: 'Base64EncodedSecretStore',
        config: { secrets: { plain: Buffer.from(VALUE).toString('base64'), broken: 'AAAA', tls: 'AAAA' } },
      }),
    ],
  ];

  it.each(stores)('is never printed: %s', async (_, declaration) => {
    const files = {
      plain: VALUE,
      broken: pem.slice(0, -60),
      damaged: key.replace(/.{20}\n-----END/, '\n-----END'),
      tls: pem,
    };
    const directory = secretFolder(files);
    const env = Object.fromEntries(Object.entries(files).map(([id, value]) => [id.toUpperCase(), value]));
    const store = declaration(directory);
    const heap = [{ name: 'it', type: 'SecretsProvider', config: { stores: [store] } }];
    const objects = buildObjects(heap, operatorReach(env));
    const provider = objects.get('secretsProvider', 'it');
    const heard = vi.fn();
    provider.watch(heard);
    const seen = await answers(provider);
    writeFileSync(join(directory, 'plain'), `${VALUE}\n`);
    writeFileSync(join(directory, 'tls'), key.slice(0, 100));
    if (JSON.stringify(store).includes(directory)) {
      await vi.waitFor(() => expect(heard).toHaveBeenCalled(), { timeout: 120_000 });
    }
    seen.push(...(await answers(provider)));
    const text = printed(provider, objects.problems, objects.logged, ...seen);
    for (const form of [...formsOf(VALUE), ...formsOf(bodyOf(key))]) expect(text).not.toContain(form);
  });

  it('is never part of a document problem', () => {
    const secrets = { a: `${VALUE}`, b: [VALUE], c: { d: VALUE } };
    const heap = [{ name: 'it', type: 'Base64EncodedSecretStore', config: { secrets } }];
    const problems = checkConfigured({ heap, handler: 'ReverseProxyHandler' });
    expect(problems.length).toBeGreaterThan(2);
    for (const form of formsOf(VALUE)) expect(JSON.stringify(problems)).not.toContain(form);
  });
});

/** Everything that a provider answers, errors too. */
async function answers(provider: SecretsProvider): Promise<unknown[]> {
  const questions = ['plain', 'broken', 'damaged', 'tls', 'none'].flatMap((id) => [
    provider.active(id),
    provider.valid(id),
    provider.key('sign', id),
    provider.keys('verify', id),
    provider.named('sign', id, 'other'),
  ]);
  return (await Promise.allSettled(questions)).map((one) => (one.status === 'fulfilled' ? one.value : one.reason));
}
