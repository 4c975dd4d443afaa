/** What one builds from Node's own server and undici: streaming both ways, back-pressure both ways, pooled connections. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Dispatcher, Pool } from 'undici';

const [listen, backend] = process.argv.slice(2).map(Number);
const pool = new Pool(`http://127.0.0.1:${backend}`, { connections: 1024, pipelining: 1 });
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

function endToEnd(raw: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] as string;
    if (!hopByHop.has(name.toLowerCase())) kept.push(name, raw[at + 1] as string);
  }
  return kept;
}

function answerHandler(response: ServerResponse): Dispatcher.DispatchHandler {
  return {
    onRequestStart(controller) {
      response.on('close', () => {
        if (!response.writableFinished) controller.abort(new Error('client is gone'));
      });
      response.on('drain', () => controller.resume());
    },
    onResponseStart(controller, status) {
      const raw = (controller.rawHeaders as Buffer[]).map((part) => part.toString('latin1'));
      response.writeHead(status, endToEnd(raw));
    },
    onResponseData(controller, chunk) {
      if (!response.write(chunk)) controller.pause();
    },
    onResponseEnd() {
      response.end();
    },
    onResponseError() {
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    },
  };
}

function proxy(request: IncomingMessage, response: ServerResponse): void {
  const hasBody = request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined;
  pool.dispatch(
    {
      path: request.url ?? '/',
      method: request.method ?? 'GET',
      headers: endToEnd(request.rawHeaders),
      body: hasBody ? request : null,
    },
    answerHandler(response),
  );
}

createServer({ keepAliveTimeout: 600_000 }, proxy).listen({ host: '127.0.0.1', port: listen, backlog: 4096 });
