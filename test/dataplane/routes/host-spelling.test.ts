import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FLAG } from '../../../dataplane/engine/frames/frames.ts';
import { StrictBackend } from '../../support/backends/strict-backend.ts';
import { ask, exchangeBytes } from '../../support/clients/answers.ts';
import { FrameClient, headersFrame } from '../../support/clients/frame-client.ts';
import type { Field } from '../../support/clients/hpack-blocks.ts';
import { type ConfiguredGateway, startConfigured } from '../../support/gateways/configured-gateway.ts';

/** Two routes for one backend: the first guards a host, the second is open to all others. */
const GUARDS = {
  'an equality': "${request.uri.host == 'secure.example'}",
  'a search': "${find(request.uri.host, '^secure\\\\.example$')}",
  'a match': "${matchesWithRegex(request.uri.host, 'secure[.]example')}",
  'the authority': "${request.uri.authority == 'secure.example'}",
  'the Host header': "${request.headers['Host'][0] == 'secure.example'}",
  'the text of the URI': "${request.uri.toString().startsWith('http://secure.example/')}",
  'the original URI': "${contexts.router.originalUri.host == 'secure.example'}",
} as const;

const SPELLINGS = [
  'secure.example',
  'SECURE.example',
  'secure.example.',
  'Secure.Example.:80',
  'secure.example:80',
  'secure.example:',
  'secure.example:0080',
  '%73ecure.example',
  'secure%2Eexample',
  '%EF%BD%93ecure.example', // a full-width s
  'secure%E3%80%82example', // an ideographic full stop
];

let backend: StrictBackend;

beforeAll(async () => {
  backend = await StrictBackend.start();
});
afterAll(() => backend.close());

function startGuarded(condition: string): Promise<ConfiguredGateway> {
  const unauthorized = { type: 'StaticResponseHandler', config: { status: 401 } };
  return startConfigured(
    { handler: '_router', heap: [{ name: '_router', type: 'Router' }] },
    {
      routes: {
        '1-guarded': { condition, handler: unauthorized },
        '2-open': { baseURI: `http://127.0.0.1:${backend.port}`, handler: 'ReverseProxyHandler' },
      },
    },
  );
}

describe.each(Object.entries(GUARDS))('a route guarded by %s', (_, condition) => {
  let gateway: ConfiguredGateway;

  beforeAll(async () => {
    gateway = await startGuarded(condition);
  });
  afterAll(() => gateway.close());

  it.each(SPELLINGS)('answers for the Host %s', async (host) => {
    expect((await ask(gateway.port, `GET / HTTP/1.1\r\nHost: ${host}\r\n`)).status).toBe(401);
  });

  it.each(SPELLINGS)('answers for the absolute form with %s', async (host) => {
    expect((await ask(gateway.port, `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n`)).status).toBe(401);
    expect((await ask(gateway.port, `GET http://${host}/ HTTP/1.0\r\n`)).status).toBe(401);
    expect((await ask(gateway.port, `GET http://${host}/ HTTP/1.1\r\nHost: secure.example\r\n`)).status).toBe(401);
  });

  it.each(SPELLINGS)('answers over HTTP/2 for the authority %s', async (host) => {
    const client = await FrameClient.connect(gateway.port);
    const named: Field[][] = [
      [[':authority', host]],
      [['host', host]],
      [
        [':authority', 'secure.example'],
        ['host', host],
      ],
    ];
    named.forEach((fields, at) => {
      const usual: Field[] = [
        [':method', 'GET'],
        [':scheme', 'http'],
        [':path', '/'],
      ];
      client.send(headersFrame(2 * at + 1, [...usual, ...fields], FLAG.END_HEADERS | FLAG.END_STREAM));
    });
    expect([await client.outcome(1), await client.outcome(3), await client.outcome(5)]).toEqual(['401', '401', '401']);
    client.raw.destroy();
  });
});

