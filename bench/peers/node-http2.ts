/** A proxy of Node.js's own parts: node:http in front, one node:http2 session to the backend. `node-http2.ts LISTEN BACKEND` */
import { createServer } from 'node:http';
import { connect } from 'node:http2';

const [listen, backend] = process.argv.slice(2);
const session = connect(`http://127.0.0.1:${backend}`, { settings: { initialWindowSize: 1 << 20 } });
session.on('connect', () => session.setLocalWindowSize(1 << 24));

const HOP = new Set(['connection', 'host', 'keep-alive', 'te', 'transfer-encoding', 'upgrade']);

createServer((request, response) => {
  const headers: Record<string, string | string[]> = {
    ':method': request.method ?? 'GET',
    ':path': request.url ?? '/',
    ':authority': request.headers.host ?? '',
  };
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined && !HOP.has(name)) headers[name] = value;
  }
  const stream = session.request(headers);
  request.pipe(stream);
  stream.on('response', (answer) => {
    const status = Number(answer[':status']);
    const lines = Object.entries(answer).filter(([name]) => !name.startsWith(':'));
    response.writeHead(status, Object.fromEntries(lines) as Record<string, string>);
    stream.pipe(response);
  });
}).listen(Number(listen), '127.0.0.1', 4096);
