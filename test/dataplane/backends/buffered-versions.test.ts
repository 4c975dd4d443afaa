import { once } from 'node:events';
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { eachRequest, plainAnswer, type Script, ScriptedBackend } from '../../support/backends/scripted-backend.ts';
import { untilTrue } from '../../support/clients/event-loop.ts';
import { send, serve } from '../../support/gateways/served.ts';
import { watchedDirectory } from '../../support/state/temporary-files.ts';

const LONG = 'x'.repeat(50_000);
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

async function backend(script: Script): Promise<ScriptedBackend> {
  const started = await ScriptedBackend.start(script);
  onTestFinished(() => started.close());
  return started;
}

function whole(directory: string, config: JsonObject = {}): JsonValue {
  const temporaryStorage = { type: 'TemporaryStorage', config: { memoryLimit: 1000, directory } };
  return { type: 'ReverseProxyHandler', config: { asyncBehavior: 'non_streaming', temporaryStorage, ...config } };
}

interface Outcome {
  readonly status: number;
  readonly length: string | undefined;
  readonly body: string;
  readonly trailers: IncomingHttpHeaders | null;
}

async function ask(session: ClientHttp2Session, authority: string, pieces: readonly string[]): Promise<Outcome> {
  const stream = session.request({ ':method': 'POST', ':path': '/up', ':authority': authority });
  let trailers: IncomingHttpHeaders | null = null;
  stream.on('trailers', (fields) => (trailers = fields));
  const answered = once(stream, 'response') as Promise<[IncomingHttpHeaders & { ':status'?: number }]>;
  for (const piece of pieces) await new Promise((resolve) => stream.write(piece, 'latin1', resolve));
  stream.end();
  const [head] = await answered;
  let body = '';
  for await (const bytes of stream) body += (bytes as Buffer).toString('latin1');
  return { status: head[':status']!, length: head['content-length'], body, trailers };
}

describe('clients that speak HTTP/2', () => {
  it.each<[string, readonly string[], string, string]>([
    ['in memory', ['abc', 'def'], chunk('ok'), 'ok'],
    ['in files', [LONG, LONG], chunk(LONG), LONG],
  ])('%s: requests and answers are whole', async (_case, pieces, answer, body) => {
    const directory = watchedDirectory();
    const app = await backend(
      eachRequest((_request, peer) => {
        peer.send(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${answer}`);
        return '0\r\nETag: 7\r\n\r\n';
      }),
    );
    const gateway = await serve(whole(directory.path));
    const session = connect(`http://127.0.0.1:${gateway.port}`);
    onTestFinished(() => session.destroy());
    const outcome = await ask(session, `127.0.0.1:${app.port}`, pieces);
    expect(outcome).toMatchObject({ status: 200, body, trailers: { etag: '7' } });
    expect(app.requests).toMatchObject([{ body: pieces.join('') }]);
    const lengths = app.requests[0]!.headers.filter(([name]) => name === 'content-length');
    expect(lengths).toEqual([['content-length', String(pieces.join('').length)]]);
    await untilTrue(() => directory.open() === 0);
  });
});

describe('objects that look at content', () => {
  it.each([
    ['of a file', LONG],
    ['in memory', 'abc'],
  ])('capture passes on all %s', async (_case, body) => {
    const directory = watchedDirectory();
    const app = await backend(
      eachRequest((_request, peer) => {
        peer.send(`HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n${chunk(body)}`);
        return '0\r\n\r\n';
      }),
    );
    const capture = { name: 'capture', type: 'CaptureDecorator', config: { captureEntity: true, maxEntityLength: 10 } };
    const handler = { ...(whole(directory.path) as JsonObject), capture: 'all' };
    const gateway = await serve(handler, [capture]);
    const answer = await send(gateway, 'GET /', [`Host: 127.0.0.1:${app.port}`]);
    expect(answer).toMatchObject({ status: 200, body });
    await untilTrue(() => directory.open() === 0);
  });

  it('a filter that replaces the response releases the file', async () => {
    const directory = watchedDirectory();
    const app = await backend(eachRequest(() => plainAnswer(LONG, '500 No')));
    const retries = { condition: '${response.status.code == 500}', count: 1, delay: '1 ms' };
    const gateway = await serve(whole(directory.path, { retries }));
    expect((await send(gateway, 'GET /', [`Host: 127.0.0.1:${app.port}`])).status).toBe(500);
    expect(app.requests).toHaveLength(2);
    await untilTrue(() => directory.open() === 0);
  });
});
