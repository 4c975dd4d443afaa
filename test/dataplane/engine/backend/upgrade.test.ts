import { describe, expect, it } from 'vitest';
import type { Next } from '../../../../dataplane/engine/message/exchange.ts';
import { textResponse } from '../../../../dataplane/engine/message/response.ts';
import { eachRequest, plainAnswer } from '../../../support/backends/scripted-backend.ts';
import { refusalOf, untilAnswers } from '../../../support/clients/answers.ts';
import { nextTurn } from '../../../support/clients/event-loop.ts';
import {
  SWITCH,
  switching,
  tunnels,
  UPGRADE,
  upgraded,
  websockets,
} from '../../../support/clients/websocket-upgrade.ts';
import { get, startProxiedBackend } from '../../../support/gateways/proxied-backend.ts';

describe('the handshake', () => {
  it('reaches the backend unchanged, and the switch reaches the client', async () => {
    const heads: string[] = [];
    const pair = await startProxiedBackend(async (peer) => {
      heads.push((await peer.head())!);
      peer.send(SWITCH);
    }, websockets());
    const client = await upgraded(pair);
    expect(client.text.toLowerCase().split('\r\n').sort()).toEqual(SWITCH.toLowerCase().split('\r\n').sort());
    const sent = heads[0]!.toLowerCase();
    expect(sent.match(/^connection: upgrade\r$/gm)).toHaveLength(1);
    expect(sent.match(/^upgrade: websocket\r$/gm)).toHaveLength(1);
    expect(sent).toContain('\r\nsec-websocket-key: dghlihnhbxbszsbub25jzq==\r\n');
    expect(pair.gateway.finished).toMatchObject([{ status: 101, path: '/socket' }]);
    expect(tunnels()).toBe(1);
  });

  it.each([
    ['at once', (): Next => () => textResponse(403, 'not you')],
    ['after a while', (): Next => async () => nextTurn().then(() => textResponse(403, 'not you'))],
  ])('is refused by a filter %s before anything reaches the backend', async (_case, handler) => {
    const pair = await startProxiedBackend(
      switching(() => {}),
      websockets({ handler }),
    );
    const client = await pair.client();
    client.send(get('/socket', UPGRADE));
    expect(await untilAnswers(client, 1)).toMatchObject([{ status: 403, body: 'not you' }]);
    expect(pair.backend.connections).toBe(0);
    expect(tunnels()).toBe(0);
    client.send(get('/socket'));
    expect(await untilAnswers(client, 2)).toHaveLength(2);
  });

  it('is refused by a filter that replaces the 101', async () => {
    const handler =
      (backend: Next): Next =>
      async (exchange) => {
        await backend(exchange);
        return textResponse(403, 'not you');
      };
    const pair = await startProxiedBackend(
      switching(() => {}, 'early bytes'),
      websockets({ handler }),
    );
    const client = await pair.client();
    client.send(get('/socket', UPGRADE));
    expect(await untilAnswers(client, 1)).toMatchObject([{ status: 403, body: 'not you' }]);
    await pair.backend.peers[0]!.untilClosed();
    expect(client.text).not.toContain('early');
    expect(tunnels()).toBe(0);
  });

  it('may end in an ordinary answer, which leaves both connections usable', async () => {
    const pair = await startProxiedBackend(
      eachRequest((request) => plainAnswer(request.target)),
      websockets(),
    );
    const client = await pair.client();
    client.send(get('/socket', UPGRADE));
    expect(await untilAnswers(client, 1)).toMatchObject([{ status: 200, body: '/socket' }]);
    client.send(get('/plain'));
    expect((await untilAnswers(client, 2))[1]!.body).toBe('/plain');
    expect(pair.backend.connections).toBe(1);
  });

  it.each([
    ['426 Upgrade Required', 'Upgrade: websocket\r\nConnection: upgrade\r\n'],
    ['400 Bad Request', ''],
  ])('may be refused by the backend with %s', async (status, fields) => {
    const pair = await startProxiedBackend(
      eachRequest(() => plainAnswer('no', status, fields)),
      websockets(),
    );
    const client = await pair.client();
    client.send(get('/socket', UPGRADE));
    expect(await untilAnswers(client, 1)).toMatchObject([{ status: Number(status.slice(0, 3)), body: 'no' }]);
    expect(tunnels()).toBe(0);
  });

  it.each([
    ['h2c', 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n'],
    ['h2c without naming its settings', 'Connection: Upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n'],
    ['a list with h2c', 'Connection: Upgrade\r\nUpgrade: websocket, h2c\r\n'],
    ['TLS', 'Connection: Upgrade\r\nUpgrade: TLS/1.0\r\n'],
    ['websocket without Connection', 'Upgrade: websocket\r\n'],
    ['websocket with another Connection', 'Connection: keep-alive\r\nUpgrade: websocket\r\n'],
  ])('is not passed on for %s', async (_case, fields) => {
    const pair = await startProxiedBackend(
      eachRequest(() => plainAnswer('plain')),
      websockets(),
    );
    const client = await pair.client();
    client.send(get('/socket', fields));
    expect(await untilAnswers(client, 1)).toMatchObject([{ status: 200, body: 'plain' }]);
    const names = pair.backend.requests[0]!.headers.map((header) => header[0]);
    for (const name of ['upgrade', 'connection', 'http2-settings']) expect(names).not.toContain(name);
  });

  it('is not passed on where no upgrades are allowed', async () => {
    const pair = await startProxiedBackend(eachRequest(() => plainAnswer('plain')));
    const client = await pair.client();
    client.send(get('/socket', UPGRADE));
    expect(await untilAnswers(client, 1)).toMatchObject([{ status: 200, body: 'plain' }]);
    expect(pair.backend.requests[0]!.headers.map((header) => header[0])).not.toContain('upgrade');
  });

  it('is not passed on for an HTTP/1.0 client', async () => {
    const pair = await startProxiedBackend(
      eachRequest(() => plainAnswer('plain')),
      websockets(),
    );
    const client = await pair.client();
    client.send(`GET /socket HTTP/1.0\r\nHost: gateway.test\r\n${UPGRADE}\r\n`);
    expect(await untilAnswers(client, 1)).toMatchObject([{ status: 200, body: 'plain' }]);
    expect(pair.backend.requests[0]!.headers.map((header) => header[0])).not.toContain('upgrade');
  });

  it.each([
    ['to another protocol', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n'],
    ['to no protocol', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n\r\n'],
    ['to several', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket, h2c\r\n\r\n'],
  ])('is a 502 when the backend switches %s', async (_case, bytes) => {
    const pair = await startProxiedBackend(
      eachRequest(() => bytes),
      websockets(),
    );
    const client = await pair.client();
    client.send(get('/socket', UPGRADE));
    const [answer] = await untilAnswers(client, 1);
    expect(answer!.status).toBe(502);
    expect(refusalOf(answer!)).toBe('backend-upgrade');
    await pair.backend.peers[0]!.untilClosed();
  });

  it('has no content length, because the tunnel is not content', async () => {
    const bytes = SWITCH.replace('\r\n\r\n', '\r\nContent-Length: 4\r\n\r\nmore');
    const pair = await startProxiedBackend(async (peer) => {
      await peer.head();
      peer.send(bytes);
    }, websockets());
    const client = await upgraded(pair);
    await client.until((text) => text.endsWith('more'));
    expect(client.text.toLowerCase()).not.toContain('content-length');
  });
});
