import { afterAll, beforeAll, expect, it } from 'vitest';
import { FLAG, FRAME } from '../../../../dataplane/engine/frames/frames.ts';
import {
  type RecordedRequest,
  type RecordingBackend,
  startRecordingBackend,
} from '../../../support/backends/recording-backend.ts';
import { FrameClient, frame, headersFrame } from '../../../support/clients/frame-client.ts';
import type { Field } from '../../../support/clients/hpack-blocks.ts';
import { randomNumbers } from '../../../support/clients/random.ts';
import { RawClient } from '../../../support/clients/raw-client.ts';
import { startGateway, type TestGateway } from '../../../support/gateways/gateway.ts';

let gateway: TestGateway;
let backend: RecordingBackend;
beforeAll(async () => {
  backend = await startRecordingBackend();
  gateway = await startGateway({ backend: { destination: backend.destination }, limits: { halfClose: true } });
});
afterAll(async () => {
  await gateway.close();
  await backend.close();
});

const METHODS = ['GET', 'POST', 'PUT', 'OPTIONS', 'get', 'G T', 'CONNECT', 'M-SEARCH', ''];
const PATHS = [
  '/',
  '/a/b?c=d',
  '*',
  '/%41',
  '/a/./b',
  '/a%2fb',
  'http://h.example/',
  '/a b',
  '/a\r\nx: y',
  '//a',
  '/a#b',
];
const HOSTS = [
  'h.example',
  'H.example:80',
  'h.example:99999',
  'user@h.example',
  '',
  'a b',
  '[::1]:8080',
  'h.example\r\n',
];
const NAMES = [
  'x-a',
  'cookie',
  'te',
  'X-Upper',
  'x_a',
  'content-length',
  'transfer-encoding',
  'connection',
  'host',
  'expect',
];
const MORE_NAMES = [
  'upgrade',
  'trailer',
  'forwarded',
  'x-forwarded-for',
  'proxy-authorization',
  'authorization',
  'via',
  '',
];
const VALUES = [
  '1',
  '0',
  'x',
  'chunked',
  'close',
  'trailers',
  'h.example',
  '100-continue',
  ' x',
  'x\t',
  'a\nb',
  'a\0',
  'é',
  '',
];

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly host: string;
  readonly fields: readonly Field[];
  readonly content: string;
}

function somebody(random: (below: number) => number): Asked {
  const one = (list: readonly string[]): string => (random(3) > 0 ? list[0]! : list[random(list.length)]!);
  const any = (list: readonly string[]): string => list[random(list.length)]!;
  const fields = Array.from(
    { length: random(4) },
    (): Field => [any(random(2) === 0 ? NAMES : MORE_NAMES), any(VALUES)],
  );
  return { method: one(METHODS), path: one(PATHS), host: one(HOSTS), fields, content: random(3) === 0 ? 'x' : '' };
}

/** What is left of a request when what belongs to the version it came in is taken away. */
function meaning({ method, target, lines, content, complete }: RecordedRequest): unknown {
  const kept: string[] = [];
  for (let i = 0; i < lines.length; i += 2) {
    const name = lines[i]!.toLowerCase();
    if (name === 'te' || name === 'transfer-encoding' || name === 'content-length') continue;
    kept.push(`${name}: ${lines[i + 1]!.replace(/^(2|1\.1) gatewarden/, 'gatewarden')}`);
  }
  return { method, target, lines: kept.sort(), content, complete };
}

async function byFrames({ method, path, host, fields, content }: Asked): Promise<string> {
  const client = await FrameClient.connect(gateway.port);
  const pseudo: Field[] = [
    [':method', method],
    [':scheme', 'http'],
    [':path', path],
    [':authority', host],
  ];
  const ends = content === '' ? FLAG.END_STREAM : 0;
  client.send(headersFrame(1, [...pseudo, ...fields], FLAG.END_HEADERS | ends));
  if (content !== '') client.send(frame(FRAME.DATA, FLAG.END_STREAM, 1, content));
  const outcome = await client.outcome(1);
  client.raw.destroy();
  return outcome;
}

async function byLines({ method, path, host, fields, content }: Asked): Promise<string> {
  const client = await RawClient.connect(gateway.port);
  const framed = fields.some(([name]) => name === 'content-length' || name === 'transfer-encoding');
  const length = content === '' || framed ? '' : `content-length: ${content.length}\r\n`;
  // in lines once is enough for a host, twice is too much in both, and cookies are one
  const again = fields.findIndex(([name, value]) => name === 'host' && value === host);
  const said = fields.filter(([name], i) => name !== 'cookie' && i !== again);
  const cookies = fields.filter(([name]) => name === 'cookie').map(([, value]) => value);
  if (cookies.length > 0) said.push(['cookie', cookies.join('; ')]);
  const lines = said.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  client.send(`${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${lines}${length}\r\n${content}`);
  client.finish();
  const text = await client.until((seen) => /^HTTP\/1\.1 [2-5]|\r\nHTTP\/1\.1 [2-5]/.test(seen));
  client.destroy();
  return /(?:^|\r\n)HTTP\/1\.1 ([2-5]\d\d)/.exec(text)?.[1] ?? 'closed';
}

it.each([1, 2, 3, 4])('a request rejected over HTTP/1.1 is rejected over HTTP/2, seed %i', async (seed) => {
  const random = randomNumbers(seed);
  let served = 0;
  for (let i = 0; i < 150; i++) {
    const asked = somebody(random);
    backend.forget();
    const outcome = await byFrames(asked);
    const [framed] = backend.requests.filter(({ complete }) => complete);
    expect(framed === undefined, `${outcome} ${JSON.stringify(asked)}`).toBe(outcome !== '200');
    if (framed === undefined) continue;
    served++;
    backend.forget();
    expect(await byLines(asked), JSON.stringify(asked)).toBe('200');
    expect(meaning(framed), JSON.stringify(asked)).toEqual(meaning(backend.requests[0]!));
  }
  expect(served).toBeGreaterThan(10);
});