describe('the one spelling of a host', () => {
  let gateway: ConfiguredGateway;

  beforeAll(async () => {
    gateway = await startGuarded("${request.uri.host == 'nobody'}");
  });
  afterAll(() => gateway.close());

  async function forwarded(head: string) {
    const before = backend.requests.length;
    const { status } = await ask(gateway.port, head);
    const values = (name: string) =>
      backend.requests[before]?.headers.filter((header) => header[0] === name).map((header) => header[1]);
    return {
      status,
      host: values('host'),
      forwarded: values('x-forwarded-host'),
      logged: gateway.finished.at(-1)!.host,
    };
  }

  it.each([
    ['SHOP.Example.:80', 'shop.example'],
    ['shop.example:0443', 'shop.example:443'],
    ['shop.example:8080', 'shop.example:8080'],
    ['a_b.example', 'a_b.example'],
    ['0.0.0.0=5000', '0.0.0.0=5000'],
    ['10.0.0.1.', '10.0.0.1'],
    ['[0:0:0:0:0:0:0:1]', '[::1]'],
    ['[2001:DB8::0:1]:80', '[2001:db8::1]'],
    ['[::ffff:10.0.0.1]:81', '10.0.0.1:81'],
    ['[::FFFF:0a00:0001]', '10.0.0.1'],
    ['M%C3%BCnchen.example', 'xn--mnchen-3ya.example'],
    ['XN--mnchen-3ya.example', 'xn--mnchen-3ya.example'],
    ['web.1', 'web.1'],
  ])('%s is logged and forwarded as %s', async (given, one) => {
    const same = { status: 200, host: [one], forwarded: [one], logged: one };
    expect(await forwarded(`GET / HTTP/1.1\r\nHost: ${given}\r\n`)).toEqual(same);
    expect(await forwarded(`GET http://${given}/ HTTP/1.1\r\nHost: ${given}\r\n`)).toEqual(same);
    expect(await forwarded(`GET http://${given}/ HTTP/1.0\r\n`)).toEqual(same);
  });

  it.each([
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '010.0.0.1',
    '256.0.0.1',
    '127.0.0.0x1',
    '%EF%BC%91%32%37.1',
    'a..example',
    '.example',
    'a.example..',
    '.',
    'a%20b',
    'a%2Fb',
    'a%3A80',
    'a%00',
    'a%FF',
    'a%25b',
    'xn--secure-.example',
    'm\xfcnchen.example',
    '[::1%25eth0]',
    '[::1',
    'a:65536',
    'a:80:80',
    ':80',
  ])('%s has none and is refused', async (host) => {
    expect((await forwarded(`GET / HTTP/1.1\r\nHost: ${host}\r\n`)).status).toBe(400);
    expect((await forwarded(`GET http://${host}/ HTTP/1.0\r\n`)).status).toBe(400);
  });

  it('keeps each request of a connection its own host', async () => {
    const heads = ['A.example', 'a.example', 'B.example', 'A.example'].map(
      (host) => `GET / HTTP/1.1\r\nHost: ${host}\r\n`,
    );
    const before = backend.requests.length;
    await exchangeBytes(gateway.port, `${heads.join('\r\n')}Connection: close\r\n\r\n`);
    const hosts = backend.requests.slice(before).map(({ headers }) => headers.find(([name]) => name === 'host')![1]);
    expect(hosts).toEqual(['a.example', 'a.example', 'b.example', 'a.example']);
  });
});

describe('the host that a trusted proxy names', () => {
  it.each([
    ['X-Forwarded-Host: SECURE.example.\r\n', 'secure.example'],
    ['X-Forwarded-Host: SECURE.example:443\r\nX-Forwarded-Proto: https\r\n', 'secure.example'],
    ['Forwarded: for=10.0.0.1;host="SECURE.example:80"\r\n', 'secure.example'],
    ['Forwarded: host=Secure.Example\r\nX-Forwarded-Host: secure.EXAMPLE\r\n', 'secure.example'],
    ['X-Forwarded-Host: 127.1\r\n', 'own.example'],
  ])('is read and passed on in its one spelling: %j', async (lines, one) => {
    const entity =
      '${contexts.router.originalUri.authority} ${contexts.router.originalUri.host} ' +
      "${request.headers['X-Forwarded-Host'][0]}";
    const gateway = await startConfigured(
      { handler: { type: 'StaticResponseHandler', config: { status: 200, entity } } },
      { trustedProxies: ['127.0.0.1'] },
    );
    const { body } = await ask(gateway.port, `GET / HTTP/1.1\r\nHost: own.example\r\n${lines}`);
    await gateway.close();
    const named = lines.includes('X-Forwarded-Host') && one !== 'own.example' ? ` ${one}` : ' ';
    expect(body).toBe(`${one} ${one}${named}`);
  });

  it('reaches the backend in its one spelling', async () => {
    const gateway = await startConfigured(
      { handler: 'ReverseProxyHandler', baseURI: `http://127.0.0.1:${backend.port}` },
      { trustedProxies: ['127.0.0.1'] },
    );
    const lines = 'X-Forwarded-Host: A.example, B.example.\r\nForwarded: for=10.0.0.1;host=A.example\r\n';
    await ask(gateway.port, `GET / HTTP/1.1\r\nHost: own.example\r\n${lines}`);
    await gateway.close();
    const { headers } = backend.requests.at(-1)!;
    expect(headers.find(([name]) => name === 'x-forwarded-host')![1]).toBe('a.example, b.example');
    expect(headers.find(([name]) => name === 'forwarded')![1]).toBe('for=10.0.0.1;host="a.example"');
  });
});

it('a filter that changes the host gives it its one spelling', async () => {
  const filters = [
    {
      type: 'AssignmentFilter',
      config: {
        onRequest: [
          { target: '${request.uri.host}', value: 'APP.Example.' },
          { target: "${request.headers['Host']}", value: 'APP.Example.' },
        ],
      },
    },
  ];
  const entity = "${request.uri.host} ${request.uri.authority} ${request.headers['Host'][0]}";
  const gateway = await startConfigured({
    handler: {
      type: 'Chain',
      config: { filters, handler: { type: 'StaticResponseHandler', config: { status: 200, entity } } },
    },
  });
  const { body } = await ask(gateway.port, 'GET / HTTP/1.1\r\nHost: own.example\r\n');
  await gateway.close();
  expect(body).toBe('app.example app.example app.example');
});
