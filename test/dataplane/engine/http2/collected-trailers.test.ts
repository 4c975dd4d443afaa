import { connect, type IncomingHttpHeaders } from 'node:http2';
import { buffer } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import type { Exchange, Next } from '../../../../dataplane/engine/message/exchange.ts';
import type { Response } from '../../../../dataplane/engine/message/response.ts';
import { bodyOf, type StreamHandler } from '../../../support/backends/http2-backend.ts';
import { startProxiedServer } from '../../../support/gateways/proxied-backend.ts';
import { startProxiedHttp2 } from '../../../support/gateways/proxied-http2.ts';

type Way = (exchange: Exchange, send: Next) => Promise<Response>;

/** What a filter does, what the backend gets, and what the client gets: content, and what follows it. */
const ways: [string, Way, string, string][] = [
  [
    'reads the request',
    async (exchange, send) => {
      await exchange.request.entity.bytes();
      return send(exchange);
    },
    'content+one',
    'answer+two',
  ],
  [
    'looks into the request and then reads it',
    async (exchange, send) => {
      await exchange.request.entity.prefix(3);
      await exchange.request.entity.text();
      return send(exchange);
    },
    'content+one',
    'answer+two',
  ],
  [
    'reads the request and replaces it',
    async (exchange, send) => {
      await exchange.request.entity.bytes();
      exchange.request.entity.set('other');
      return send(exchange);
    },
    'other+undefined',
    'answer+two',
  ],
  [
    'reads the answer',
    async (exchange, send) => {
      const response = await send(exchange);
      await response.entity.bytes();
      return response;
    },
    'content+one',
    'answer+two',
  ],
];

/** Sends content with trailers. @returns the content of the answer and the trailer that followed it. */
async function ask(port: number): Promise<string> {
  const session = connect(`http://127.0.0.1:${port}`);
  onTestFinished(() => session.destroy());
  const stream = session.request({ ':method': 'POST', te: 'trailers' }, { endStream: false, waitForTrailers: true });
  let after: IncomingHttpHeaders = {};
  stream.on('trailers', (fields: IncomingHttpHeaders) => (after = fields));
  stream.on('wantTrailers', () => stream.sendTrailers({ digest: 'one' }));
  stream.end('content');
  return `${await buffer(stream)}+${after['digest']}`;
}

it.each(ways)('a filter that %s leaves trailers to a backend of HTTP/2', async (_way, way, sent, answered) => {
  const got: string[] = [];
  const handle: StreamHandler = async (stream) => {
    let after: IncomingHttpHeaders = {};
    stream.on('trailers', (fields: IncomingHttpHeaders) => (after = fields));
    got.push(`${await bodyOf(stream)}+${after['digest']}`);
    stream.respond({ ':status': 200 }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ digest: 'two' }));
    stream.end('answer');
  };
  const { gateway } = await startProxiedHttp2(handle, { handler: (send) => (exchange) => way(exchange, send) });
  const answer = await ask(gateway.port);
  expect([got, answer]).toEqual([[sent], answered]);
});

it.each(ways)('a filter that %s leaves trailers to a backend of HTTP/1.1', async (_way, way, sent, answered) => {
  const got: string[] = [];
  const { gateway } = await startProxiedServer(
    async (request, response) => {
      got.push(`${await buffer(request)}+${request.trailers['digest']}`);
      response.writeHead(200, { trailer: 'digest' });
      response.write('answer');
      response.addTrailers({ digest: 'two' });
      response.end();
    },
    { handler: (send) => (exchange) => way(exchange, send) },
  );
  const answer = await ask(gateway.port);
  expect([got, answer]).toEqual([[sent], answered]);
});
