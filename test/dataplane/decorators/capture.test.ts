import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { HttpBackend } from '../../support/backends/http-backend.ts';
import { ask } from '../../support/clients/answers.ts';
import { type ConfiguredGateway, checkConfigured, startConfigured } from '../../support/gateways/configured-gateway.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function start(document: JsonObject): Promise<ConfiguredGateway> {
  const gateway = await startConfigured(document);
  closing.push(() => gateway.close());
  return gateway;
}

/** A gateway whose capture has this configuration, in front of a backend that answers so. */
async function inFrontOf(
  config: JsonObject,
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void> | void,
  points: JsonValue = 'all',
): Promise<ConfiguredGateway> {
  const backend = await HttpBackend.start(answer);
  closing.push(() => backend.close());
  const { host, port } = backend.destination;
  return start({
    heap: [{ name: 'watch', type: 'CaptureDecorator', config }],
    handler: { type: 'ReverseProxyHandler', name: 'app', baseURI: `http://${host}:${port}`, watch: points },
  });
}

/** What was captured, without the id that all have in common. */
function captured(gateway: ConfiguredGateway): string[] {
  const lines = gateway.logged.filter(({ logger }) => String(logger).startsWith('CaptureDecorator.'));
  const texts = lines.map(({ msg }) => String(msg));
  const ids = new Set(texts.map((text) => /id:(\S+) /.exec(text)?.[1]));
  expect(ids.size).toBeLessThan(2);
  return texts.map((text) => text.replace(/id:\S+ /, '').replace(/^date: .*\n/gm, ''));
}

const answers = {
  type: 'StaticResponseHandler',
  name: 'still',
  config: { status: 200, headers: { 'Content-Type': ['text/plain'], 'X-Back': ['yes'] }, entity: 'hello' },
};
const adder = {
  type: 'HeaderFilter',
  name: 'adder',
  config: { messageType: 'REQUEST', add: { 'X-Added': ['1'] } },
};
const get = 'GET /t?x=1 HTTP/1.1\r\nHost: gw.test\r\n';

describe('the points of a capture', () => {
  const request = '\n\n--- (request) --->\n\nGET http://gw.test/t?x=1 HTTP/1.1\nhost: gw.test\n';
  const response = '\n\n<--- (response) ---\n\nHTTP/1.1 200 OK\ncontent-type: text/plain\nx-back: yes\n\n[entity]\n';
  const filteredRequest = `${request.replace('(request)', '(filtered-request)')}x-added: 1\n`;
  const filteredResponse = response.replace('(response)', '(filtered-response)');

  it.each<[JsonValue, string[]]>([
    ['request', [request]],
    ['RESPONSE', [response]],
    [
      ['Response', 'request'],
      [request, response],
    ],
    ['filtered_request', [filteredRequest]],
    ['filtered_response', [filteredResponse]],
    ['all', [request, filteredRequest, filteredResponse, response]],
    [[], []],
  ])('%j around a filter', async (capture, expected) => {
    const gateway = await start({
      handler: { type: 'Chain', config: { filters: [{ ...adder, capture }], handler: answers } },
    });
    expect((await ask(gateway.port, get)).body).toBe('hello');
    expect(captured(gateway).map((text) => text.replace('connection: close\n', ''))).toEqual(expected);
  });

  it.each<[JsonValue, string[]]>([
    ['request', [request]],
    ['all', [request, response]],
    [['response', 'filtered_request'], [response]],
  ])('%j around a handler', async (capture, expected) => {
    const gateway = await start({ handler: { ...answers, capture } });
    expect((await ask(gateway.port, get)).body).toBe('hello');
    expect(captured(gateway).map((text) => text.replace('connection: close\n', ''))).toEqual(expected);
    expect(gateway.logged.at(-1)).toMatchObject({ logger: 'CaptureDecorator.capture.still', level: 30 });
  });

  it.each<[JsonValue, string]>([
    ['some', 'value'],
    [null, 'value'],
    [true, 'value'],
    [['request', 'some'], 'value'],
    [{ request: true }, 'value'],
  ])('%j is refused', (capture, code) => {
    const problems = checkConfigured({ handler: { ...answers, capture } });
    expect(problems).toMatchObject([{ code, severity: 'error' }]);
    expect(problems[0]!.path.slice(0, 2)).toEqual(['handler', 'capture']);
  });

  it('that a handler does not have are warned about, unless they are for everything', () => {
    const capture = ['filtered_request', 'filtered_response'];
    expect(checkConfigured({ handler: answers, capture })).toMatchObject([{ code: 'no-effect', path: ['capture'] }]);
    expect(checkConfigured({ handler: answers, globalDecorators: { capture } })).toEqual([]);
  });
});

