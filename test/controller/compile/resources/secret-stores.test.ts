import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { isOlder, type SharedObjects } from '../../../../contract/snapshot.ts';
import type { Compilation } from '../../../../controller/compile/compiler.ts';
import type { ResourceVerdict } from '../../../../controller/compile/resources/resource-verdict.ts';
import { CompiledCluster, verdictIn } from '../../../support/cluster/compiled-cluster.ts';
import { proxied } from '../../../support/gateways/proxied-route.ts';

const files: JsonObject = { type: 'FileSystemSecretStore', config: { format: 'PLAIN' }, secrets: [{ name: 'keys' }] };

/** A Route that takes its keys from this store. */
function using(store: JsonObject | string, more: JsonObject = {}): JsonObject {
  const config = { issuer: 'https://id.example', secretsProvider: store, verificationSecretId: 'verify' };
  const accessTokenResolver = { type: 'StatelessAccessTokenResolver', config };
  const filter = { type: 'OAuth2ResourceServerFilter', config: { scopes: ['read'], accessTokenResolver } };
  return {
    ...proxied,
    ...more,
    handler: { type: 'Chain', config: { filters: [filter], handler: 'ReverseProxyHandler' } },
  };
}

function said({ accepted, resolvedRefs, serves }: ResourceVerdict): string {
  return `${accepted.reason} ${resolvedRefs.reason} ${serves}`;
}

function resourceIn({ snapshot }: Compilation, store: string): SharedObjects {
  const found = snapshot?.resources?.find(({ key }) => key === `SecretStore/${store}`);
  if (found?.type !== 'objects') throw new Error(`the snapshot has no SecretStore ${store}`);
  return found;
}

function prepared(): CompiledCluster {
  return new CompiledCluster()
    .store('shop/issuer', files)
    .secret('shop/keys', { verify: 'one', other: 'two' })
    .route('shop/a', using('issuer'));
}

