import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import {
  answering,
  appNames,
  bodiesOf,
  deadPort,
  endpointsAt,
  inTurn,
  sendingTo,
  startApp,
  startApps,
} from '../../support/backends/endpoint-apps.ts';
import { eachRequest, plainAnswer, type ScriptedBackend } from '../../support/backends/scripted-backend.ts';
import { startTlsBackend } from '../../support/backends/tls-backend.ts';
import { refusalOf } from '../../support/clients/answers.ts';
import { RawClient } from '../../support/clients/raw-client.ts';
import { clientFrame, frame, framesIn } from '../../support/clients/websocket-frames.ts';
import { switching, UPGRADE } from '../../support/clients/websocket-upgrade.ts';
import type { ConfiguredGateway } from '../../support/gateways/configured-gateway.ts';
import { asForwardProxy } from '../../support/gateways/forward-proxy.ts';
import { send, serve } from '../../support/gateways/served.ts';
import { certificateAuthority } from '../../support/identity/certificates.ts';
import { secretFolder } from '../../support/identity/secret-folder.ts';

describe('requests', () => {
  it.each(['ReverseProxyHandler', 'ClientHandler'])('of a %s go to all endpoints in turn', async (type) => {
    const started = await startApps();
    const gateway = await serve(sendingTo(inTurn(endpointsAt(...started.map(({ port }) => port))), {}, type));
    const found = await bodiesOf(gateway, 9);
    expect([...found].sort()).toEqual(appNames.flatMap((name) => [name, name, name]).sort());
    expect(started.map(({ connections }) => connections)).toEqual([1, 1, 1]);
  });

  it('keep their Host, path and query', async () => {
    const [one] = await startApps();
    const heap = [{ name: 'shop', type: 'Backends', config: { endpoints: endpointsAt(one!.port) } }];
    const gateway = await serve(sendingTo('shop'), heap);
    await send(gateway, 'GET /a/b?c=d', ['Host: public.example']);
    expect(one!.requests[0]).toMatchObject({ target: '/a/b?c=d' });
    expect(one!.requests[0]!.headers).toContainEqual(['host', 'public.example']);
  });

  it('reach all idle endpoints by default', async () => {
    const started = await startApps();
    const gateway = await serve(
      sendingTo({ type: 'Backends', config: { endpoints: endpointsAt(...started.map((one) => one.port)) } }),
    );
    expect(new Set(await bodiesOf(gateway, 200)).size).toBe(3); // one in 10^35 runs would miss an endpoint
  });

  it('avoid an endpoint that is slow to answer', async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = await startApp(
      eachRequest(async () => {
        await held;
        return plainAnswer('slow');
      }),
    );
    const [one, two] = await startApps();
    const gateway = await serve(
      sendingTo({ type: 'Backends', config: { endpoints: endpointsAt(slow.port, one!.port, two!.port) } }),
    );
    const waiting: Promise<unknown>[] = [];
    while (slow.requests.length === 0) {
      const answer = send(gateway, 'GET /');
      await Promise.race([answer, slow.until(() => slow.requests.length > 0)]);
      waiting.push(answer);
    }
    expect(await bodiesOf(gateway, 100)).not.toContain('slow');
    release();
    await Promise.all(waiting);
  });

  it('with the same key go to the same endpoint', async () => {
    const started = await startApps();
    const endpoints = endpointsAt(...started.map(({ port }) => port));
    const config = { endpoints, balancing: 'hash', hashKey: "${request.headers['X-User'][0]}" };
    const gateway = await serve(sendingTo({ type: 'Backends', config }));
    const users = Array.from({ length: 60 }, (_, i) => `X-User: user-${i}`);
    const first = await Promise.all(users.map((user) => send(gateway, 'GET /', [user])));
    const again = await Promise.all(users.map((user) => send(gateway, 'GET /', [user])));
    expect(again.map(({ body }) => body)).toEqual(first.map(({ body }) => body));
    expect(new Set(first.map(({ body }) => body)).size).toBeGreaterThan(1);
  });

  it('close their connections with the configuration', async () => {
    const [one] = await startApps();
    const gateway = await serve(sendingTo(inTurn(endpointsAt(one!.port))));
    await bodiesOf(gateway, 2);
    gateway.configuration.close();
    await one!.peers[0]!.untilClosed();
    expect(one!.open).toBe(0);
  });

  it('go to all addresses of a name', async () => {
    const { port, requests } = await startApp(answering('here'));
    const gateway = await serve(sendingTo({ type: 'Backends', config: { dns: { uri: `http://localhost:${port}` } } }));
    expect(await bodiesOf(gateway, 5)).toEqual(Array(5).fill('here'));
    expect(requests).toHaveLength(5);
  });

  it('to a name that does not resolve get 502', async () => {
    const dns = { uri: 'http://no.such.host.invalid' };
    const gateway = await serve(sendingTo({ type: 'Backends', config: { dns } }));
    const answers = [await send(gateway, 'GET /'), await send(gateway, 'GET /')];
    expect(answers.map((answer) => [answer.status, refusalOf(answer)])).toEqual(
      Array(2).fill([502, 'backend-address']),
    );
  });
});