describe('the configuration of a capture', () => {
  it.each<[JsonObject, (string | number)[]]>([
    [{ maxEntityLength: 0 }, ['maxEntityLength']],
    [{ maxEntityLength: '2 GB' }, ['maxEntityLength']],
    [{ captureEntity: 'perhaps' }, ['captureEntity']],
    [{ masks: { headers: ['('] } }, ['masks', 'headers', 0]],
    [{ masks: { headers: [5] } }, ['masks', 'headers', 0]],
    [{ masks: { mask: '' } }, ['masks', 'mask']],
    [{ masks: { cookies: [] } }, ['masks', 'cookies']],
  ])('%j is refused', (config, path) => {
    const heap = [{ name: 'watch', type: 'CaptureDecorator', config }];
    expect(checkConfigured({ handler: answers, heap })).toMatchObject([{ path: ['heap', 0, 'config', ...path] }]);
  });
});

describe('credentials', () => {
  const secrets = ['hunter2', 's3same', 'k-1-2', 'eyJhbGciOiJub25lIn0.e30.c2ln'];
  const jwt = secrets[3]!;

  it('never reach the log', async () => {
    const gateway = await inFrontOf({ captureEntity: true, captureContext: true }, (request, response) => {
      request.resume();
      response.setHeader('Set-Cookie', 'session=hunter2; Path=/');
      response.setHeader('Location', 'https://app.test/cb?state=x1&code=s3same#access_token=hunter2');
      response.setHeader('X-Auth-Token', 'k-1-2');
      response.setHeader('Content-Type', 'application/json; charset=utf-8');
      response.end(
        `{"id": 5, "refresh_token": "hunter2", "keys": {"api\\u004bey": "k-1-2", "n": 7}, "note": "${jwt}"}`,
      );
    });
    const body = 'user=bob&password=hunter2&grant=x&client%5Fsecret=s3same';
    const head = [
      'POST /login?api_key=k-1-2&page=3&id_token_hint=hunter2 HTTP/1.1',
      'Host: gw.test',
      'Authorization: Basic hunter2',
      'Proxy-Authorization: Basic hunter2',
      'Cookie: a=hunter2; b=s3same',
      'Referer: https://bob:hunter2@other.test/?token=s3same',
      `X-Proof: ${jwt}`,
      'Content-Type: application/x-www-form-urlencoded',
      `Content-Length: ${body.length}`,
    ];
    const answer = await ask(gateway.port, `${head.join('\r\n')}\r\n`, body);
    expect(answer.body).toContain('hunter2'); // what passes is not changed
    const texts = captured(gateway).join('');
    expect(secrets.filter((secret) => texts.includes(secret))).toEqual([]);
    expect(texts).toContain('/login?api_key=*****&page=3&id_token_hint=*****');
    expect(texts).toContain('cookie: *****');
    expect(texts).toContain('referer: https://bob:*****@other.test/?token=*****');
    expect(texts).toContain('user=bob&password=*****&grant=x&client%5Fsecret=*****');
    expect(texts).toContain('location: https://app.test/cb?state=x1&code=*****#access_token=*****');
    expect(texts).toContain(
      '{"id": 5, "refresh_token": "*****", "keys": {"api\\u004bey": "*****", "n": 7}, "note": "*****"}',
    );
  });

  it('may have further names and another mask', async () => {
    const masks = { headers: ['X-Person-.*'], trackers: ['badge'], attributes: ['nick.*'], mask: '$1gone' };
    const gateway = await start({
      heap: [{ name: 'watch', type: 'CaptureDecorator', config: { masks, captureContext: true } }],
      handler: {
        type: 'Chain',
        config: {
          filters: [
            { type: 'AssignmentFilter', config: { onRequest: [{ target: '${attributes.nickname}', value: 'bobby' }] } },
          ],
          handler: { ...answers, watch: 'request' },
        },
      },
    });
    await ask(gateway.port, 'GET /?badge=77&room=8 HTTP/1.1\r\nHost: gw.test\r\nx-person-name: bob\r\nX-Room: 8\r\n');
    const [text] = captured(gateway);
    expect(text).toContain('/?badge=$1gone&room=8');
    expect(text).toContain('x-person-name: $1gone\nx-room: 8');
    expect(text).toContain('"nickname": "$1gone"');
  });
});

