import { once } from 'node:events';
import { connect, type IncomingHttpHeaders } from 'node:http2';
import { describe, expect, it } from 'vitest';
import { FRAME } from '../../../../dataplane/engine/frames/frames.ts';
import type { Exchange } from '../../../../dataplane/engine/message/exchange.ts';
import { textResponse } from '../../../../dataplane/engine/message/response.ts';
import { COUNTER, counters } from '../../../../dataplane/engine/wire/counters.ts';
import { untilTrue } from '../../../support/clients/event-loop.ts';
import { frame, greeting } from '../../../support/clients/frame-client.ts';
import { askSecurely, secureSocket } from '../../../support/clients/secure-client.ts';
import { type SecureGateway, startSecure } from '../../../support/gateways/secure-gateway.ts';
import { certificateAuthority } from '../../../support/identity/certificates.ts';
import { changingKeys } from '../../../support/identity/changing-tls-secrets.ts';

const ca = certificateAuthority('servers');
const own = ca.issue({ names: ['gateway.test'] });

function start(handle: (exchange: Exchange) => string): Promise<SecureGateway> {
  return startSecure({
    keys: [changingKeys(own).manager],
    handler: () => (exchange) => textResponse(200, handle(exchange)),
  });
}

async function ask(port: number, headers: Record<string, string> = {}): Promise<[number, string]> {
  const session = connect(`https://gateway.test:${port}`, {
    ca: ca.certificate,
    host: '127.0.0.1',
    servername: 'gateway.test',
  });
  const stream = session.request(headers);
  const [answer] = (await once(stream, 'response')) as [IncomingHttpHeaders];
  let content = '';
  for await (const chunk of stream) content += chunk;
  session.destroy();
  return [Number(answer[':status']), content];
}

describe('over TLS', () => {
  it('is negotiated by ALPN, and has the address of the connector', async () => {
    const { port } = await start(({ request, router, client }) =>
      [request.version, router.originalUri, client.isSecure].join(' '),
    );
    expect(await ask(port, { ':path': '/a?b=c' })).toEqual([200, `HTTP/2 https://gateway.test:${port}/a?b=c true`]);
  });

  it('carries much more than a record', async () => {
    const { port } = await start(() => 'x'.repeat(1_000_000));
    const [status, content] = await ask(port);
    expect(status).toBe(200);
    expect(content).toHaveLength(1_000_000);
  });

  it('rejects a request with the scheme http', async () => {
    const { port, finished } = await start(() => 'no');
    expect((await ask(port, { ':scheme': 'http' }))[0]).toBe(421);
    expect(finished).toMatchObject([{ refusal: 'scheme', method: 'GET', path: '/' }]);
  });

  it('serves HTTP/1.1 to clients without ALPN for HTTP/2', async () => {
    const { port } = await start(({ request }) => request.version);
    expect((await askSecurely(port, { ca: ca.certificate })).text).toMatch(/HTTP\/1\.1$/);
  });

  it.each([
    ['HTTP/2', 'h2', Buffer.concat([greeting(), frame(FRAME.GOAWAY, 0, 0, Buffer.alloc(8))])],
    ['HTTP/1.1', 'http/1.1', 'nonsense\r\n\r\n'],
  ])('ends at once when the client sends GOAWAY and closes together, in %s', async (_, protocol, bytes) => {
    const limits = { lingerTimeout: 600_000 };
    const { port } = await startSecure({ keys: [changingKeys(own).manager], limits });
    const socket = await secureSocket(port, { ca: ca.certificate, ALPNProtocols: [protocol] });
    expect(counters.block[COUNTER.connectionsOpen]).toBe(1);
    socket.resume().end(bytes);
    await untilTrue(() => counters.block[COUNTER.connectionsOpen] === 0);
  });
});