describe('an affinity cookie', () => {
  async function three(config: JsonObject = {}): Promise<{ gateway: ConfiguredGateway; started: ScriptedBackend[] }> {
    const started = await startApps();
    const endpoints = endpointsAt(...started.map(({ port }) => port));
    return { gateway: await serve(sendingTo(inTurn(endpoints, { affinityCookie: config }))), started };
  }

  const cookieOf = (lines: string | undefined): string => /^[^;]+/.exec(lines ?? '')![0];

  it('keeps a client with the endpoint that answered first', async () => {
    const { gateway } = await three();
    const first = await send(gateway, 'GET /');
    const line = first.headers.get('set-cookie')!;
    expect(line).toMatch(/^gw-endpoint=[\w-]{22}; Path=\/; SameSite=Lax; HttpOnly$/);
    for (let i = 0; i < 5; i++) {
      const next = await send(gateway, 'GET /', [`Cookie: a=b; ${cookieOf(line)}`]);
      expect([next.body, next.headers.get('set-cookie')]).toEqual([first.body, undefined]);
    }
  });

  it('is replaced when its endpoint has gone or does not exist', async () => {
    const { gateway, started } = await three({ name: 'at', secure: true });
    const first = await send(gateway, 'GET /');
    await started[appNames.indexOf(first.body)]!.close();
    const cookie = cookieOf(first.headers.get('set-cookie'));
    const next = await send(gateway, 'GET /', [`Cookie: ${cookie}`]);
    expect(next.body).not.toBe(first.body);
    expect(next.headers.get('set-cookie')).toMatch(/^at=[\w-]{22}; Path=\/; SameSite=Lax; HttpOnly; Secure$/);
    const foreign = await send(gateway, 'GET /', ['Cookie: at=somewhere']);
    expect(foreign.headers.get('set-cookie')).toMatch(/^at=[\w-]{22};/);
  });

  it('does not reach the endpoints, unlike other cookies', async () => {
    const { gateway, started } = await three({ name: 'at' });
    await send(gateway, 'GET /', ['Cookie: a=b; at=something; c=d']);
    await send(gateway, 'GET /', ['Cookie: at=something']);
    const cookies = started.flatMap(({ requests }) => requests.flatMap(({ headers }) => headers));
    expect(cookies.filter(([name]) => name === 'cookie')).toEqual([['cookie', 'a=b; c=d']]);
  });

  it('cannot be made without the key, which another gateway does not have', async () => {
    const started = await startApps();
    const endpoints = endpointsAt(...started.map(({ port }) => port));
    const config = inTurn(endpoints, { affinityCookie: {} });
    const [own, other] = [await serve(sendingTo(config)), await serve(sendingTo(config))];
    const foreign = cookieOf((await send(other, 'GET /')).headers.get('set-cookie'));
    for (const { port } of started) {
      const address = `127.0.0.1:${port}`;
      const hash = createHash('sha256').update(address).digest('hex').slice(0, 16);
      for (const cookie of [`gw-endpoint=${address}`, `gw-endpoint=${hash}`, foreign]) {
        const answer = await send(own, 'GET /', [`Cookie: ${cookie}`]);
        expect(answer.headers.get('set-cookie')).toMatch(/^gw-endpoint=/);
      }
    }
  });

  it('holds for every handler that a request goes to, not only for the first', async () => {
    const started = await startApps();
    const endpoints = endpointsAt(...started.map(({ port }) => port));
    const shop = { name: 'shop', ...sendingTo(inTurn(endpoints, { affinityCookie: {} })) };
    const bindings = [{ handler: 'shop' }, { handler: 'shop' }];
    const gateway = await serve({ type: 'SequenceHandler', config: { bindings } }, [shop]);
    const first = await send(gateway, 'GET /');
    const before = started.map(({ requests }) => requests.length);
    await send(gateway, 'GET /', [`Cookie: ${cookieOf(first.headers.get('set-cookie'))}`]);
    const more = started.map(({ requests }, i) => requests.length - before[i]!);
    expect(more).toEqual(appNames.map((name) => (name === first.body ? 2 : 0)));
  });

  it('reaches an endpoint of weight 0, which gets no other requests', async () => {
    const started = await startApps();
    const affinityCookie = { name: 'at' };
    const endpoints = endpointsAt(...started.map(({ port }) => port));
    const all = await serve(sendingTo(inTurn(endpoints, { affinityCookie })));
    let cookie = '';
    for (let body = ''; body !== 'one'; ) {
      const answer = await send(all, 'GET /');
      body = answer.body;
      cookie = cookieOf(answer.headers.get('set-cookie'));
    }
    const drained = [{ ...endpoints[0]!, weight: 0 }, ...endpoints.slice(1)];
    const document = asForwardProxy({ handler: sendingTo(inTurn(drained, { affinityCookie })) });
    const base = { document, hash: 'drained' };
    expect(all.configuration.apply({ revision: '2', base, set: [], remove: [], defaultSlots: {} })).toEqual([]);
    expect(await bodiesOf(all, 6)).not.toContain('one');
    expect(await bodiesOf(all, 3, [`Cookie: ${cookie}`])).toEqual(Array(3).fill('one'));
  });
});

