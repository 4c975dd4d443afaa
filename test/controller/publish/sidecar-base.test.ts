import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { PlaneIdentity } from '../../../controller/publish/channel/plane-identity.ts';
import { PlaneViews } from '../../../controller/publish/sessions/plane-views.ts';
import { publishedCompilation } from '../../../controller/published-compilation.ts';
import { updateText } from '../../support/channel/update-text.ts';
import { CompiledCluster } from '../../support/cluster/compiled-cluster.ts';

const plane: PlaneIdentity = {
  id: 'p',
  name: 'p',
  group: 'default',
  namespace: 'gatewarden',
  labels: {},
  isSidecar: false,
  until: null,
};
const sidecar: PlaneIdentity = {
  ...plane,
  group: 'sidecars',
  namespace: 'shop',
  labels: { app: 'cart' },
  isSidecar: true,
};
const forCart = { baseURI: 'http://app.example.com:8080', dataPlanes: { matchLabels: { app: 'cart' } } };
const groups = [{ name: 'default' }, { name: 'sidecars', sidecars: true, serviceAccounts: ['shop/*'] }];
const router = { name: '_router', type: 'Router' };

const secret = (text: string): string => Buffer.from(text).toString('base64');
const store = (name: string, text: string): JsonObject => ({
  name,
  type: 'Base64EncodedSecretStore',
  config: { secrets: { 'client.secret': secret(text) } },
});
/** A filter that asks an authorization server with a credential of the operator. */
const guard = (name: string, stores: string): JsonObject => ({
  name,
  type: 'OAuth2ResourceServerFilter',
  config: {
    scopes: ['read'],
    accessTokenResolver: {
      type: 'TokenIntrospectionAccessTokenResolver',
      config: {
        endpoint: 'https://id.example.com/introspect',
        providerHandler: {
          type: 'Chain',
          config: {
            filters: [
              {
                type: 'ClientSecretBasicAuthenticationFilter',
                config: { clientId: 'gateway', clientSecretId: 'client.secret', secretsProvider: stores },
              },
            ],
            handler: 'ClientHandler',
          },
        },
      },
    },
  },
});
const guarded = (filter: string): JsonObject => ({
  type: 'Chain',
  config: { filters: [filter], handler: 'ReverseProxyHandler' },
});

class Setting {
  readonly cluster = new CompiledCluster().base('trust', { groups, tenants: tenants() });
  readonly views = new PlaneViews();

  config(config: JsonObject): this {
    this.cluster.base('config', config);
    return this;
  }

  /** Everything that a plane of this identity is sent, as text. */
  sentTo(identity: PlaneIdentity): string {
    const compilation = this.cluster.compile();
    for (const { accepted } of compilation.resources?.verdicts ?? []) expect(accepted.message).not.toMatch(/error/);
    const state = publishedCompilation(compilation, { seen: '900', versionOf: () => null });
    expect(state).not.toBeNull();
    this.views.publish(state!);
    const view = this.views.join(identity)!;
    return updateText(view.from({ running: new Map(), baseHash: null, resources: new Map() }));
  }
}

function tenants(): JsonObject[] {
  return [{ name: 'default', namespaces: ['*'], hosts: ['*'] }];
}

