/** http-proxy with an agent that keeps its connections, without which it opens one per request. */
import { Agent, createServer, type IncomingMessage, type ServerResponse } from 'node:http';

type Target = { target: string; agent: Agent };
type HttpProxy = {
  createProxyServer(options: Target): {
    web(request: IncomingMessage, response: ServerResponse): void;
    on(event: 'error', listener: (error: Error, request: IncomingMessage, response: ServerResponse) => void): void;
  };
};

const [listen, backend] = process.argv.slice(2).map(Number);
// The name is hidden from the type checker because the package is only there once the bench has installed its peers.
const { default: httpProxy } = (await import('http-proxy' as string)) as { default: HttpProxy };
const proxy = httpProxy.createProxyServer({
  target: `http://127.0.0.1:${backend}`,
  agent: new Agent({ keepAlive: true, maxSockets: 1024 }),
});
proxy.on('error', (_error, _request, response) => response.writeHead(502).end());

createServer({ keepAliveTimeout: 600_000 }, (request, response) => proxy.web(request, response)).listen({
  host: '127.0.0.1',
  port: listen,
  backlog: 4096,
});