describe('a Route and its SecretStore', () => {
  it('refers to the store by its key, and the snapshot has only this store with its files', () => {
    const cluster = prepared().store('shop/more', files);
    const compilation = cluster.compile();
    const { route } = verdictIn(compilation, 'shop/a');
    expect(route?.resources).toEqual({ issuer: 'SecretStore/shop/issuer' });
    expect(route).not.toHaveProperty('files');
    expect(route?.document).not.toHaveProperty('heap');
    const config = { format: 'PLAIN', directory: 'shop/issuer' };
    expect(compilation.snapshot?.resources).toMatchObject([
      {
        type: 'objects',
        key: 'SecretStore/shop/issuer',
        objects: [{ name: 'shop/issuer', type: 'FileSystemSecretStore', config }],
        files: {
          'shop/issuer/verify': Buffer.from('one').toString('base64'),
          'shop/issuer/other': Buffer.from('two').toString('base64'),
        },
      },
    ]);
    expect(route?.sources?.map(({ uid }) => uid)).toEqual([
      'Route-shop/a',
      'SecretStore/shop/issuer',
      'Secret/shop/keys',
      'config-map',
    ]);
  });

  it('does not get it where an object of its own has the name', () => {
    const own = { name: 'issuer', type: 'Base64EncodedSecretStore', config: { secrets: { verify: 'b25l' } } };
    const { route } = prepared()
      .route('shop/a', using('issuer', { heap: [own] }))
      .verdict('shop/a');
    expect(route?.document['heap']).toEqual([own]);
    expect(route?.resources).toBeUndefined();
  });

  it('is the same route after a rotation of the Secret, and one resource is another', () => {
    const cluster = prepared().store('shop/more', files).route('shop/b', using('more'));
    cluster.secret('shop/others', { x: 'y' });
    const before = cluster.compile();
    const after = cluster.secret('shop/keys', { verify: 'three' }).store('shop/idle', files).compile();
    expect(verdictIn(after, 'shop/a').route).toBe(verdictIn(before, 'shop/a').route);
    expect(after.snapshot?.revision).not.toBe(before.snapshot?.revision);
    const keysOf = ({ snapshot }: typeof before) => snapshot!.resources!.map(({ key }) => key);
    expect(keysOf(after)).toEqual(['SecretStore/shop/issuer', 'SecretStore/shop/more']);
    const [one, other] = [resourceIn(before, 'shop/issuer'), resourceIn(after, 'shop/issuer')];
    expect(other.hash).not.toBe(one.hash);
    expect(other.sources?.some((source, at) => isOlder(one.sources![at]!, source))).toBe(true);
    expect(cluster.compile().snapshot?.resources).toEqual(after.snapshot?.resources);
  });

  it('requests the Secrets of all stores', () => {
    const { resources } = prepared()
      .store('b/idle', { ...files, secrets: [{ name: 'x' }, { name: 'y' }] })
      .compile();
    expect([...resources!.wantedSecrets].sort()).toEqual(['b/x', 'b/y', 'shop/keys']);
    expect(resources!.pendingSecrets).toEqual(['b/x', 'b/y']);
  });

  it.each<[string, (cluster: CompiledCluster) => unknown, string]>([
    ['the store is deleted', (cluster) => cluster.secretStores.delete('shop/issuer'), 'StoreNotFound'],
    ['the Secret is deleted', (cluster) => cluster.secret('shop/keys', undefined), 'SecretNotFound'],
    ['the label of consent is taken off', (cluster) => cluster.secret('shop/keys', null), 'SecretNotAllowed'],
    [
      'a key is taken away',
      (cluster) => cluster.store('shop/issuer', { ...files, secrets: [{ name: 'keys', items: [{ key: 'third' }] }] }),
      'SecretKeyNotFound',
    ],
    [
      'the store is not sound any more',
      (cluster) => cluster.store('shop/issuer', { ...files, config: { format: 'ODD' } }),
      'StoreInvalid',
    ],
  ])('refuses when %s, and heals when it is as before', (_, take, reason) => {
    const cluster = prepared();
    const before = cluster.verdict('shop/a');
    expect(said(before)).toBe('Accepted ResolvedRefs this');
    take(cluster);
    const revoked = cluster.verdict('shop/a');
    expect(said(revoked)).toBe(`Accepted ${reason} refuses`);
    expect(revoked.route).toMatchObject({ refuses: true });
    expect(revoked.route).not.toHaveProperty('files');
    expect(revoked.resolvedRefs.message).toContain('accessTokenResolver.config.secretsProvider');
    cluster.store('shop/issuer', files).secret('shop/keys', { verify: 'one', other: 'two' });
    const healed = cluster.verdict('shop/a');
    expect(said(healed)).toBe('Accepted ResolvedRefs this');
    expect(healed.route?.hash).toBe(before.route?.hash);
  });

  it('does not let a stale data plane restore a deleted store', () => {
    const cluster = prepared();
    const before = cluster.verdict('shop/a').route!;
    cluster.secretStores.delete('shop/issuer');
    const after = cluster.verdict('shop/a').route!;
    const of = (sources: typeof before.sources) => sources!.find(({ uid }) => uid === 'SecretStore/shop/issuer')!;
    expect(isOlder(of(before.sources), of(after.sources))).toBe(true);
    const again = cluster.store('shop/issuer', files).verdict('shop/a').route!;
    expect(isOlder(of(after.sources), of(again.sources))).toBe(true);
  });

  it('refuses although an earlier version needed no store', () => {
    const cluster = new CompiledCluster().route('shop/a', proxied);
    cluster.compile();
    expect(said(cluster.route('shop/a', using('nobody')).verdict('shop/a'))).toBe('Accepted StoreNotFound refuses');
  });

  it('refuses when the version before cannot have its store any more', () => {
    const cluster = prepared();
    cluster.compile();
    cluster.route('shop/a', { handler: 'nobody' });
    expect(said(cluster.verdict('shop/a'))).toBe('Invalid ResolvedRefs last-good');
    cluster.secretStores.delete('shop/issuer');
    const verdict = cluster.verdict('shop/a');
    expect(said(verdict)).toBe('Invalid ResolvedRefs refuses');
    expect(verdict.accepted.message).toContain('there is no SecretStore shop/issuer');
  });

  it('serves the version before with the Secrets of today', () => {
    const cluster = prepared();
    cluster.compile();
    cluster.route('shop/a', { handler: 'nobody' }).secret('shop/keys', { verify: 'new' });
    const compilation = cluster.compile();
    expect(verdictIn(compilation, 'shop/a').route).toMatchObject({ generation: 1 });
    expect(resourceIn(compilation, 'shop/issuer').files).toEqual({ 'shop/issuer/verify': 'bmV3' });
  });

  it('serves a recalled version with the current Secrets, or not at all', () => {
    const cluster = prepared();
    const before = cluster.verdict('shop/a').route!;
    cluster.touch('shop/a', { lastGood: { generation: 1, hash: before.hash } });
    cluster.route('shop/a', { handler: 'nobody' }).restart().secret('shop/keys', { verify: 'new' }).compile();
    expect(cluster.compiler.recalled(before)).toBe(true);
    const compilation = cluster.compile();
    expect(verdictIn(compilation, 'shop/a').route).toMatchObject({ generation: 1, hash: before.hash });
    expect(resourceIn(compilation, 'shop/issuer').files).toEqual({ 'shop/issuer/verify': 'bmV3' });
    cluster.secretStores.delete('shop/issuer');
    expect(said(cluster.verdict('shop/a'))).toBe('Invalid ResolvedRefs refuses');
  });

  it('keeps the served version while a Secret has not been read yet', () => {
    const cluster = prepared().store('shop/new', { ...files, secrets: [{ name: 'unread' }] });
    cluster.compile();
    const verdict = cluster.route('shop/a', using('new', { onInvalid: 'Refuse' })).verdict('shop/a');
    expect(said(verdict)).toBe('Accepted Pending last-good');
    expect(verdict.servingGeneration).toBe(1);
    expect(said(cluster.secret('shop/unread', { verify: 'x' }).verdict('shop/a'))).toBe('Accepted ResolvedRefs this');
  });

  it('has its stores in secrets.stores too', () => {
    const spec = { secrets: { stores: ['issuer'] }, ...proxied };
    const { route } = prepared().route('shop/a', spec).verdict('shop/a');
    expect(route?.resources).toEqual({ issuer: 'SecretStore/shop/issuer' });
  });
});

