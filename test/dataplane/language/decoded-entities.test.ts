import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  inflateRawSync,
  inflateSync,
  zstdCompressSync,
} from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { startFiltered } from '../../support/gateways/filtered-gateway.ts';

const FORBIDDEN = 'a=1&word=forbidden';
const proxy: JsonValue = { type: 'ReverseProxyHandler', baseURI: 'http://app.test' };
const enforcing = (condition: string): JsonValue => ({ type: 'ConditionEnforcementFilter', config: { condition } });
const says = (entity: string): JsonValue => ({ type: 'StaticResponseHandler', config: { status: 200, entity } });
const FORM = 'Content-Type: application/x-www-form-urlencoded';

/** Everything that reads the content of a request, each in front of a backend that must not see what is forbidden. */
const readers: [string, JsonValue, JsonValue?, JsonObject?][] = [
  ['request.entity.string', enforcing("${not contains(request.entity.string, 'forbidden')}")],
  ['request.entity as a text', enforcing("${not contains(toString(request.entity), 'forbidden')}")],
  ['request.entity.form', enforcing("${request.entity.form.word[0] != 'forbidden'}")],
  ['request.form', enforcing("${request.form.word[0] != 'forbidden'}")],
  ['request.entity.bytes', enforcing(`\${length(request.entity.bytes) != ${FORBIDDEN.length}}`)],
  ['request.entity.length', enforcing(`\${request.entity.length != ${FORBIDDEN.length}}`)],
  [
    'ConditionalFilter',
    {
      type: 'ConditionalFilter',
      config: {
        condition: "${contains(request.entity.string, 'forbidden')}",
        delegate: enforcing('${false}'),
      },
    },
  ],
  [
    'SwitchFilter',
    {
      type: 'SwitchFilter',
      config: {
        onRequest: [
          {
            condition: "${contains(request.entity.string, 'forbidden')}",
            handler: { type: 'StaticResponseHandler', config: { status: 403 } },
          },
        ],
      },
    },
  ],
];

/** With the header of zlib one stored block, without it two. */
function readableTwice(): Buffer {
  const text = Buffer.alloc(0xfefe, 'x');
  const rest = text.length - 255 - 5 + 4;
  text.set([1, rest & 255, rest >> 8, ~rest & 255, (~rest >> 8) & 255], 255);
  let [low, high] = [1, 0];
  for (const byte of text) {
    low = (low + byte) % 65_521;
    high = (high + low) % 65_521;
  }
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(high * 65_536 + low);
  const bytes = Buffer.concat([Buffer.from([0x78, 1, 1, 0xfe, 0xfe, 1, 1]), text, sum]);
  expect([inflateSync(bytes).length, inflateRawSync(bytes).length]).toEqual([text.length, 257 + rest]);
  return bytes;
}

const codings: [string, Buffer][] = [
  ['gzip', gzipSync(FORBIDDEN)],
  ['X-GZip', gzipSync(FORBIDDEN)],
  ['deflate', deflateSync(FORBIDDEN)],
  ['deflate', deflateRawSync(FORBIDDEN)],
  ['br', brotliCompressSync(FORBIDDEN)],
  ['zstd', zstdCompressSync(FORBIDDEN)],
  ['deflate, gzip', gzipSync(deflateSync(FORBIDDEN))],
  ['identity, gzip , identity', gzipSync(FORBIDDEN)],
  ['identity', Buffer.from(FORBIDDEN)],
  ['gzip', Buffer.concat([gzipSync(FORBIDDEN.slice(0, 12)), gzipSync(FORBIDDEN.slice(12))])],
];

