import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { type AccessManager, startAccessManager } from '../../../support/access-manager/access-manager.ts';
import { AGENT } from '../../../support/access-manager/am-identities.ts';
import { type ProxyRule, startProxy } from '../../../support/backends/http-proxy.ts';
import { buildObject } from '../../../support/gateways/built-object.ts';
import { certificateAuthority } from '../../../support/identity/certificates.ts';
import { inlineSecrets } from '../../../support/identity/inline-secrets.ts';
import { secretFolder } from '../../../support/identity/secret-folder.ts';

const authority = certificateAuthority('Private CA');
const stranger = certificateAuthority('Another CA');

/** ClientTlsOptions that trust one authority. */
function trusting({ certificate }: { readonly certificate: string }, more: JsonObject = {}): JsonObject {
  const secretsProvider = {
    type: 'FileSystemSecretStore',
    config: {
      directory: secretFolder({ 'authorities.pem': certificate }),
      suffix: '.pem',
      format: { type: 'PemPropertyFormat' },
    },
  };
  const config = { verificationSecretId: 'authorities', secretsProvider, checkRevocation: false };
  return {
    type: 'ClientTlsOptions',
    config: { trustManager: { type: 'SecretsTrustManager', config }, ...more },
  };
}

function startSecure(names: readonly string[] = ['127.0.0.1']): Promise<AccessManager> {
  return startAccessManager({ tls: authority.issue({ names }) });
}

/** Listens to notifications of an access manager, whose REST calls trust it and take no proxy. */
function listen(url: string, notifications: JsonObject) {
  const { object, logged } = buildObject('amService', 'AmService', {
    url,
    agent: { username: AGENT.username, passwordSecretId: 'agent.password' },
    secretsProvider: inlineSecrets({ 'agent.password': AGENT.password }),
    amHandler: { type: 'ClientHandler', config: { tls: trusting(authority) } },
    notifications: { reconnectDelay: '20 milliseconds', ...notifications },
  });
  const events: unknown[] = [];
  let wake = (): void => {};
  const add = (event: unknown): void => {
    events.push(event);
    wake();
  };
  onTestFinished(
    object.notifications!.watch({
      session: ({ tokenId }) => add(tokenId),
      lost: () => add('lost'),
      regained: () => add('regained'),
    }),
  );
  const until = async (count: number): Promise<void> => {
    while (events.length < count) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  /** Reasons of failed connections. */
  const reasons = (): string[] => logged.flatMap(({ reason }) => (typeof reason === 'string' ? [reason] : []));
  /** Resolves with the reason of the first connection that fails. */
  const failure = async (): Promise<string> => {
    await vi.waitFor(() => expect(reasons()).not.toEqual([]));
    return reasons()[0]!;
  };
  return { notifications: object.notifications!, events, until, failure };
}

/** Passes an event through a connection that stands, then one through its successor. */
async function expectEvents(am: AccessManager, { events, until }: ReturnType<typeof listen>): Promise<void> {
  await until(1);
  am.notifications.push('/agent/session', { tokenId: 't1', eventType: 'LOGOUT' });
  await until(2);
  am.notifications.terminate();
  await until(4);
  am.notifications.push('/agent/session', { tokenId: 't2', eventType: 'LOGOUT' });
  await until(5);
  expect(events).toEqual(['regained', 't1', 'lost', 'regained', 't2']);
}

describe('notifications over TLS', () => {
  it('arrive from an access manager with a certificate of a private CA', async () => {
    const am = await startSecure();
    await expectEvents(am, listen(am.url, { tls: trusting(authority) }));
  });

  it.each<[string, () => JsonObject, readonly string[]]>([
    ['of another CA than the trusted one', () => ({ tls: trusting(stranger) }), ['127.0.0.1']],
    ['of a private CA where none is configured', () => ({}), ['127.0.0.1']],
    ['for another host', () => ({ tls: trusting(authority) }), ['am.example.com']],
  ])('are not taken from a server with a certificate %s', async (_, notifications, names) => {
    const am = await startSecure();
    const other = await startSecure(names);
    // only the WebSocket goes to the other server: the agent logs in at the first one
    const proxy = await startProxy({ hosts: { '127.0.0.1': Number(new URL(other.url).port) } });
    const proxyOptions = { type: 'CustomProxyOptions', config: { uri: proxy.uri } };
    const listened = listen(am.url, { ...notifications(), proxyOptions });
    expect(await listened.failure()).toMatch(/certificate/i);
    expect(listened.notifications.isHeard).toBe(false);
    expect(proxy.asked[0]).toBe(`CONNECT ${new URL(am.url).host}`);
    expect([am, other].map((server) => server.notifications.handshakes)).toEqual([[], []]);
  });

  it('use the TLS options of the notifications, not those of amHandler', async () => {
    const am = await startSecure();
    const { failure, notifications } = listen(am.url, { tls: trusting(stranger) });
    await failure();
    expect(am.callsTo('/json/authenticate').length).toBeGreaterThan(0);
    expect([am.notifications.handshakes, notifications.isHeard]).toEqual([[], false]);
  });
});

describe('notifications through a proxy', () => {
  const through = (uri: string, more: JsonObject = {}): JsonObject => ({
    proxyOptions: { type: 'CustomProxyOptions', config: { uri, ...more } },
  });

  it('arrive through a tunnel, also after a loss', async () => {
    const am = await startAccessManager();
    const proxy = await startProxy();
    await expectEvents(am, listen(am.url, through(proxy.uri)));
    expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT ${new URL(am.url).host}`]));
    expect(proxy.connections).toBe(2);
  });

  it('arrive over TLS inside a tunnel, with credentials for the proxy', async () => {
    const am = await startSecure();
    const proxy = await startProxy({ credentials: 'gateway:pass' });
    const credentials = {
      username: 'gateway',
      passwordSecretId: 'proxy.password',
      secretsProvider: inlineSecrets({ 'proxy.password': 'pass' }),
    };
    await expectEvents(am, listen(am.url, { ...through(proxy.uri, credentials), tls: trusting(authority) }));
    expect(new Set(proxy.credentials)).toEqual(new Set([`Basic ${Buffer.from('gateway:pass').toString('base64')}`]));
  });

  it.each<[string, ProxyRule, RegExp]>([
    ['wants credentials', { credentials: 'other:one' }, /credentials/],
    ['refuses the tunnel', { refuses: 403 }, /proxy/],
    ['does not speak HTTP', { babbles: 'SSH-2.0-x\r\n' }, /proxy/],
  ])('are not heard where the proxy %s, and the log names the proxy', async (_, rule, reason) => {
    const am = await startAccessManager();
    const proxy = await startProxy(rule);
    const { failure, notifications } = listen(am.url, through(proxy.uri));
    expect(await failure()).toMatch(reason);
    expect([am.notifications.handshakes, notifications.isHeard]).toEqual([[], false]);
  });
});
