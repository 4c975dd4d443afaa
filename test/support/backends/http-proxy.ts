import { once } from 'node:events';
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** How a proxy behaves. */
export interface ProxyRule {
  /** `name:password` that it wants. */
  readonly credentials?: string;
  /** Where the hosts are that only it knows, by name: a port on loopback. */
  readonly hosts?: Readonly<Record<string, number>>;
  /** What it says instead of leading anywhere. */
  readonly refuses?: number;
  /** Bytes that it sends instead of an answer to CONNECT, before it closes. */
  readonly babbles?: string;
}

/** A real HTTP proxy on a port of its own, for the rest of the test. */
export interface TestProxy {
  readonly port: number;
  readonly uri: string;
  /** The requests that it read, as `GET http://host/path`, and the tunnels that it was asked for, as `CONNECT host:port`. */
  readonly asked: string[];
  /** The lines for it alone that came with them. */
  readonly credentials: (string | undefined)[];
  /** Connections so far. */
  connections: number;
}

export async function startProxy(rule: ProxyRule = {}): Promise<TestProxy> {
  const sockets = new Set<Socket>();
  const server = createServer(read);
  const proxy: TestProxy = { port: 0, uri: '', asked: [], credentials: [], connections: 0 };
  server.on('connection', (socket) => {
    proxy.connections++;
    keep(socket);
  });
  server.on('connect', (asked: IncomingMessage, socket: Socket) => tunnel(asked, socket));
  server.listen({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  return Object.assign(proxy, { port, uri: `http://127.0.0.1:${port}` });

  function keep(socket: Socket): void {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  }

  function refusal({ method, url, headers }: IncomingMessage): number {
    const proof = headers['proxy-authorization'];
    proxy.asked.push(`${method} ${url}`);
    proxy.credentials.push(proof);
    if (rule.refuses !== undefined) return rule.refuses;
    if (rule.credentials === undefined) return 0;
    return proof === `Basic ${Buffer.from(rule.credentials).toString('base64')}` ? 0 : 407;
  }

  function placeOf(host: string, port: number): { host: string; port: number } {
    const known = rule.hosts?.[host];
    return known === undefined ? { host: host.replace(/^\[(.*)\]$/, '$1'), port } : { host: '127.0.0.1', port: known };
  }

  function read(asked: IncomingMessage, answer: ServerResponse): void {
    const status = refusal(asked);
    const target = URL.parse(asked.url ?? '');
    if (status !== 0 || target === null) {
      asked.resume();
      answer.writeHead(status === 0 ? 400 : status, { 'content-length': 0 }).end();
      return;
    }
    const { 'proxy-authorization': _proof, ...headers } = asked.headers;
    const path = target.pathname + target.search;
    const place = placeOf(target.hostname, Number(target.port || 80));
    const onward = forward({
      ...place,
      path,
      method: asked.method,
      agent: false,
      headers: { ...headers, host: target.host },
    });
    onward.on('response', (response) => {
      answer.writeHead(response.statusCode!, response.headers);
      response.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    asked.pipe(onward);
  }

  function tunnel(asked: IncomingMessage, socket: Socket): void {
    const status = refusal(asked);
    if (rule.babbles !== undefined) {
      socket.end(rule.babbles);
      return;
    }
    if (status !== 0) {
      socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    const [, host, port] = /^(.*):(\d+)$/.exec(asked.url ?? '') ?? [];
    const onward = connect({ ...placeOf(host ?? '', Number(port)), allowHalfOpen: true });
    keep(onward);
    onward.on('connect', () => {
      socket.write('HTTP/1.1 200 Connection established\r\nVia: 1.1 test\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('close', () => socket.destroy());
    socket.on('close', () => onward.destroy());
  }
}