describe('contexts', () => {
  it('are written as JSON', async () => {
    const gateway = await start({
      heap: [{ name: 'watch', type: 'CaptureDecorator', config: { captureContext: true } }],
      handler: { ...answers, watch: 'request' },
    });
    await ask(gateway.port, get);
    const [text] = captured(gateway);
    const json = JSON.parse(text!.split("Context's content as JSON:\n")[1]!);
    expect(json).toMatchObject({
      attributes: {},
      client: { remoteAddress: '127.0.0.1', isSecure: false },
      router: { originalUri: 'http://gw.test/t?x=1' },
    });
  });

  it('are not expanded if they are internal objects, and are limited', async () => {
    const assigned = ['${request.headers}', ...Array.from({ length: 7 }, (_, i) => `\${attributes.m${i}}`)];
    const onRequest = assigned.flatMap((value, i) => [
      { target: `\${attributes.m${i}}`, value: "${toJson('{}')}" },
      ...Array.from({ length: 12 }, (_, key) => ({ target: `\${attributes.m${i}.k${key}}`, value })),
    ]);
    const header = { type: 'HeaderFilter', config: { messageType: 'REQUEST', add: { 'X-Api-Key': ['k3y'] } } };
    const gateway = await start({
      heap: [{ name: 'watch', type: 'CaptureDecorator', config: { captureContext: true } }],
      handler: {
        type: 'Chain',
        config: {
          filters: [header, { type: 'AssignmentFilter', config: { onRequest } }],
          handler: { ...answers, watch: 'request' },
        },
      },
    });
    await ask(gateway.port, get);
    const [text] = captured(gateway);
    expect(text).toContain('[object]');
    expect(text).toContain('[more]');
    expect(text).not.toContain('k3y');
    expect(text!.length).toBeLessThan(1_000_000);
  });
});

