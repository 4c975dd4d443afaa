import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EchoBackend } from '../../support/backends/echo-backend.ts';
import { bodyOf, Http2Backend } from '../../support/backends/http2-backend.ts';
import { certifiers, PeerGateway } from '../../support/gateways/peer-gateway.ts';
import { curl } from '../../support/programs/curl.ts';
import { INSTALLATION, installPrograms, programPath } from '../../support/programs/debian-program.ts';
import { type Outcome, runProgram } from '../../support/programs/run-program.ts';

const FILE = randomBytes(3 << 19).toString('base64');
const digestOf = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');

const who = certifiers();
let first: EchoBackend;
let second: Http2Backend;
let gateway: PeerGateway;

beforeAll(async () => {
  await installPrograms(['curl', 'nghttp', 'h2load']);
  first = await EchoBackend.start({ host: '127.0.0.1' }, answer);
  second = await Http2Backend.start(async (stream, headers) => {
    if (headers['expect'] !== undefined) stream.additionalHeaders({ ':status': 100 });
    let sum = 'none';
    stream.once('trailers', (fields) => (sum = `${fields['content-digest']}`));
    const content = await bodyOf(stream);
    stream.respond({ ':status': 200 }, { waitForTrailers: true });
    stream.once('wantTrailers', () => stream.sendTrailers({ etag: digestOf(content), 'repr-digest': sum }));
    stream.end(`${content.length}`);
  });
  const { host, port } = second.destination;
  const identity = '${contexts.client.certificates[0].subjectX500Principal.name}';
  gateway = await PeerGateway.start(who, {
    routes: {
      first: { to: first.url },
      second: { to: `http://${host}:${port}`, config: { protocolVersion: 'HTTP/2', http2PriorKnowledge: true } },
    },
    files: {
      upload: FILE,
      'client.pem': who.clients.issue({ commonName: 'a client', client: true }).pem,
      'stranger.pem': who.backends.issue({ commonName: 'a stranger', client: true }).pem,
      'config/routes/seen.json': {
        condition: "${request.uri.path == '/seen'}",
        handler: {
          type: 'StaticResponseHandler',
          config: { status: 200, entity: `\${request.version} \${contexts.client.isSecure} ${identity}` },
        },
      },
    },
  });
}, INSTALLATION);

afterAll(async () => {
  await gateway?.stop();
  await first?.close();
  await second?.close();
});

function answer(request: IncomingMessage, response: ServerResponse): void {
  if (request.url?.includes('/file')) {
    response.end(FILE);
    return;
  }
  const digest = createHash('sha256');
  request.on('data', (bytes: Buffer) => digest.update(bytes));
  request.on('end', () => response.end(`${request.method} ${digest.digest('hex')}`));
}

describe('curl', () => {
  it('finds the certificate of each server by its name', async () => {
    const expected = { 'gateway.test': 0, 'shop.test': 0, 'a.wild.test': 0, 'a.b.wild.test': 60, 'other.test': 60 };
    const found = Object.keys(expected).map(async (name) => {
      const words = ['--cacert', gateway.folder.at('authority.pem'), '--resolve', `${name}:${gateway.tls}:127.0.0.1`];
      return [name, (await curl(...words, `https://${name}:${gateway.tls}/first/x`)).exit];
    });
    expect(Object.fromEntries(await Promise.all(found))).toEqual(expected);
  });

  it.each(['--http1.1', '--http2'])('is identified by its certificate, over %s', async (version) => {
    const base = ['-k', version];
    const url = `https://127.0.0.1:${gateway.mutual}/seen`;
    const known = await curl(...base, '--cert', gateway.folder.at('client.pem'), url);
    expect(known.body).toBe(`${version === '--http2' ? 'HTTP/2' : 'HTTP/1.1'} true CN=a client`);
    for (const words of [[], ['--cert', gateway.folder.at('stranger.pem')]]) {
      const { exit, status } = await curl(...base, ...words, url);
      expect([exit === 0, status]).toEqual([false, 0]); // TLS 1.3 clients learn of it with the first read or write
    }
  });

  it.each([
    ['--http1.1', 'first'],
    ['--http1.1', 'second'],
    ['--http2', 'first'],
    ['--http2', 'second'],
  ])('uploads with Expect over %s to the %s backend', async (version, route) => {
    const words = ['-v', '-k', version, '-H', 'Expect: 100-continue', '-T', gateway.folder.at('upload')];
    const { exit, body, said } = await curl(...words, `https://127.0.0.1:${gateway.tls}/${route}/x`);
    expect([exit, body]).toEqual([0, route === 'first' ? `PUT ${digestOf(FILE)}` : `${FILE.length}`]);
    expect(said).toMatch(/^< HTTP\/(?:1\.1|2) 100/m);
  });

  it('uses cleartext HTTP/2 by prior knowledge, and gets HTTP/1.1 for an upgrade request', async () => {
    const url = `http://127.0.0.1:${gateway.plain}/first/file`;
    const known = await curl('--http2-prior-knowledge', url);
    expect([known.version, known.body === FILE]).toEqual(['2', true]);
    const asked = await curl('--http2', url);
    expect([asked.version, asked.body === FILE]).toEqual(['1.1', true]);
  });

  it('reuses one connection for many requests at a time', async () => {
    const urls = Array.from({ length: 40 }, (_, i) => `https://127.0.0.1:${gateway.tls}/first/file?${i}`);
    const { connects, body } = await curl('-k', '--parallel', ...urls);
    expect([connects, body.length]).toEqual([1, 40 * FILE.length]);
  });

  it('gets ranges, also over TLS 1.2', async () => {
    const { status } = await curl('-k', '--tls-max', '1.2', '-r', '0-9', `https://127.0.0.1:${gateway.tls}/first/file`);
    expect(status).toBe(200);
  });
});

