import { describe, expect, it } from 'vitest';
import type { CrestEndpoint } from '../../../contract/crest/provider.ts';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { versionedEndpoint } from '../../support/crest/echo-endpoint.ts';
import { MemoryCollection } from '../../support/crest/memory-collection.ts';
import { sendCrest } from '../../support/crest/sent-crest.ts';

const BOB: JsonObject = {
  name: 'Bob',
  age: 30,
  tags: ['x', 'y', 'x'],
  address: { city: 'Oslo' },
  ns: [1, 2],
  none: null,
};

const people = (): CrestEndpoint => ({
  kind: 'collection',
  provider: new MemoryCollection({ bob: BOB }, { isSet: ([first]) => first === 'set' }).provider,
});

/** Operation as one line: `add field value`, `copy field < from`. */
function operationOf(line: string): JsonObject {
  const [, operation = '', field = '', arrow, rest] = /^(\S+) (\S+)(?: (<))?(?: (.*))?$/.exec(line) ?? [];
  if (arrow !== undefined) return { operation, field, from: rest! };
  return { operation, field, ...(rest === undefined ? {} : { value: JSON.parse(rest) as JsonValue }) };
}

describe('a patch near those that were observed', () => {
  it.each<[lines: string, expected: number | JsonObject]>([
    ['add name "Bo"', { name: 'Bo' }],
    ['ADD name "Bo"', { name: 'Bo' }],
    ['add /name/ "Bo"', { name: 'Bo' }],
    ['add new 1', { new: 1 }],
    ['add new/deep/er 1', { new: { deep: { er: 1 } } }],
    ['add address/zip 1', { address: { city: 'Oslo', zip: 1 } }],
    ['add none/deep 1', { none: { deep: 1 } }],
    ['add name/deep 1', 409],
    ['add tags "z"', { tags: 'z' }],
    ['add tags ["z"]', { tags: ['x', 'y', 'x', 'z'] }],
    ['add tags []', { tags: ['x', 'y', 'x'] }],
    ['add tags/- "z"', { tags: ['x', 'y', 'x', 'z'] }],
    ['add tags/- ["z"]', 400],
    ['add tags/0 "z"', { tags: ['z', 'x', 'y', 'x'] }],
    ['add tags/3 "z"', { tags: ['x', 'y', 'x', 'z'] }],
    ['add tags/4 "z"', 409],
    ['add tags/-1 "z"', 409],
    ['add tags/01 "z"', 409],
    ['add tags/x "z"', 409],
    ['add set ["b"]|add set ["a","b"]', { set: ['b', 'a'] }],
    ['add set "b"', { set: ['b'] }],
    ['add set ["a","b"]|remove set ["b","c"]', { set: ['a'] }],
    ['add new/0 1', 409],
    ['add name null', 400],
    ['add name', 400],
    ['add / {}', 400],
    ['add __proto__ {"x":1}', { __proto__: { x: 1 } } as JsonObject],
    ['replace name "Bo"', { name: 'Bo' }],
    ['replace tags ["z"]', { tags: ['z'] }],
    ['replace tags/0 "z"', 400],
    ['replace address/city "Bergen"', { address: { city: 'Bergen' } }],
    ['replace address {"zip":1}', { address: { zip: 1 } }],
    ['replace new 1', { new: 1 }],
    ['replace name null', 400],
    ['remove name', { name: undefined as never }],
    ['remove missing', {}],
    ['remove missing/deep', {}],
    ['remove name "Bob"', { name: undefined as never }],
    ['remove name "Al"', {}],
    ['remove tags/1', { tags: ['x', 'x'] }],
    ['remove tags/9', {}],
    ['remove tags/1 "y"', { tags: ['x', 'x'] }],
    ['remove tags/1 "z"', {}],
    ['remove tags ["x"]', { tags: ['y', 'x'] }],
    ['remove tags ["x","x"]', { tags: ['y'] }],
    ['remove tags "x"', { tags: ['y', 'x'] }],
    ['remove tags ["z"]', {}],
    ['remove tags ["x","y","x"]', { tags: undefined as never }],
    ['remove /', {}],
    ['increment age 1', { age: 31 }],
    ['increment age -30', { age: 0 }],
    ['increment age 0.5', { age: 30.5 }],
    ['increment age "1"', 400],
    ['increment age', 400],
    ['increment name 1', 400],
    ['increment missing 1', 400],
    ['increment ns 1', { ns: [2, 3] }],
    ['increment ns/0 5', { ns: [6, 2] }],
    ['increment tags 1', 400],
    ['increment age 1e308|increment age 1e308', 400],
    ['copy nick < name', { nick: 'Bob' }],
    ['copy tags < ns', { tags: ['x', 'y', 'x', 1, 2] }],
    ['copy tags/- < name', { tags: ['x', 'y', 'x', 'Bob'] }],
    ['copy nick < missing', 409],
    ['copy nick < /', 409],
    ['copy address/self < address', { address: { city: 'Oslo', self: { city: 'Oslo' } } }],
    ['move nick < name', { nick: 'Bob', name: undefined as never }],
    ['move name < name', { name: 'Bob' }],
    ['move tags/0 < tags/1', { tags: ['y', 'x', 'x'] }],
    ['move nick < missing', 409],
    ['move address/self < address', { address: { self: { city: 'Oslo' } } }],
    ['copy nick "x"', 400],
    ['transform name {}', 501],
    ['transform name', 400],
    ['unknown name 1', 400],
    ['add a 1|add b 2|move c < a', { b: 2, c: 1 }],
    ['add a 1|add tags/9 2', 409],
  ])('%s gives %j', async (lines, expected) => {
    const endpoint = people();
    const answer = await sendCrest(endpoint, 'PATCH /bob', lines.split('|').map(operationOf));
    if (typeof expected === 'number') {
      expect([answer.status, answer.body['code']]).toEqual([expected, expected]);
      expect((await sendCrest(endpoint, 'GET /bob')).body).toEqual({ _id: 'bob', _rev: '0', ...BOB });
      return;
    }
    expect(answer.status).toBe(200);
    const wanted = JSON.parse(JSON.stringify({ _id: 'bob', _rev: '1', ...BOB, ...expected })) as JsonObject;
    const own = Object.getOwnPropertyDescriptor(answer.body, '__proto__');
    if (lines.includes('__proto__')) expect(own?.value).toEqual({ x: 1 });
    else expect(answer.body).toEqual(wanted);
  });

  it.each<[body: JsonValue]>([
    [{}],
    ['add'],
    [null],
    [[1]],
    [[null]],
    [[[]]],
    [[{}]],
    [[{ operation: 'add', value: 1 }]],
    [[{ operation: 1, field: 'a', value: 1 }]],
    [[{ operation: 'add', field: 1, value: 1 }]],
    [[{ operation: 'add', field: 'a', value: 1, from: 'b' }]],
    [[{ operation: 'remove', field: 'a', from: 'b' }]],
    [[{ operation: 'copy', field: 'a', from: 'b', value: 1 }]],
    [[{ operation: 'move', field: 'a' }]],
    [[{ operation: 'add', field: '%zz', value: 1 }]],
    [[{ operation: 'add', field: 'a b', value: 1 }]],
  ])('%j is rejected with 400', async (body) => {
    expect((await sendCrest(people(), 'PATCH /bob', body)).status).toBe(400);
  });
});