describe('entities', () => {
  const echo = (request: IncomingMessage, response: ServerResponse): void => {
    const type = request.headers['content-type'];
    if (type !== undefined) response.setHeader('Content-Type', type);
    const length = request.headers['content-length'];
    if (length !== undefined) response.setHeader('Content-Length', length);
    request.pipe(response);
  };
  const post = (type: string, body: string, more = ''): [string, string] => [
    `POST / HTTP/1.1\r\nHost: gw.test\r\n${type === '' ? '' : `Content-Type: ${type}\r\n`}${more}Content-Length: ${body.length}\r\n`,
    body,
  ];
  /** What stands after the headers of both messages. */
  const contents = (gateway: ConfiguredGateway): string[] =>
    captured(gateway).map((text) => text.slice(text.indexOf('\n\n', text.indexOf('HTTP/1.1')) + 2));

  it.each([
    ['text/plain', '', 'hello', 'hello\n'],
    ['text/plain; charset=iso-8859-1', '', 'caf\u00e9', 'caf\u00e9\n'],
    ['application/json', '', '{"a":1}', '{"a":1}\n'],
    ['application/vnd.x; charset=utf-8', '', 'x', 'x\n'],
    ['image/png', '', 'PNG', '[binary entity]\n'],
    ['', '', 'x', '[entity without Content-Type]\n'],
    ['text/plain', '', '0123456789abcdef', '0123456789abcdef\n'],
    ['text/plain', '', '0123456789abcdefg', '0123456789abcdef\n[entity truncated]\n'],
    ['text/plain; charset=klingon', '', 'x', '[entity in an unknown character set]\n'],
  ])('of the type %j%s, %j', async (type, more, body, shown) => {
    const gateway = await inFrontOf({ captureEntity: true, maxEntityLength: 16 }, echo);
    const answer = await ask(gateway.port, ...post(type, body, more));
    expect([answer.status, answer.body]).toEqual([200, body]);
    expect(answer.headers.get('content-length')).toBe(String(body.length)); // framed as it was
    expect(contents(gateway)).toEqual([shown, shown]);
  });

  it('that are long pass completely, with known or unknown length', async () => {
    const gateway = await inFrontOf({ captureEntity: true, maxEntityLength: 100_000 }, (request, response) => {
      response.setHeader('Content-Type', 'text/plain');
      request.pipe(response);
    });
    const body = 'x'.repeat(3_000_000);
    const answer = await ask(gateway.port, ...post('text/plain', body));
    expect(answer.body === body).toBe(true);
    expect(answer.headers.get('transfer-encoding')).toBe('chunked');
    const cut = `${'x'.repeat(100_000)}\n[entity truncated]\n`;
    expect(contents(gateway).map((text) => text === cut)).toEqual([true, true]);
  });

  it.each([
    ['gzip', gzipSync('hello'), 'hello\n'],
    ['deflate, br', brotliCompressSync(deflateSync('hello')), 'hello\n'],
    ['gzip', Buffer.from('hello'), '[entity encoded with gzip]\n'],
    ['gzip', gzipSync('x'.repeat(65)), '[entity encoded with gzip]\n'],
    ['gzip', gzipSync(randomBytes(65)), '[entity encoded with gzip]\n'],
    ['nosuch', Buffer.from('hello'), '[entity encoded with nosuch]\n'],
  ])('in the coding %s are shown without it where they are short: %o', async (coding, bytes, shown) => {
    const gateway = await inFrontOf({ captureEntity: true, maxEntityLength: 64 }, (request, response) => {
      response.setHeader('Content-Type', 'text/plain');
      response.setHeader('Content-Encoding', coding);
      request.pipe(response);
    });
    const body = bytes.toString('latin1');
    const answer = await ask(gateway.port, ...post('text/plain', body, `Content-Encoding: ${coding}\r\n`));
    expect(answer.body).toBe(body);
    expect(contents(gateway)).toEqual([shown, shown]);
  });

  it('that are a stream of events are not waited for', async () => {
    const gateway = await inFrontOf({ captureEntity: true }, (request, response) => {
      request.resume();
      response.setHeader('Content-Type', 'text/event-stream');
      response.write('data: 1\n\n');
      request.on('close', () => {});
      response.end();
    });
    await ask(gateway.port, ...post('text/plain', 'sent'));
    expect(contents(gateway)).toEqual(['sent\n', '[streamed entity]\n']);
  });

  it('that do not exist are not invented: a HEAD answer keeps the length it announces', async () => {
    const gateway = await inFrontOf({ captureEntity: true }, (_, response) => {
      response.setHeader('Content-Type', 'text/plain');
      response.setHeader('Content-Length', '1234');
      response.end();
    });
    const response = await fetch(gateway.url, { method: 'HEAD' });
    expect(response.headers.get('content-length')).toBe('1234');
    expect(captured(gateway)[1]!.endsWith('\n')).toBe(true);
    expect(captured(gateway)[1]).not.toContain('entity');
  });

  it('that end early are marked, and the client sees the end', async () => {
    const gateway = await inFrontOf(
      { captureEntity: true },
      (_, response) => {
        response.setHeader('Content-Type', 'text/plain');
        response.setHeader('Content-Length', '10');
        response.write('half');
        response.flushHeaders();
        setImmediate(() => response.destroy());
      },
      'response',
    );
    await expect(fetch(gateway.url).then((response) => response.text())).rejects.toThrow();
    expect(captured(gateway)).toHaveLength(1);
  });
});