describe('a SecretStore of another namespace', () => {
  it.each<[string, JsonObject, string]>([
    ['that lists ours', { ...files, allowedNamespaces: ['other', 'shop'] }, 'Accepted ResolvedRefs this'],
    ['that lists all', { ...files, allowedNamespaces: ['*'] }, 'Accepted ResolvedRefs this'],
    ['that lists another', { ...files, allowedNamespaces: ['other'] }, 'Accepted StoreNotGranted refuses'],
    ['that lists none', files, 'Accepted StoreNotGranted refuses'],
  ])('%s', (_, spec, expected) => {
    const cluster = new CompiledCluster().store('platform/issuer', spec).secret('platform/keys', { verify: 'one' });
    expect(said(cluster.route('shop/a', using('platform/issuer')).verdict('shop/a'))).toBe(expected);
  });

  it('is lost with its grant', () => {
    const cluster = new CompiledCluster()
      .store('platform/issuer', { ...files, allowedNamespaces: ['shop'] })
      .secret('platform/keys', { verify: 'one' })
      .route('shop/a', using('platform/issuer'));
    expect(Object.keys(resourceIn(cluster.compile(), 'platform/issuer').files)).toEqual(['platform/issuer/verify']);
    cluster.store('platform/issuer', files);
    const compilation = cluster.compile();
    expect(said(verdictIn(compilation, 'shop/a'))).toBe('Accepted StoreNotGranted refuses');
    expect(compilation.snapshot).not.toHaveProperty('resources');
  });

  it('reads Secrets of its own namespace only', () => {
    const cluster = prepared().store('other/issuer', { ...files, allowedNamespaces: ['shop'] });
    const { resources } = cluster.route('shop/a', using('other/issuer')).compile();
    expect(resources?.wantedSecrets.has('other/keys')).toBe(true);
    expect(said(verdictIn(cluster.secret('other/keys', undefined).compile(), 'shop/a'))).toContain('SecretNotFound');
  });
});