describe('the part of config.json for a sidecar', () => {
  it('holds no credential that no Route of the sidecar refers to', () => {
    const heap = [router, store('operator-keys', 'hunter2'), guard('introspected', 'operator-keys')];
    const setting = new Setting().config({ heap, handler: '_router', properties: { password: 'swordfish' } });
    setting.cluster.route('shop/cart', { handler: 'ReverseProxyHandler', ...forCart });
    setting.cluster.route('shop/other', { baseURI: 'http://app.example.com:8080', handler: guarded('introspected') });
    const sent = setting.sentTo(sidecar);
    expect(sent).toContain('shop.cart');
    expect(sent).not.toContain('operator-keys');
    expect(sent).not.toContain(secret('hunter2'));
    expect(sent).not.toContain('swordfish');
    const all = setting.sentTo(plane);
    expect(all).toContain(secret('hunter2'));
    expect(all).toContain('swordfish');
  });

  it('contains the objects that a Route of the sidecar refers to, with their dependencies', () => {
    const heap = [
      router,
      store('operator-keys', 'hunter2'),
      store('other-keys', 'swordfish'),
      guard('introspected', 'operator-keys'),
      guard('unused', 'other-keys'),
    ];
    const setting = new Setting().config({ heap, handler: '_router' });
    setting.cluster.route('shop/cart', { handler: guarded('introspected'), ...forCart });
    const sent = setting.sentTo(sidecar);
    expect(sent).toContain('"name":"introspected"');
    expect(sent).toContain(secret('hunter2'));
    expect(sent).not.toContain(secret('swordfish'));
    expect(sent).not.toContain('"name":"unused"');
  });

  it('changes with the Routes of the sidecar', () => {
    const heap = [router, store('operator-keys', 'hunter2'), guard('introspected', 'operator-keys')];
    const setting = new Setting().config({ heap, handler: '_router' });
    setting.cluster.route('shop/cart', { handler: 'ReverseProxyHandler', ...forCart });
    expect(setting.sentTo(sidecar)).not.toContain(secret('hunter2'));
    setting.cluster.route('shop/cart', { handler: guarded('introspected'), ...forCart });
    expect(setting.sentTo(sidecar)).toContain(secret('hunter2'));
    setting.cluster.route('shop/cart', { handler: 'ReverseProxyHandler', ...forCart });
    expect(setting.sentTo(sidecar)).not.toContain(secret('hunter2'));
  });

  it('does not change with credentials that the sidecar does not get', () => {
    const heap = (text: string): JsonObject[] => [router, store('operator-keys', text)];
    const setting = new Setting().config({ heap: heap('hunter2'), handler: '_router' });
    setting.cluster.route('shop/cart', { handler: 'ReverseProxyHandler', ...forCart });
    setting.sentTo(sidecar);
    const view = setting.views.join(sidecar)!;
    const { version } = view;
    setting.config({ heap: heap('swordfish'), handler: '_router' }).sentTo(sidecar);
    expect(view.version).toBe(version);
  });

  it('is not widened by a text of a Route that is the name of an object', () => {
    const setting = new Setting().config({ heap: [router, store('operator-keys', 'hunter2')], handler: '_router' });
    const handler = { type: 'StaticResponseHandler', config: { status: 200, entity: 'operator-keys' } };
    setting.cluster.route('shop/cart', { handler, ...forCart });
    expect(setting.sentTo(sidecar)).not.toContain(secret('hunter2'));
  });

  it('contains the objects that every request passes before the Routes', () => {
    const heap = [router, store('operator-keys', 'hunter2'), guard('introspected', 'operator-keys')];
    const front = { type: 'Chain', config: { filters: ['introspected'], handler: '_router' } };
    const setting = new Setting().config({ heap, handler: front, properties: { realm: 'shop', unused: 'swordfish' } });
    setting.cluster.route('shop/cart', { handler: 'ReverseProxyHandler', ...forCart });
    const sent = setting.sentTo(sidecar);
    expect(sent).toContain('"name":"introspected"');
    expect(sent).not.toContain('swordfish');
  });

  it('keeps objects that replace default objects if a Route uses them', () => {
    const heap = [router, { name: 'ClientHandler', type: 'ClientHandler', config: { soTimeout: '77 seconds' } }];
    const setting = new Setting().config({ heap, handler: '_router' });
    setting.cluster.route('shop/cart', { handler: 'ClientHandler', ...forCart });
    expect(setting.sentTo(sidecar)).toContain('77 seconds');
  });

  it('leaves out secrets.stores that nothing needs and keeps those that something needs', () => {
    const secrets = { stores: [store('operator-keys', 'hunter2')] };
    const implied = guard('introspected', 'operator-keys');
    const setting = new Setting().config({ heap: [router, implied], handler: '_router', secrets });
    setting.cluster.route('shop/cart', { handler: 'ReverseProxyHandler', ...forCart });
    expect(setting.sentTo(sidecar)).not.toContain(secret('hunter2'));
    setting.cluster.route('shop/cart', { handler: guarded('introspected'), ...forCart });
    expect(setting.sentTo(sidecar)).toContain(secret('hunter2'));
  });

  it('holds no certificates and no objects of admin.json', () => {
    const tls = { type: 'ServerTlsOptions', config: { keyManager: 'keys' } };
    const keys = {
      name: 'keys',
      type: 'SecretsKeyManager',
      config: { signingSecretId: 'a', secretsProvider: 'admin-keys' },
    };
    const heap = [keys, store('admin-keys', 'hunter2')];
    const connectors = [
      { port: 8443, tls },
      { port: 8080, vertx: { maxFormFields: 7 } },
    ];
    const setting = new Setting();
    setting.cluster.base('admin', { connectors, heap, maxBodyLength: 4711, properties: { password: 'swordfish' } });
    setting.cluster.route('shop/cart', { handler: 'ReverseProxyHandler', ...forCart });
    const sent = setting.sentTo(sidecar);
    for (const text of [secret('hunter2'), 'swordfish', 'SecretsKeyManager']) expect(sent).not.toContain(text);
    expect(sent).toContain('4711');
    expect(setting.sentTo(plane)).toContain(secret('hunter2'));
  });
});
