/** fast-proxy on its undici client, which is its fastest way. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

type FastProxy = (options: { base: string; undici: { connections: number; pipelining: number } }) => {
  proxy(request: IncomingMessage, response: ServerResponse, source: string, options: object): void;
};

const [listen, backend] = process.argv.slice(2).map(Number);
// The name is hidden from the type checker because the package is only there once the bench has installed its peers.
const { default: fastProxy } = (await import('fast-proxy' as string)) as { default: FastProxy };
const { proxy } = fastProxy({
  base: `http://127.0.0.1:${backend}`,
  undici: { connections: 1024, pipelining: 1 },
});

createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
  // undici refuses these two from a caller, and fast-proxy passes them on.
  delete request.headers.connection;
  delete request.headers['transfer-encoding'];
  proxy(request, response, request.url ?? '/', {});
}).listen({ host: '127.0.0.1', port: listen, backlog: 4096 });