const JSON_TYPE = 'application/json';

describe('headers near those that were observed', () => {
  it.each<[line: string, headers: Readonly<Record<string, string>>, status: number]>([
    ['GET /bob', { 'if-none-match': '"0"' }, 304],
    ['GET /bob', { 'if-none-match': '0' }, 304],
    ['GET /bob', { 'if-none-match': '"1"' }, 200],
    ['GET /bob', { 'if-none-match': '*' }, 412],
    ['GET /bob', { 'if-match': '"0"' }, 412],
    ['GET /bob', { 'if-modified-since': 'Mon, 01 Jan 2024 00:00:00 GMT' }, 409],
    ['GET ?_queryFilter=true', { 'if-none-match': '"0"' }, 412],
    ['GET ?_queryFilter=true', { 'if-match': '"0"' }, 412],
    ['PUT /bob', { 'if-match': '"0"' }, 200],
    ['PUT /bob', { 'if-match': '0' }, 200],
    ['PUT /bob', { 'if-match': '*' }, 200],
    ['PUT /bob', { 'if-match': '"*"' }, 200],
    ['PUT /bob', { 'if-match': '"1"' }, 412],
    ['PUT /new', { 'if-match': '*' }, 404],
    ['PUT /new', { 'if-match': '"0"' }, 404],
    ['PUT /bob', { 'if-none-match': '*' }, 412],
    ['PUT /new', { 'if-none-match': '*' }, 201],
    ['PUT /new', { 'if-none-match': '"0"' }, 400],
    ['PUT /new', { 'if-none-match': '*', 'if-match': '*' }, 412],
    ['PUT /bob', { 'if-unmodified-since': 'x' }, 409],
    ['PUT /bob', {}, 200],
    ['PUT /new', {}, 201],
    ['PATCH /bob', { 'if-match': '"0"' }, 200],
    ['PATCH /bob', { 'if-match': '"9"' }, 412],
    ['PATCH /bob', { 'if-none-match': '*' }, 412],
    ['PATCH /new', {}, 404],
    ['DELETE /bob', { 'if-match': '"0"' }, 200],
    ['DELETE /bob', { 'if-match': '"9"' }, 412],
    ['DELETE /bob', { 'if-none-match': '*' }, 412],
    ['DELETE /new', { 'if-match': '*' }, 404],
    ['POST ?_action=create', { 'if-match': '*' }, 412],
    ['POST ?_action=create', { 'if-none-match': '*' }, 412],
    ['POST ?_action=clear', { 'if-none-match': '*' }, 412],
    ['POST ', { 'x-http-method-override': 'GET' }, 400],
    ['POST /bob', { 'x-http-method-override': 'DELETE' }, 200],
    ['POST /bob', { 'x-http-method-override': 'PUT' }, 200],
    ['PUT /bob', { 'x-http-method-override': 'DELETE' }, 200],
    ['POST /bob', { 'x-http-method-override': 'TRACE' }, 501],
    ['PUT /new', { 'content-type': 'text/plain' }, 415],
    ['PUT /new', { 'content-type': 'application/xml' }, 415],
    ['PUT /new', { 'content-type': 'application/json; charset=utf-8' }, 201],
    ['PUT /new', { 'content-type': 'Application/JSON' }, 201],
    ['PUT /new', { 'content-type': 'application/merge-patch+json' }, 415],
    ['PUT /new', { 'content-type': 'json' }, 400],
    ['PUT /new', { 'content-type': '' }, 400],
    ['PUT /new', { 'content-type': 'multipart/form-data; boundary=x' }, 400],
    ['PATCH /bob', { 'content-type': 'application/json-patch+json' }, 415],
    ['POST ?_action=clear', { 'content-type': 'text/plain' }, 415],
    ['OPTIONS /bob', {}, 200],
    ['TRACE /bob', {}, 405],
    ['HEAD /bob', {}, 501],
    ['FROB /bob', {}, 501],
  ])('%s with %j gets %i', async (line, headers, status) => {
    const isPatch = line.startsWith('PATCH');
    const hasBody = isPatch || line.startsWith('PUT') || line.startsWith('POST');
    const body = isPatch ? [{ operation: 'add', field: 'a', value: 1 }] : hasBody ? { name: 'B' } : undefined;
    expect((await sendCrest(people(), line, body, headers)).status).toBe(status);
  });

  it.each<[header: string, expected: number | string]>([
    ['protocol=2.1,resource=1.0', '1.3'],
    ['protocol=2.1 , resource=1.0', '1.3'],
    ['resource=1.0,protocol=2.0', '1.3'],
    ['resource=1', '1.3'],
    ['resource=1.3', '1.3'],
    ['resource=1.4', 406],
    ['resource=2', '2.0'],
    ['resource=2.1', 406],
    ['resource=3', 406],
    ['resource=0', 406],
    ['protocol=2', '2.0'],
    ['protocol=1', '2.0'],
    ['protocol=1.1', '2.0'],
    ['protocol=1.2', 406],
    ['protocol=2.2', '2.0'],
    ['protocol=2.3', 406],
    ['protocol=3.0', 406],
    ['protocol=0', 406],
    ['', '2.0'],
    [' ', '2.0'],
    ['resource', 400],
    ['resource=', 400],
    ['resource=a', 400],
    ['resource=1.', 400],
    ['resource=.1', 400],
    ['resource=1.0.0', 400],
    ['resource=-1', 400],
    ['resource=+1', 400],
    ['resource= 1', 400],
    ['resource =1', 400],
    ['Resource=1', 400],
    ['resource=1,', 400],
    [',resource=1', 400],
    ['resource=1,resource=1', 400],
    ['resource=1;protocol=2', 400],
    ['resource=1 protocol=2', 400],
    ['resource=1,protocol=2,other=1', 400],
    ['resource=１', 400],
    ['resource=1e0', 400],
    ['resource=99999999999', 400],
    ['*', 400],
  ])('Accept-API-Version: %s gets %s', async (header, expected) => {
    const answer = await sendCrest(versionedEndpoint, 'GET /a', undefined, { 'accept-api-version': header });
    if (typeof expected === 'number') expect(answer.status).toBe(expected);
    else expect([answer.status, JSON.stringify(answer.body)]).toEqual([200, expect.stringContaining(expected)]);
  });

  it('has the type of JSON where a body is created', async () => {
    const { status, headers } = await sendCrest(people(), 'POST ', { a: 1 }, { 'content-type': JSON_TYPE });
    expect([status, headers['location'], headers['etag']]).toEqual([201, 'http://gw.test/api/users/1', '"0"']);
    expect(headers['cache-control']).toBe('no-cache');
  });
});
