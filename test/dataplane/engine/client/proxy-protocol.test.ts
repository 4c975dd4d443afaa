import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { ClientContext } from '../../../../dataplane/engine/message/exchange.ts';
import { StrictBackend } from '../../../support/backends/strict-backend.ts';
import { refusalOf, untilAnswers } from '../../../support/clients/answers.ts';
import { RawClient } from '../../../support/clients/raw-client.ts';
import { startGateway, type TestGateway } from '../../../support/gateways/gateway.ts';

let backend: StrictBackend;
let trusting: TestGateway;
let distrusting: TestGateway;
let clients: ClientContext[] = [];

/** By default a head has more time than a busy machine takes. */
function start(trustedProxies: readonly string[], headTimeout = 240_000): Promise<TestGateway> {
  return startGateway({
    backend: { destination: { host: '127.0.0.1', port: backend.port } },
    trustedProxies,
    limits: { headTimeout },
    handler: (next) => (exchange) => {
      clients.push(exchange.client);
      return next(exchange);
    },
  });
}

beforeAll(async () => {
  backend = await StrictBackend.start();
  trusting = await start(['127.0.0.1', '10.0.0.0/8']);
  distrusting = await start([]);
});
afterAll(async () => {
  await trusting.close();
  await distrusting.close();
  await backend.close();
});
beforeEach(() => {
  backend.requests.length = 0;
  clients = [];
});

const request = 'GET / HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: 203.0.113.9\r\nConnection: close\r\n\r\n';
const signature = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');

/** A version 2 header. */
function version2(command: number, family: number, content: Buffer): Buffer {
  const fixed = Buffer.from([command, family, content.length >> 8, content.length & 255]);
  return Buffer.concat([signature, fixed, content]);
}

const ipv4 = Buffer.from([192, 0, 2, 7, 198, 51, 100, 1, 0x15, 0xb3, 0x01, 0xbb]);
const ipv6 = Buffer.concat([
  Buffer.from('20010db8000000000000000000000007', 'hex'),
  Buffer.from('20010db8000000000000000000000001', 'hex'),
  Buffer.from([0x15, 0xb3, 0x01, 0xbb]),
]);
const mapped = Buffer.concat([
  Buffer.from('00000000000000000000ffff0a000007', 'hex'),
  Buffer.from('20010db8000000000000000000000001', 'hex'),
  Buffer.from([0x15, 0xb3, 0x01, 0xbb]),
]);
const extras = Buffer.from([0x03, 0, 4, 1, 2, 3, 4]); // a CRC in a TLV, which nobody reads

const headers: [name: string, header: string | Buffer, address: string, port: number, localPort: number][] = [
  ['v1 TCP4', 'PROXY TCP4 192.0.2.7 198.51.100.1 5555 443\r\n', '192.0.2.7', 5555, 443],
  ['v1 TCP6', 'PROXY TCP6 2001:DB8:0::7 2001:db8::1 5555 443\r\n', '2001:db8::7', 5555, 443],
  ['v2 IPv4', version2(0x21, 0x11, ipv4), '192.0.2.7', 5555, 443],
  ['v2 IPv6', version2(0x21, 0x21, ipv6), '2001:db8::7', 5555, 443],
  ['v2 IPv4 with more', version2(0x21, 0x11, Buffer.concat([ipv4, extras])), '192.0.2.7', 5555, 443],
];

