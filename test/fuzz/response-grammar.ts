import type { Random } from './random.ts';
import { chunked } from './request-grammar.ts';

/** Makes what a backend may validly send in answer to one request. */

const STATUSES = [
  '200 OK',
  '200',
  '200 ',
  '201 Created',
  '204 No Content',
  '304 Not Modified',
  '404 Not Found',
  '500 \xe9',
];
const INTERIMS = ['100 Continue', '103 Early Hints', '102 Processing', '199 x'];
const LINES = [
  'Content-Type: text/plain',
  'Set-Cookie: a=b',
  'set-cookie:c=d',
  'X-A: 1',
  'X_B: 2',
  'Server: \xe9',
  'Empty:',
  'Keep-Alive: timeout=1',
  'Trailer: X-T',
  'Upgrade: h2c',
  'Proxy-Connection: close',
  'Proxy-Authenticate: Basic',
];
const CONNECTIONS = ['close', 'keep-alive', 'X-A', 'keep-alive, x-a', 'Upgrade', 'content-length'];
const BODIES = [
  'x',
  'hello world',
  '0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nother',
  '\0\xff\r\n\n\r',
  'a'.repeat(100),
];

export function responseStream(random: Random): string {
  let stream = '';
  const interims = random.once(4) ? random.pick([1, 1, 2, 16]) : 0;
  for (let i = 0; i < interims; i++) stream += `HTTP/1.1 ${random.pick(INTERIMS)}\r\n${lines(random, 2)}\r\n`;
  if (random.once(20)) {
    const lines = ['Upgrade: websocket\r\n', 'Connection: Upgrade\r\n', 'X-A: 1\r\n'];
    return `${stream}HTTP/1.1 101 Switching Protocols\r\n${random.shuffled(lines).join('')}\r\n${random.pick(BODIES)}`;
  }
  const old = random.once(8);
  const body = random.some(3, () => random.pick(BODIES));
  const framing = random.below(old ? 2 : 3);
  const framed =
    framing === 0 ? '' : framing === 1 ? `Content-Length: ${body.length}\r\n` : 'Transfer-Encoding: chunked\r\n';
  const connection = random.once(4) ? `Connection: ${random.pick(CONNECTIONS)}\r\n` : '';
  stream += `HTTP/1.${old ? 0 : 1} ${random.pick(STATUSES)}\r\n${lines(random, 3)}${framed}${connection}${lines(random, 2)}\r\n`;
  return stream + (framing === 2 ? chunked(random, body) : body);
}

function lines(random: Random, most: number): string {
  return random.some(most, () => `${random.pick(LINES)}\r\n`);
}
