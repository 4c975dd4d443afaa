import { expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { MOST_SECRETS } from '../../../../controller/compile/resources/wanted-secrets.ts';
import { CompiledCluster, verdictIn } from '../../../support/cluster/compiled-cluster.ts';

const store = (...names: readonly string[]): JsonObject => ({
  type: 'FileSystemSecretStore',
  config: { format: 'PLAIN' },
  secrets: names.map((name) => ({ name })),
});

it('a namespace with too many Secrets is read up to the limit, and others are read completely', () => {
  const cluster = new CompiledCluster().store('shop/keys', store('keys')).secret('shop/keys', { a: 'b' });
  for (let at = 0; at < MOST_SECRETS; at++) cluster.store(`evil/s${String(at).padStart(3, '0')}`, store(`k${at}`));
  cluster.store('evil/t', store('k0', 'one-more'));
  const compilation = cluster.compile();
  const wanted = compilation.resources!.wantedSecrets;
  expect([wanted.size, wanted.has('shop/keys'), wanted.has('evil/one-more')]).toEqual([MOST_SECRETS + 1, true, false]);
  expect(verdictIn(compilation, 'shop/keys', 'SecretStore').serves).toBe('this');
  expect(verdictIn(compilation, 'evil/t', 'SecretStore').resolvedRefs).toMatchObject({
    status: false,
    reason: 'SecretNotFound',
    message: expect.stringContaining('the Secret evil/one-more is not read: its namespace names too many Secrets'),
  });
  cluster.secretStores.delete('evil/s001');
  expect(cluster.compile().resources!.wantedSecrets.has('evil/one-more')).toBe(true);
});