async function send(port: number, pieces: readonly (string | Buffer)[]) {
  const client = await RawClient.connect(port);
  for (const piece of pieces) {
    client.send(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const answers = await untilAnswers(client, 1);
  client.destroy();
  expect(backend.violations).toEqual([]);
  return answers;
}

describe('from a trusted peer', () => {
  it.each(headers)('%s names the client', async (_name, header, address, port, localPort) => {
    const [answer] = await send(trusting.port, [Buffer.concat([Buffer.from(header), Buffer.from(request)])]);
    expect(answer!.status).toBe(200);
    expect(clients).toMatchObject([{ remoteAddress: address, remotePort: port, localPort }]);
    expect(backend.requests[0]!.headers).toContainEqual(['x-forwarded-for', address]);
    expect(backend.requests[0]!.headers).toContainEqual(['x-forwarded-port', String(localPort)]);
  });

  it.each(headers)('%s, split at every byte', async (_name, header, address) => {
    const whole = Buffer.concat([Buffer.from(header), Buffer.from(request)]);
    const splits = Array.from({ length: Buffer.from(header).length + 4 }, (_, at) => at + 1);
    const answers = await Promise.all(
      splits.map((at) => send(trusting.port, [whole.subarray(0, at), whole.subarray(at)])),
    );
    expect(answers.map(([answer]) => answer!.status)).toEqual(splits.map(() => 200));
    expect(clients.map((client) => client.remoteAddress)).toEqual(splits.map(() => address));
  });

  it.each(headers)('%s, byte by byte', async (_name, header, address) => {
    const whole = Buffer.concat([Buffer.from(header), Buffer.from(request)]);
    const bytes = Array.from(whole, (_, at) => whole.subarray(at, at + 1));
    expect((await send(trusting.port, bytes))[0]!.status).toBe(200);
    expect(clients[0]!.remoteAddress).toBe(address);
  });

  it.each<[string, string | Buffer]>([
    ['v1 UNKNOWN', 'PROXY UNKNOWN\r\n'],
    ['v1 UNKNOWN with rubbish', 'PROXY UNKNOWN ffff:f...f:ffff 65535 65535\r\n'],
    ['v2 LOCAL', version2(0x20, 0x00, Buffer.alloc(0))],
    ['v2 LOCAL with addresses', version2(0x20, 0x11, ipv4)],
    ['v2 without a family', version2(0x21, 0x00, Buffer.alloc(0))],
    ['v2 from a Unix-domain socket', version2(0x21, 0x31, Buffer.alloc(216))],
  ])('%s speaks for the peer itself, whose forwarding headers are believed', async (_name, header) => {
    const [answer] = await send(trusting.port, [Buffer.concat([Buffer.from(header), Buffer.from(request)])]);
    expect(answer!.status).toBe(200);
    expect(clients[0]!.remoteAddress).toBe('203.0.113.9');
    expect(backend.requests[0]!.headers).toContainEqual(['x-forwarded-for', '203.0.113.9, 127.0.0.1']);
  });

  it('names a client whose forwarding headers are not believed, unless it is trusted itself', async () => {
    const [outside, inside, both] = ['192.0.2.7', '10.0.0.7', '10.0.0.7'];
    await send(trusting.port, [`PROXY TCP4 ${outside} 198.51.100.1 5555 443\r\n${request}`]);
    await send(trusting.port, [`PROXY TCP4 ${inside} 198.51.100.1 5555 443\r\n${request}`]);
    await send(trusting.port, [Buffer.concat([version2(0x21, 0x21, mapped), Buffer.from(request)])]);
    expect(clients.map((client) => client.remoteAddress)).toEqual([outside, '203.0.113.9', '203.0.113.9']);
    expect(backend.requests.map(({ headers }) => headers.find(([name]) => name === 'x-forwarded-for')?.[1])).toEqual([
      outside,
      `203.0.113.9, ${inside}`,
      `203.0.113.9, ${both}`,
    ]);
  });

  it('is not needed', async () => {
    const client = await RawClient.connect(trusting.port);
    client.send('P');
    await new Promise((resolve) => setImmediate(resolve));
    client.send('UT / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nok');
    expect((await untilAnswers(client, 1))[0]!.status).toBe(200);
    client.send('\r\nPROXY / HTTP/1.1\r\nHost: h\r\n\r\n');
    expect((await untilAnswers(client, 2))[1]!.status).toBe(200);
    expect(backend.requests.map(({ method }) => method)).toEqual(['PUT', 'PROXY']);
    client.destroy();
  });

  it('is read once, at the start of a connection', async () => {
    const client = await RawClient.connect(trusting.port);
    const header = 'PROXY TCP4 192.0.2.7 198.51.100.1 5555 443\r\n';
    client.send(`${header}GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n${header}`);
    const answers = await untilAnswers(client, 3);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400]);
    expect(clients.map(({ remoteAddress }) => remoteAddress)).toEqual(['192.0.2.7', '192.0.2.7']);
    client.destroy();
  });

  it.each<[string, string | Buffer]>([
    ['an unknown family', 'PROXY TCP5 192.0.2.7 198.51.100.1 5555 443\r\n'],
    ['an address of the other family', 'PROXY TCP4 2001:db8::7 2001:db8::1 5555 443\r\n'],
    ['no address', 'PROXY TCP4\r\n'],
    ['a bad address', 'PROXY TCP4 192.0.2.256 198.51.100.1 5555 443\r\n'],
    ['a name', 'PROXY TCP4 localhost 198.51.100.1 5555 443\r\n'],
    ['a bad port', 'PROXY TCP4 192.0.2.7 198.51.100.1 65536 443\r\n'],
    ['a port with zeros', 'PROXY TCP4 192.0.2.7 198.51.100.1 0443 443\r\n'],
    ['too many words', 'PROXY TCP4 192.0.2.7 198.51.100.1 5555 443 1\r\n'],
    ['two spaces', 'PROXY TCP4  192.0.2.7 198.51.100.1 5555 443\r\n'],
    ['a bare newline', 'PROXY TCP4 192.0.2.7 198.51.100.1 5555 443\n'],
    ['a line without end', `PROXY UNKNOWN ${'x'.repeat(200)}`],
    ['a line that is too long', `PROXY UNKNOWN ${'x'.repeat(100)}\r\n`],
    ['a wrong version', version2(0x31, 0x11, ipv4)],
    ['a wrong command', version2(0x22, 0x11, ipv4)],
    ['a wrong family', version2(0x21, 0x41, ipv4)],
    ['too few bytes for its addresses', version2(0x21, 0x11, ipv4.subarray(0, 11))],
    ['too many bytes', version2(0x21, 0x11, Buffer.alloc(600))],
  ])('%s is refused', async (_name, header) => {
    const answers = await send(trusting.port, [Buffer.concat([Buffer.from(header), Buffer.from(request)])]);
    expect(answers).toHaveLength(1);
    expect(answers[0]!.status).toBe(400);
    expect(refusalOf(answers[0]!)).toBe('proxy-header');
    expect(backend.requests).toEqual([]);
  });

  it('that stays incomplete is refused when the time is over', async () => {
    const hasty = await start(['127.0.0.1'], 300);
    onTestFinished(() => hasty.close());
    for (const part of ['PROXY TCP4 192.0.2.7', signature.subarray(0, 8)]) {
      const client = await RawClient.connect(hasty.port);
      client.send(part);
      await client.untilClosed();
      expect(client.text).toMatch(/^(HTTP\/1\.1 408 |$)/);
      client.destroy();
    }
  });
});

describe('from an untrusted peer', () => {
  it.each(headers)('%s is refused', async (_name, header) => {
    const answers = await send(distrusting.port, [Buffer.concat([Buffer.from(header), Buffer.from(request)])]);
    expect(answers.map(({ status }) => status)).toEqual([400]);
    expect(clients).toEqual([]);
    expect(backend.requests).toEqual([]);
  });
});
