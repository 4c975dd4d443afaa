import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { errorText } from '../../platform/error-text.ts';

const mebibyte = Buffer.alloc(1024 * 1024, 'gatewarden\n');
const largestAnswer = 1024;

/** Starts a small application to put the gateway in front of, on a port of the loopback interface; 0 takes a free one. */
export async function startDemoBackend(port = 0): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://backend');
  switch (url.pathname) {
    case '/':
      return greet(request, response);
    case '/slow':
      await pause(2000);
      return void response.end('That took two seconds.\n');
    case '/stream':
      return stream(response);
    case '/large':
      return sendLarge(response, Number(url.searchParams.get('mb') ?? 10));
    default:
      response.statusCode = 404;
      response.end('Try /, /slow, /stream or /large?mb=10.\n');
  }
}

/** Shows the headers that arrived, because they are what the gateway changed. */
function greet(request: IncomingMessage, response: ServerResponse): void {
  const headers = Object.fromEntries(
    Object.entries(request.headersDistinct).map(([name, all]) => [name, all?.join(', ')]),
  );
  const body = { greeting: 'Hello from behind Gatewarden.', method: request.method, target: request.url, headers };
  response.setHeader('content-type', 'application/json');
  response.end(`${JSON.stringify(body, null, 2)}\n`);
}

async function stream(response: ServerResponse): Promise<void> {
  response.setHeader('content-type', 'text/event-stream');
  for (let event = 1; event <= 5 && !response.destroyed; event++) {
    response.write(`id: ${event}\ndata: ${new Date().toISOString()}\n\n`);
    await pause(500);
  }
  response.end();
}

async function sendLarge(response: ServerResponse, mebibytes: number): Promise<void> {
  if (!Number.isInteger(mebibytes) || mebibytes < 0 || mebibytes > largestAnswer) {
    response.statusCode = 400;
    return void response.end(`mb must be a whole number from 0 to ${largestAnswer}.\n`);
  }
  response.setHeader('content-type', 'text/plain');
  response.setHeader('content-length', mebibytes * mebibyte.length);
  for (let sent = 0; sent < mebibytes && !response.destroyed; sent++) {
    // A client that goes away emits 'close' and never 'drain'.
    if (!response.write(mebibyte)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
  response.end();
}

/** What `node cli/actions/demo-backend.ts PORT` does: the application by itself, until Ctrl-C. */
async function main([asked = '8081', ...more]: readonly string[]): Promise<void> {
  const port = /^\d{1,5}$/.test(asked) ? Number(asked) : -1;
  if (port < 0 || port > 65_535 || more.length > 0) throw new Error('takes one port from 0 to 65535');
  const { url } = await startDemoBackend(port);
  process.stdout.write(`The demo backend listens on ${url}. Ctrl-C stops it.\n`);
}

if (import.meta.main) {
  await main(process.argv.slice(2)).catch((error: unknown) => {
    process.stderr.write(`demo backend: ${errorText(error)}\n`);
    process.exitCode = 1;
  });
}