const nghttp = (...words: string[]): Promise<Outcome> => runProgram(programPath('nghttp'), words);

describe('nghttp', () => {
  it.each(['plain', 'tls'] as const)('has many streams and a large upload on one connection, %s', async (where) => {
    const base = `${where === 'tls' ? 'https' : 'http'}://127.0.0.1:${gateway[where]}`;
    for (const words of [[], ['--no-dep'], ['-w', '10', '-W', '12'], ['--peer-max-concurrent-streams=3']]) {
      const { code, stdout } = await nghttp('-v', '-n', '-m', '30', ...words, `${base}/first/file`);
      expect(code).toBe(0);
      expect(stdout.match(/recv \(stream_id=\d+\) :status: 200/g)).toHaveLength(30);
      expect(stdout).not.toMatch(/RST_STREAM/);
    }
  });

  it.each(['first', 'second'])('uploads with trailers to the %s backend', async (route) => {
    const url = `https://127.0.0.1:${gateway.tls}/${route}/x`;
    const words = ['-v', '-H', 'te: trailers', '--trailer', 'content-digest: 42', '-d', gateway.folder.at('upload')];
    const { code, stdout } = await nghttp(...words, url);
    expect(code).toBe(0);
    if (route === 'first') expect(stdout).toContain(`POST ${digestOf(FILE)}`);
    else {
      expect(stdout).toMatch(/recv \(stream_id=\d+\) repr-digest: 42/);
      expect(stdout).toContain(`etag: ${digestOf(FILE)}`);
    }
  });
});

describe('h2load', () => {
  it.each([
    ['plain', 'first', []],
    ['tls', 'first', []],
    ['tls', 'second', []],
    ['tls', 'first', ['--h1']],
    ['tls', 'first', ['-d', 'upload']],
    ['tls', 'second', ['-d', 'upload']],
  ] as const)('has no error on the connector %s to the %s backend with %j', async (where, route, more) => {
    const url = `${where === 'tls' ? 'https' : 'http'}://127.0.0.1:${gateway[where]}/${route}/x`;
    const words = more.map((word) => (word === 'upload' ? gateway.folder.at('upload') : word));
    const requests = words.includes('-d') ? 60 : 2000;
    const sent = ['-n', `${requests}`, '-c', '8', '-m', '20', ...words, url];
    const { code, stdout } = await runProgram(programPath('h2load'), sent);
    expect(code).toBe(0);
    expect(stdout).toContain(`${requests} succeeded, 0 failed, 0 errored, 0 timeout`);
    expect(stdout).toContain(`status codes: ${requests} 2xx`);
  });
});

it('closes connections in clear on a port with TLS and counts them', async () => {
  const { exit } = await curl(`http://127.0.0.1:${gateway.tls}/first/x`);
  expect(exit).not.toBe(0);
  await expect.poll(() => gateway.process.figure('gw_tls_handshake_failures_total{reason="plain-http"}')).toBe(1);
  const socket = connect({ port: gateway.tls, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  socket.destroy();
});
