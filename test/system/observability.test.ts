import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { refusalNames } from '../../dataplane/engine/message/refusal.ts';
import { EchoBackend } from '../support/backends/echo-backend.ts';
import { ask, exchangeBytes } from '../support/clients/answers.ts';
import { GatewayProcess } from '../support/gateways/gateway-process.ts';

let backend: EchoBackend;
let gateway: GatewayProcess | undefined;
const folder = mkdtempSync(join(tmpdir(), 'gatewarden-'));

beforeAll(async () => {
  backend = await EchoBackend.start({ host: '127.0.0.1' }, (request, response) => {
    request.resume();
    request.on('end', () => {
      response.statusCode = Number(/^\/status\/(\d+)/.exec(request.url!)?.[1] ?? 200);
      response.end('0123456789');
    });
  });
});
afterAll(async () => {
  await backend.close();
  rmSync(folder, { recursive: true });
});
afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
});

async function start(...words: string[]): Promise<GatewayProcess> {
  gateway = await GatewayProcess.start(backend.url, words);
  return gateway;
}

const get = (path: string, lines = ''): string => `GET ${path} HTTP/1.1\r\nHost: shop.example\r\n${lines}`;

/** Every sample of an exposition, by its name and labels. @throws when a line is not of the format. */
function parseExposition(text: string): { samples: Map<string, number>; kinds: Map<string, string> } {
  const samples = new Map<string, number>();
  const kinds = new Map<string, string>();
  expect(text.endsWith('\n')).toBe(true);
  for (const line of text.trimEnd().split('\n')) {
    if (line === '') continue;
    const comment = /^# (HELP|TYPE) ([a-z_][a-z0-9_]*) (.+)$/.exec(line);
    if (comment !== null) {
      if (comment[1] === 'TYPE') kinds.set(comment[2]!, comment[3]!);
      continue;
    }
    const sample = /^([a-z_][a-z0-9_]*(?:\{(?:[a-z_]+="[^"\n]*",?)+\})?) (\S+)$/.exec(line);
    if (sample === null) throw new Error(`not a sample: ${line}`);
    expect(samples.has(sample[1]!)).toBe(false);
    samples.set(sample[1]!, Number(sample[2] === '+Inf' ? Number.POSITIVE_INFINITY : sample[2]));
  }
  return { samples, kinds };
}

describe('/metrics', () => {
  it('counts served and rejected requests, by reason', async () => {
    const { port } = await start('--units', '2');
    for (let i = 0; i < 5; i++) await ask(port, get('/'));
    for (const status of [201, 302, 404, 404, 503]) await ask(port, get(`/status/${status}`));
    await ask(port, 'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n', 'x'.repeat(1000));
    const bad = ['/a/../b', '/a%2fb', '/%00'];
    for (const path of bad) await ask(port, get(path));
    await ask(port, get('/', 'Host: other\r\n'));
    await exchangeBytes(port, 'nonsense\r\n\r\n');
    await exchangeBytes(port, `GET /${'a'.repeat(9000)} HTTP/1.1\r\nHost: h\r\n\r\n`);

    for (const [name, value] of [
      ['connections_open', 0],
      ['requests_active', 0],
      ['request_duration_seconds_count', 17],
    ] as const) {
      await vi.waitFor(async () => expect(await gateway!.figure(`gatewarden_${name}`)).toBe(value));
    }
    const { samples, kinds } = parseExposition((await gateway!.admin('/metrics')).text);
    const figure = (name: string): number | undefined => samples.get(`gatewarden_${name}`);
    expect(figure('requests_total{status="2xx"}')).toBe(7);
    expect(figure('requests_total{status="3xx"}')).toBe(1);
    expect(figure('requests_total{status="4xx"}')).toBe(2 + bad.length + 3);
    expect(figure('requests_total{status="5xx"}')).toBe(1);
    expect(figure('refusals_total{refusal="target-ambiguous"}')).toBe(bad.length);
    expect(figure('refusals_total{refusal="host"}')).toBe(1);
    expect(figure('refusals_total{refusal="request-line"}')).toBe(1);
    expect(figure('refusals_total{refusal="target-too-long"}')).toBe(1);
    expect(figure('refusals_total{refusal="chunk"}')).toBe(0);
    for (const refusal of refusalNames) expect(figure(`refusals_total{refusal="${refusal}"}`)).toBeDefined();
    expect(figure('connections_total')).toBe(17);
    expect(figure('requests_active')).toBe(0);
    expect(figure('request_bytes_total')).toBe(1000);
    expect(figure('response_bytes_total')).toBeGreaterThanOrEqual(11 * 10);
    expect(figure('units')).toBe(2);
    expect(figure('request_duration_seconds_count')).toBe(17);
    expect(figure('request_duration_seconds_bucket{le="+Inf"}')).toBe(17);
    expect(figure('request_duration_seconds_sum')).toBeGreaterThan(0);
    let last = 0;
    for (const [name, value] of samples) {
      if (!name.startsWith('gatewarden_request_duration_seconds_bucket')) continue;
      expect(value).toBeGreaterThanOrEqual(last);
      last = value;
    }
    expect(kinds.get('gatewarden_request_duration_seconds')).toBe('histogram');
    for (const [name, kind] of kinds) {
      if (name.startsWith('gatewarden_')) expect(kind === 'counter').toBe(name.endsWith('_total'));
    }
    expect(samples.has('process_cpu_seconds_total')).toBe(true);
  });

  it('is not on the traffic port, which has no paths of its own', async () => {
    const { port } = await start();
    for (const path of ['/metrics', '/health/live', '/health/ready', '/units/0/restart']) {
      expect((await ask(port, get(path))).body).toBe('0123456789');
    }
    expect((await ask(port, get('/status/404'))).status).toBe(404);
  });
});

describe('the admin port', () => {
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.internal === false && address.family === 'IPv4')?.address;

  it('serves health and metrics to everyone, and the rest to this machine only', async () => {
    const { adminPort } = await start('--admin', '0.0.0.0:0');
    const status = async (host: string, path: string, method = 'GET'): Promise<number> =>
      (await fetch(`http://${host}:${adminPort}${path}`, { method })).status;
    expect(await status('127.0.0.1', '/')).toBe(200);
    if (outside === undefined) return; // a machine without a network: the predicate has its own test
    for (const path of ['/health/live', '/health/ready', '/metrics']) expect(await status(outside, path)).toBe(200);
    for (const path of ['/', '/units/0/restart', '/anything']) {
      expect(await status(outside, path)).toBe(403);
      expect(await status(outside, path, 'POST')).toBe(403);
    }
    expect(await gateway!.figure('gatewarden_unit_restarts_total')).toBe(0);
  });

  it('can be turned off', async () => {
    const { said } = await start('--admin', 'off');
    expect(said[0]).not.toHaveProperty('admin');
    expect((await ask(gateway!.port, get('/'))).status).toBe(200);
  });
});

describe('the access log', () => {
  interface Line {
    readonly [name: string]: unknown;
    readonly path: string;
  }
  const parse = (text: string): Line[] =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);

  it('has one line for each request, in the shape of pino, without queries and secrets', async () => {
    const begun = Date.now();
    const { port } = await start('--access-log', '-');
    const secrets = 'Authorization: Bearer secret-token\r\nCookie: session=secret-cookie\r\nX-Api-Key: secret-key\r\n';
    await ask(port, get('/plain?token=secret-query', secrets));
    await ask(port, get('/quo"ted/back"?secret-query'));
    await ask(port, get('/%6frders/caf%c3%a9'));
    await ask(port, get('/status/404'));
    await ask(port, get('/a/%2e%2e/b?secret-query'));
    await exchangeBytes(port, 'nonsense secret-line\r\n\r\n');
    await ask(port, 'GET http://shop.example/absolute?secret-query HTTP/1.1\r\nHost: shop.example\r\n');
    await gateway!.stop();

    const lines = parse(gateway!.stdout);
    expect(lines.map(({ path, status }) => [path, status])).toEqual([
      ['/plain', 200],
      ['/quo"ted/back"', 200],
      ['/orders/caf%C3%A9', 200],
      ['/status/404', 404],
      ['/a/%2e%2e/b', 400],
      ['', 400],
      ['/absolute', 200],
    ]);
    expect(gateway!.stdout).not.toContain('secret');
    for (const line of lines) {
      expect(line).toMatchObject({ level: 30, msg: 'request', unit: 0, remote: '127.0.0.1' });
      expect(line['time']).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
      expect(Date.parse(line['time'] as string)).toBeGreaterThanOrEqual(begun);
      expect(Date.parse(line['time'] as string)).toBeLessThanOrEqual(Date.now());
      expect(line['us']).toBeGreaterThanOrEqual(0);
    }
    expect(lines[0]).toMatchObject({
      method: 'GET',
      host: 'shop.example',
      bytes: 10,
      backend: new URL(backend.url).host,
    });
    expect(lines[0]?.['requestId']).toMatch(/^[0-9a-f]{32}$/);
    expect(lines[0]).not.toHaveProperty('refusal');
    expect(lines[4]).toMatchObject({ refusal: 'target-ambiguous' });
    expect(lines[5]).toMatchObject({ refusal: 'request-line' });
  });

  it('is appended to a file', async () => {
    const file = join(folder, 'access.log');
    for (let run = 1; run <= 2; run++) {
      await start('--access-log', file, '--units', '2');
      for (let i = 0; i < 10; i++) await ask(gateway!.port, get(`/${run}/${i}`));
      expect(await gateway!.stop()).toBe(0);
      expect(gateway!.stdout).toBe('');
    }
    const paths = parse(readFileSync(file, 'utf8')).map(({ path }) => path);
    expect(paths.toSorted()).toEqual([1, 2].flatMap((run) => Array.from({ length: 10 }, (_, i) => `/${run}/${i}`)));
  });

  it('can be turned off', async () => {
    await start('--access-log', 'off');
    expect((await ask(gateway!.port, get('/'))).status).toBe(200);
    await gateway!.stop();
    expect(gateway!.stdout).toBe('');
  });

  it('does not stop the gateway when its reader is gone', async () => {
    const started = await start('--access-log', '-');
    started.closeStdout();
    for (let i = 0; i < 5; i++) expect((await ask(started.port, get('/'))).status).toBe(200);
    expect(await started.stop()).toBe(0);
  });
});
