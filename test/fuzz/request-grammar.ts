import { requestVectors } from '../support/clients/vectors.ts';
import type { Random } from './random.ts';

/** Makes streams of valid requests: 1 to 6, one after the other, in all the ways a client may write them. */

const METHODS = ['GET', 'GET', 'GET', 'HEAD', 'POST', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'M-SEARCH', 'A_B1'];
const HOSTS = [
  'a.example',
  'A.Example:8080',
  '127.0.0.1:1',
  '[::1]',
  '[::1]:80',
  'x',
  'a.example:',
  'h%20x',
  'a_b.c',
  '[::1%25a]',
  'a:65536',
  ':1',
];
const SEGMENTS = [
  'a',
  'orders',
  '%7Euser',
  '%41',
  'x%20y',
  'caf%c3%a9',
  'a;v=1',
  '...',
  '.x',
  'x..',
  '%2B',
  '~',
  '"q"',
  '',
];
const NAMES = [
  'Accept',
  'X-A',
  'x-b',
  'User-Agent',
  'Authorization',
  'Cookie',
  'Via',
  "X!#$%&'*+.^`|~",
  'Cache-Control',
];
const VALUES = [
  'a long one that is read in more than one step, byte \xe9 and all',
  '',
  'v',
  'a, b',
  '*/*',
  'text/html;q=0.5',
  'x\ty',
  '\xe9\xff',
  '"quoted \\" text"',
  'Bearer abc.def',
  '{}',
];
const OWN_LINES = [
  'Keep-Alive: timeout=5',
  'TE: trailers',
  'Trailer: X-T',
  'Upgrade: websocket',
  'Proxy-Connection: keep-alive',
  'Proxy-Authorization: Basic eDp5',
  'X-Forwarded-For: 9.9.9.9',
  'X-Forwarded-Proto: https',
  'x-forwarded-anything: 1',
  'X_Forwarded_For: 8.8.8.8',
  'X.Forwarded.For: 8.8.8.8',
  'Content~Length: 3',
  'Forwarded: for=9.9.9.9',
  'Transfer_Encoding: chunked',
  'Content_Length: 3',
];
const CONNECTIONS = [
  'keep-alive',
  'Keep-Alive, X-A',
  'x-b',
  'X-A,, x-b ,',
  'upgrade',
  'te, TE',
  'content-length, host',
  '',
  '\xa0close',
];
const BODIES = [
  '',
  'x',
  'hello world',
  '0\r\n\r\n',
  'GET /inner HTTP/1.1\r\nHost: i\r\n\r\n',
  '\0\xff\r\n\n\r',
  '5\r\nhello\r\n0\r\n\r\n',
];
const EXTENSIONS = ['', '', '', ';a', ';a=b', '; a="q\\"x"', ';a;b=c', ';\ta="";b'];
const TRAILERS = ['X-T: 1', 'Digest: 1', 'ETAG:\t\xe9 ', 'x-t:', 'X_T: y', 'Set-Cookie: a=b', 'Via: x', 'X-T:\t\xe9 '];

let vectors: string[] | null = null;

/** A stream to start from: mostly of our grammar, sometimes of a public suite. */
export function requestStream(random: Random): string {
  vectors ??= requestVectors().map((vector) => vector.bytes.toString('latin1'));
  if (random.once(5)) return random.pick(vectors);
  let stream = '';
  const credentials = random.once(3) ? [`Authorization: Bearer ${random.pick(['a', 'abc.def', 'x'.repeat(70)])}`] : [];
  for (let i = random.pick([1, 1, 1, 2, 2, 3, 4, 6]); i > 0; i--) stream += request(random, credentials);
  return stream;
}

/** `usual` are lines that a client sends every time, and now and then another way. */
function request(random: Random, usual: readonly string[]): string {
  const old = random.once(8);
  const method = random.pick(METHODS);
  const host = random.pick(HOSTS);
  const empty = random.once(8) ? '\r\n'.repeat(random.between(1, 4)) : '';
  if (random.once(40)) return `${empty}GET /simple\r\n\r\n`;
  const [lines, body] = content(random, old);
  for (const line of usual) {
    lines.push(random.pick([line, line, line, line, `${line} `, `${line}x`, line.toUpperCase(), line.slice(0, -1)]));
  }
  if (!random.once(6)) lines.push(`${spelled(random, 'Host')}: ${random.once(20) ? '' : host}`);
  for (let i = random.below(4); i > 0; i--) {
    lines.push(
      `${random.pick(NAMES)}:${random.pick(['', ' ', '\t ', ' '])}${random.pick(VALUES)}${random.pick(['', ' '])}`,
    );
  }
  for (let i = random.once(2) ? 1 : random.below(3); i > 0; i--) lines.push(random.pick(OWN_LINES));
  if (random.once(3)) lines.push(`${spelled(random, 'Connection')}: ${random.pick(CONNECTIONS)}`);
  if (random.once(14)) lines.push('Connection: close');
  if (old && random.once(2)) lines.push('Connection: Keep-Alive');
  if (random.once(10)) lines.push(`Expect: ${random.pick(['100-continue', '100-Continue'])}`);
  const head = random.shuffled(lines).map((line) => `${line}\r\n`);
  return `${empty}${method} ${target(random, method, host)} HTTP/1.${old ? 0 : 1}\r\n${head.join('')}\r\n${body}`;
}

function spelled(random: Random, name: string): string {
  return random.pick([name, name, name.toLowerCase(), name.toUpperCase()]);
}

function target(random: Random, method: string, host: string): string {
  if (method === 'OPTIONS' && random.once(2)) return '*';
  const path = `/${random.some(3, () => random.pick(SEGMENTS), '/')}`;
  const query = random.once(3) ? `?${random.pick(['', 'a=b', 'a=%2e%2e/&b', '?x', 'q#fragment'])}` : '';
  if (!random.once(6)) return path + query;
  return `${random.pick(['http', 'HTTP', 'https'])}://${random.once(2) ? host : host.toUpperCase()}${random.once(4) ? '' : path}${query}`;
}

/** @returns the lines that frame a body, and the body as it is sent. */
function content(random: Random, old: boolean): [lines: string[], body: string] {
  if (random.once(2)) return [[], ''];
  const body = random.some(3, () => random.pick(BODIES));
  if (old || random.once(2)) {
    const length = `${random.once(8) ? '00' : ''}${body.length}`;
    return [[`${spelled(random, 'Content-Length')}: ${length}`], body];
  }
  return [[`${spelled(random, 'Transfer-Encoding')}: ${random.pick(['chunked', 'Chunked'])}`], chunked(random, body)];
}

/** A body in chunks of any size, with extensions and trailers. */
export function chunked(random: Random, body: string): string {
  let text = '';
  for (let at = 0; at < body.length; ) {
    const size = random.between(1, Math.min(body.length - at, 20));
    const digits = random.once(2) ? size.toString(16) : size.toString(16).toUpperCase();
    text += `${random.once(8) ? '0' : ''}${digits}${random.pick(EXTENSIONS)}\r\n${body.slice(at, at + size)}\r\n`;
    at += size;
  }
  const trailers = random.once(3) ? random.some(3, () => `${random.pick(TRAILERS)}\r\n`) : '';
  return `${text}${random.pick(['0', '0', '000'])}${random.pick(EXTENSIONS)}\r\n${trailers}\r\n`;
}