describe('TLS', () => {
  const authority = certificateAuthority('backends');
  const issued = authority.issue({ names: ['shop.internal'] });

  function trusting(): JsonObject {
    const directory = secretFolder({ 'authorities.pem': authority.certificate });
    const secretsProvider = {
      type: 'FileSystemSecretStore',
      config: { directory, suffix: '.pem', format: { type: 'PemPropertyFormat' } },
    };
    const trustManager = {
      type: 'SecretsTrustManager',
      config: { verificationSecretId: 'authorities', secretsProvider, checkRevocation: false },
    };
    return { tls: { type: 'ClientTlsOptions', config: { trustManager } } };
  }

  it('asks endpoints for the server name, and verifies it', async () => {
    const secure = await startTlsBackend({ cert: issued.chain, key: issued.key });
    const endpoints = [{ uri: `https://127.0.0.1:${secure.port}` }];
    const named = await serve(sendingTo(inTurn(endpoints, { serverName: 'shop.internal' }), trusting()));
    expect((await send(named, 'GET /')).body).toBe('hello');
    expect(secure.connections).toMatchObject([{ server: 'shop.internal' }]);
    const unnamed = await serve(sendingTo(inTurn(endpoints), trusting()));
    const answer = await send(unnamed, 'GET /');
    expect([answer.status, refusalOf(answer)]).toEqual([502, 'backend-tls']);
  });
});

describe('WebSockets', () => {
  it('count as requests of their endpoint until they are closed', async () => {
    const [one, two] = [await startApp(switching(() => {})), await startApp(switching(() => {}))];
    const backends = { type: 'Backends', config: { endpoints: endpointsAt(one.port, two.port) } };
    const gateway = await serve(sendingTo(backends, { websocket: { enabled: true } }));
    const clients: RawClient[] = [];
    const open = async (): Promise<void> => {
      const client = await RawClient.connect(gateway.port);
      onTestFinished(() => client.destroy());
      clients.push(client);
      client.send(`GET /socket HTTP/1.1\r\nHost: gw.test\r\n${UPGRADE}\r\n`);
      await client.until((text) => text.includes('\r\n\r\n'));
    };
    for (let i = 0; i < 10; i++) await open();
    expect([one.open, two.open]).toEqual([5, 5]);
    for (const client of clients) client.destroy();
    await vi.waitUntil(() => one.open + two.open === 0, { timeout: 20_000 });
    await open();
    await open();
    expect([one.open, two.open]).toEqual([1, 1]);
  });

  it('are opened to an endpoint that takes them', async () => {
    const socket = await startApp(
      switching(async (peer) => {
        await peer.until((text) => framesIn(text).length > 0);
        peer.send(frame({ payload: `answer to ${framesIn(peer.received)[0]!.payload}` }));
      }),
    );
    const gateway = await serve(
      sendingTo(inTurn(endpointsAt(await deadPort(), socket.port)), { websocket: { enabled: true } }),
    );
    for (let i = 1; i <= 2; i++) {
      const client = await RawClient.connect(gateway.port);
      onTestFinished(() => client.destroy());
      client.send(`GET /socket HTTP/1.1\r\nHost: gw.test\r\n${UPGRADE}\r\n`);
      await client.until((text) => text.includes('\r\n\r\n'));
      client.send(clientFrame({ payload: 'ping' }));
      expect(await client.until((text) => text.endsWith('ping'))).toMatch(/answer to ping$/);
    }
  });
});