describe('a single SecretStore', () => {
  const keystore = { file: 'store.p12', mappings: [{ secretId: 'verify', aliases: ['a'] }] };
  const password = { type: 'FileSystemSecretStore', config: { format: 'PLAIN' } };
  const one = { name: 'keys' };

  it.each<[string, JsonObject, string, RegExp]>([
    ['files', files, 'Accepted ResolvedRefs this', /it is valid/],
    ['a type that is none', { type: 'Nothing' }, 'Invalid ResolvedRefs nothing', /spec\.type: /],
    ['a type that is no store', { type: 'ClientHandler' }, 'Invalid ResolvedRefs nothing', /spec\.type: /],
    ['an operator type', { type: 'SystemAndEnvSecretStore' }, 'Invalid ResolvedRefs nothing', /for operators only/],
    [
      'a directory',
      { ...files, config: { format: 'PLAIN', directory: '/etc' } },
      'Invalid ResolvedRefs nothing',
      /left out/,
    ],
    [
      'no Secrets',
      { type: 'FileSystemSecretStore', config: { format: 'PLAIN' } },
      'Invalid ResolvedRefs nothing',
      /spec\.secrets: is required/,
    ],
    ['a field that is none', { ...files, secret: [] }, 'Invalid ResolvedRefs nothing', /spec\.secret: /],
    ['a token', { ...files, config: { format: '&{HOME}' } }, 'Invalid ResolvedRefs nothing', /not allowed/],
    [
      'a keystore',
      { type: 'KeyStoreSecretStore', config: { ...keystore, secretsProvider: password }, secrets: [one] },
      'Accepted ResolvedRefs this',
      /it is valid/,
    ],
    [
      'a keystore whose file is elsewhere',
      {
        type: 'KeyStoreSecretStore',
        config: { ...keystore, file: '../x/store.p12', secretsProvider: password },
        secrets: [one],
      },
      'Invalid ResolvedRefs nothing',
      /spec\.config\.file: /,
    ],
    [
      'a keystore of which a directory is elsewhere',
      {
        type: 'KeyStoreSecretStore',
        config: { ...keystore, secretsProvider: { ...password, config: { directory: '/etc', format: 'PLAIN' } } },
        secrets: [one],
      },
      'Invalid ResolvedRefs nothing',
      /spec\.config\.secretsProvider\.config\.directory: /,
    ],
    [
      'values',
      { type: 'Base64EncodedSecretStore', secrets: [{ ...one, items: [{ key: 'pass', secretId: 'verify' }] }] },
      'Accepted ResolvedRefs this',
      /it is valid/,
    ],
    [
      'files for a store of values',
      { type: 'Base64EncodedSecretStore', secrets: [one] },
      'Invalid ResolvedRefs nothing',
      /reads no files/,
    ],
    [
      'values for a store of files',
      { ...files, secrets: [{ ...one, items: [{ key: 'pass', secretId: 'x' }] }] },
      'Invalid ResolvedRefs nothing',
      /only a Base64EncodedSecretStore/,
    ],
    [
      'one file twice',
      {
        ...files,
        secrets: [
          {
            ...one,
            items: [
              { key: 'pass', file: 'a' },
              { key: 'store.p12', file: 'a' },
            ],
          },
        ],
      },
      'Invalid ResolvedRefs nothing',
      /a second time/,
    ],
  ])('has the conditions for %s', (_, spec, expected, message) => {
    const cluster = new CompiledCluster().store('shop/s', spec).secret('shop/keys', { 'store.p12': 'x', pass: 'y' });
    const verdict = cluster.verdict('shop/s', 'SecretStore');
    expect(said(verdict)).toBe(expected);
    expect(verdict.accepted.message).toMatch(message);
  });

  it('puts values where its type looks for them', () => {
    const items = [{ key: 'pass', secretId: 'verify' }];
    const cluster = new CompiledCluster()
      .store('shop/s', { type: 'Base64EncodedSecretStore', secrets: [{ ...one, items }] })
      .secret('shop/keys', { pass: 'y' })
      .route('shop/a', using('s'));
    expect(resourceIn(cluster.compile(), 'shop/s').objects).toMatchObject([
      { config: { secrets: { verify: 'eQ==' } } },
    ]);
  });

  it('is refused when its Secrets are too long to be sent', () => {
    const cluster = prepared().secret('shop/keys', { verify: 'x'.repeat(7 * 1024 * 1024) });
    const verdict = cluster.verdict('shop/issuer', 'SecretStore');
    expect(said(verdict)).toBe('Invalid ResolvedRefs nothing');
    expect(verdict.accepted.message).toContain('spec.secrets: the Secrets have');
    expect(said(cluster.verdict('shop/a'))).toBe('Accepted StoreInvalid refuses');
  });

  it('resolves other stores in its own namespace for every user', () => {
    const cluster = new CompiledCluster()
      .store('platform/passwords', { ...files, secrets: [{ name: 'passwords' }] })
      .store('shop/passwords', files)
      .store('platform/keys', {
        type: 'KeyStoreSecretStore',
        config: { ...keystore, secretsProvider: 'passwords' },
        secrets: [one],
        allowedNamespaces: ['shop'],
      })
      .secret('platform/passwords', { pass: 'p' })
      .secret('platform/keys', { 'store.p12': 'x' })
      .secret('shop/keys', { pass: 'not this one' })
      .route('shop/a', using('platform/keys'));
    const { objects, files: own } = resourceIn(cluster.compile(), 'platform/keys');
    expect(objects.map(({ name }) => name)).toEqual(['platform/keys', 'platform/passwords']);
    expect(Object.keys(own).sort()).toEqual(['platform/keys/store.p12', 'platform/passwords/pass']);
    cluster.secret('platform/passwords', null);
    expect(said(cluster.verdict('shop/a'))).toBe('Accepted SecretNotAllowed refuses');
  });

  it('does not need itself', () => {
    const needing = (name: string): JsonObject => ({
      type: 'KeyStoreSecretStore',
      config: { ...keystore, secretsProvider: name },
      secrets: [one],
    });
    const cluster = new CompiledCluster()
      .store('shop/a', needing('b'))
      .store('shop/b', needing('a'))
      .secret('shop/keys', { 'store.p12': 'x' })
      .route('shop/c', using('a'));
    cluster.compile();
    const compilation = cluster.compile();
    for (const key of ['shop/a', 'shop/b']) {
      expect(said(verdictIn(compilation, key, 'SecretStore'))).toBe('Accepted StoreInvalid nothing');
    }
    expect(said(verdictIn(compilation, 'shop/c'))).toContain('StoreInvalid refuses');
    cluster.store('shop/b', files);
    expect(said(cluster.verdict('shop/c'))).toBe('Accepted ResolvedRefs this');
  });

  it('never shows a secret', () => {
    const spec = { ...files, config: { format: 'ODD' } };
    const cluster = new CompiledCluster().store('shop/s', spec).secret('shop/keys', { verify: 'sesame' });
    const { resources } = cluster.route('shop/a', using('s')).compile();
    const shown = JSON.stringify(resources?.verdicts);
    expect(shown).not.toContain('sesame');
    expect(shown).not.toContain(Buffer.from('sesame').toString('base64'));
  });
});