describe('a condition on the content of a request', () => {
  describe.each(readers)('%s', (_, filter) => {
    it.each(codings)('sees through the coding %s', async (coding, bytes) => {
      const { ask, seen } = await startFiltered([filter], proxy);
      const headers = [FORM, `Content-Encoding: ${coding}`];
      const answer = await ask('/', { method: 'POST', headers, body: bytes.toString('latin1') });
      expect(answer.status).toBe(403);
      expect(seen).toEqual([]);
    });

    it.each([
      ['compress', Buffer.from('x')],
      ['gzip', Buffer.from('not gzip at all')],
      ['gzip', gzipSync('harmless').subarray(0, -4)],
      ['deflate', Buffer.concat([deflateSync('harmless'), Buffer.from('more')])],
      ['br', Buffer.concat([brotliCompressSync('harmless'), Buffer.from('more')])],
      ['gzip, gzip, gzip, gzip, gzip', gzipSync(gzipSync(gzipSync(gzipSync(gzipSync('harmless')))))],
    ])('refuses the coding %s of %o with 415', async (coding, bytes) => {
      const { ask, seen } = await startFiltered([filter], proxy);
      const headers = [FORM, `Content-Encoding: ${coding}`];
      const answer = await ask('/', { method: 'POST', headers, body: bytes.toString('latin1') });
      expect([answer.status, JSON.parse(answer.body).refusal]).toEqual([415, 'body-undecodable']);
      expect(seen).toEqual([]);
    });

    it.each([
      ['gzip', gzipSync(Buffer.alloc(3 << 20))],
      ['gzip, gzip', gzipSync(gzipSync(Buffer.alloc(3 << 20)))],
      ['br', brotliCompressSync(Buffer.alloc(3 << 20))],
      ['zstd', zstdCompressSync(Buffer.alloc(3 << 20))],
      ['deflate', deflateRawSync(Buffer.alloc(3 << 20))],
    ])('refuses content with 413 that is too long without its coding %s', async (coding, bytes) => {
      const { ask, seen } = await startFiltered([filter], proxy);
      const headers = [FORM, `Content-Encoding: ${coding}`];
      const answer = await ask('/', { method: 'POST', headers, body: bytes.toString('latin1') });
      expect([answer.status, JSON.parse(answer.body).refusal]).toEqual([413, 'body-too-large']);
      expect(seen).toEqual([]);
    });
  });

  it('joins the lines of Content-Encoding', async () => {
    const { ask } = await startFiltered([readers[0]![1]], proxy);
    const headers = ['Content-Encoding: deflate', 'Content-Encoding: gzip'];
    const body = gzipSync(deflateSync(FORBIDDEN)).toString('latin1');
    expect((await ask('/', { method: 'POST', headers, body })).status).toBe(403);
  });

  it('is rejected if decoders could disagree about its content', async () => {
    const { ask, seen } = await startFiltered([readers[0]![1]], proxy);
    const answer = await ask('/', {
      method: 'POST',
      headers: ['Content-Encoding: deflate'],
      body: readableTwice().toString('latin1'),
    });
    expect(answer.status).toBe(415);
    expect(seen).toEqual([]);
  });

  const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
  it.each<[string, Buffer]>([
    ['text/plain; charset=utf-16le', utf16('forbidden')],
    ['text/plain; charset="UTF-16LE"', utf16('forbidden')],
    ['text/plain; charset="utf\\-16le"', utf16('forbidden')],
    ['text/plain; a=";charset=utf-8"; charset=utf-16le', utf16('forbidden')],
    ['text/plain; charset=utf-16be', utf16('forbidden').swap16()],
    ['text/plain; charset=utf-16', utf16('\ufeffforbidden')],
    ['text/plain; charset=utf-16', utf16('\ufeffforbidden').swap16()],
    ['text/plain', utf16('\ufeffforbidden')],
    ['text/plain', Buffer.from('\ufeffforbidden')],
    ['text/plain; charset=iso-8859-1', Buffer.from('forbidden é', 'latin1')],
    ['text/plain; charset=windows-1252', Buffer.from('forbidden é', 'latin1')],
    ['text/plain; charset=US-ASCII', Buffer.from('forbidden')],
    ['application/xml', Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a>é forbidden</a>', 'latin1')],
  ])('reads content of %s in its charset', async (type, bytes) => {
    const { ask, seen } = await startFiltered([readers[0]![1]], proxy);
    const headers = [`Content-Type: ${type}`];
    expect((await ask('/', { method: 'POST', headers, body: bytes.toString('latin1') })).status).toBe(403);
    expect(seen).toEqual([]);
  });

  it.each<[string, string[], Buffer]>([
    ['an unknown charset', ['text/plain; charset=utf-7'], Buffer.from('x')],
    ['an empty charset', ['text/plain; charset='], Buffer.from('x')],
    ['two charsets', ['text/plain; charset=utf-8; charset=utf-16le'], utf16('forbidden')],
    ['two types', ['text/plain', 'text/plain; charset=utf-16le'], utf16('forbidden')],
    ['a parameter list that cannot be read', ['text/plain; a="; charset=utf-16le'], utf16('forbidden')],
    ['malformed UTF-8', ['text/plain'], Buffer.from('é', 'latin1')],
    ['malformed UTF-16', ['text/plain; charset=utf-16le'], Buffer.from([0x00, 0xd8])],
    ['UTF-16 of unknown byte order', ['text/plain; charset=utf-16'], utf16('forbidden')],
    ['a byte order mark of another charset', ['text/plain; charset=utf-16le'], Buffer.from('\ufeffforbidden ')],
    ['a byte order mark in front of Latin-1', ['text/plain; charset=iso-8859-1'], utf16('\ufeffforbidden')],
    ['UTF-16 that nobody declared', ['application/json'], utf16('"forbidden"')],
    ['UTF-32', ['text/plain'], Buffer.from([0xff, 0xfe, 0, 0, 0x66, 0, 0, 0])],
    ['XML that names another charset', ['text/xml; charset=utf-8'], Buffer.from('<?xml encoding="utf-7"?><a/>')],
    ['XML of an unknown charset', ['text/xml'], Buffer.from("<?xml version='1.0' encoding='utf-7'?><a/>")],
  ])('refuses %s with 415', async (_, types, bytes) => {
    const { ask, seen } = await startFiltered([readers[0]![1]], proxy);
    const headers = types.map((type) => `Content-Type: ${type}`);
    const answer = await ask('/', { method: 'POST', headers, body: bytes.toString('latin1') });
    expect([answer.status, JSON.parse(answer.body).refusal]).toEqual([415, 'body-undecodable']);
    expect(seen).toEqual([]);
  });

  it.each([
    ['iso-8859-1', 'word=%E9', 403],
    ['iso-8859-1', 'word=%C3%A9', 200],
    ['utf-8', 'word=%C3%A9', 403],
    ['utf-16be', utf16('word=%00%E9').swap16().toString('latin1'), 403],
    ['shift_jis', 'word=%83', 415],
  ])('decodes a form in %s: %j', async (charset, body, status) => {
    const { ask } = await startFiltered([enforcing("${request.form.word[0] != 'é'}")], proxy);
    const headers = [`${FORM}; charset=${charset}`];
    expect((await ask('/', { method: 'POST', headers, body })).status).toBe(status);
  });

  it('reads JSON without its coding and in its charset', async () => {
    const { ask } = await startFiltered([], says('${request.entity.json.a}'));
    const body = gzipSync(utf16('{"a":"b"}')).toString('latin1');
    const headers = ['Content-Type: application/json; charset=utf-16le', 'Content-Encoding: gzip'];
    expect((await ask('/', { method: 'POST', headers, body })).body).toBe('b');
  });

  it('allows the length of binary content', async () => {
    const { ask } = await startFiltered([], says('${toString(request.entity.length)}'));
    expect((await ask('/', { method: 'POST', body: '\xff\0\xfe' })).body).toBe('3');
  });

  it('does not change the forwarded content', async () => {
    const { ask, seen } = await startFiltered([readers[0]![1]], proxy);
    const bytes = gzipSync('harmless');
    const headers = ['Content-Encoding: gzip', 'Content-Type: text/plain'];
    expect((await ask('/', { method: 'POST', headers, body: bytes.toString('latin1') })).status).toBe(200);
    expect(seen[0]!.content).toEqual(bytes);
    expect(seen[0]!.headers).toContainEqual(['content-encoding', 'gzip']);
    expect(seen[0]!.headers).toContainEqual(['content-length', String(bytes.length)]);
  });

  it('does not change content that is not read', async () => {
    const { ask, seen } = await startFiltered([enforcing("${request.method == 'POST'}")], proxy);
    const headers = ['Content-Encoding: compress'];
    expect((await ask('/', { method: 'POST', headers, body: 'x' })).status).toBe(200);
    expect(seen[0]!.body).toBe('x');
  });

  it('sends content of a filter without content coding and with its charset', async () => {
    const { ask, seen } = await startFiltered(
      [
        {
          type: 'AssignmentFilter',
          config: { onRequest: [{ target: '${request.entity}', value: '${request.entity.string}é' }] },
        },
      ],
      proxy,
    );
    const headers = ['Content-Encoding: gzip', 'Content-Type: text/plain; charset=utf-16le; x="y"'];
    await ask('/', { method: 'POST', headers, body: gzipSync(utf16('abc')).toString('latin1') });
    expect(seen[0]!.body).toBe('abcé');
    expect(seen[0]!.headers.map(([name]) => name)).not.toContain('content-encoding');
    expect(seen[0]!.headers).toContainEqual(['content-length', '5']);
    expect(seen[0]!.headers).toContainEqual(['content-type', 'text/plain; charset=utf-8; x="y"']);
  });
});

describe('a condition of a route on the content of a request', () => {
  const routes = {
    a: { condition: "${contains(request.entity.string, 'forbidden')}", handler: says('a') },
    b: { handler: says('b') },
  };
  const document: JsonValue = { type: 'Router', name: '_router', config: {} };

  it.each(codings)('sees through the coding %s', async (coding, bytes) => {
    const { ask } = await startFiltered([], document, { routes: routes as unknown as Record<string, JsonObject> });
    const headers = [`Content-Encoding: ${coding}`];
    expect((await ask('/', { method: 'POST', headers, body: bytes.toString('latin1') })).body).toBe('a');
  });

  it('does not leave a request to the next route because it cannot be decoded', async () => {
    const { ask } = await startFiltered([], document, { routes: routes as unknown as Record<string, JsonObject> });
    const headers = ['Content-Encoding: nosuch'];
    expect((await ask('/', { method: 'POST', headers, body: 'x' })).status).toBe(415);
    expect((await ask('/', { method: 'POST', body: 'é' })).status).toBe(415);
  });
});

describe('an expression on the content of an answer', () => {
  const asked = (bytes: Buffer, more: string): string =>
    `/?base64=&entity=${encodeURIComponent(bytes.toString('base64'))}&${more}`;
  const showing: JsonValue = {
    type: 'HeaderFilter',
    config: { messageType: 'RESPONSE', add: { 'X-Content': ['${response.entity.string}'] } },
  };

  it.each([true, false])('reads it decoded and passes it on unchanged (streaming: %s)', async (streaming) => {
    const { ask } = await startFiltered([showing], proxy, { streaming });
    const bytes = gzipSync('hello');
    const answer = await ask(asked(bytes, 'h.Content-Encoding=gzip'));
    expect(answer.values('x-content')).toEqual(['hello']);
    expect(answer.values('content-encoding')).toEqual(['gzip']);
    expect(Buffer.from(answer.body, 'latin1')).toEqual(bytes);
  });

  it.each([
    ['h.Content-Encoding=gzip', Buffer.from('x'), 'backend-body-undecodable'],
    ['h.Content-Encoding=nosuch', Buffer.from('x'), 'backend-body-undecodable'],
    ['h.Content-Type=text/plain;charset=nosuch', Buffer.from('x'), 'backend-body-undecodable'],
    ['', Buffer.from('é', 'latin1'), 'backend-body-undecodable'],
    ['h.Content-Encoding=br', brotliCompressSync(Buffer.alloc(3 << 20)), 'backend-body-too-large'],
  ])('refuses an answer with 502 that cannot be decoded: %s %o', async (more, bytes, refusal) => {
    const { ask } = await startFiltered([showing], proxy);
    const answer = await ask(asked(bytes, more));
    expect([answer.status, JSON.parse(answer.body).refusal]).toEqual([502, refusal]);
  });

  it('does not decode an answer without content', async () => {
    const { ask } = await startFiltered([showing], proxy);
    expect((await ask('/?status=304&h.Content-Encoding=gzip')).status).toBe(304);
  });

  it('sends content of a filter without content coding', async () => {
    const made = { target: '${response.entity.string}', value: '${response.entity.string}!' };
    const { ask } = await startFiltered([{ type: 'AssignmentFilter', config: { onResponse: [made] } }], proxy);
    const answer = await ask(asked(gzipSync('hello'), 'h.Content-Encoding=gzip'));
    expect([answer.body, answer.values('content-encoding'), answer.values('content-length')]).toEqual([
      'hello!',
      [],
      ['6'],
    ]);
  });
});
