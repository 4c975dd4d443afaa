import { expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { pathText } from '../../../../contract/problem.ts';
import { checkConfigured } from '../../../support/gateways/configured-gateway.ts';

type Headers = Readonly<Record<string, string[]>>;

const handler = { type: 'StaticResponseHandler', config: { status: 200 } };
const filtering = (filter: JsonObject): JsonObject => ({
  type: 'Chain',
  config: { filters: [filter], handler },
});

/** Objects with headers that a document writes, and the field of these. */
const objects: readonly (readonly [type: string, field: string, handler: (headers: Headers) => JsonObject])[] = [
  [
    'HeaderFilter for requests',
    'add',
    (add) => filtering({ type: 'HeaderFilter', config: { messageType: 'REQUEST', add } }),
  ],
  [
    'HeaderFilter for responses',
    'add',
    (add) => filtering({ type: 'HeaderFilter', config: { messageType: 'RESPONSE', add } }),
  ],
  [
    'StaticRequestFilter',
    'headers',
    (headers) =>
      filtering({ type: 'StaticRequestFilter', config: { method: 'GET', uri: 'http://app.test/', headers } }),
  ],
  ['StaticResponseHandler', 'headers', (headers) => ({ ...handler, config: { status: 200, headers } })],
];

const problemsOf = (declared: JsonObject): string[] =>
  checkConfigured({ handler: declared }).map(({ path, message }) => `${pathText(path)}: ${message}`);

it.each(objects)('%s rejects constant values that no header can have', (_, field, declared) => {
  const headers = { 'X-A': ['fine', 'a\r\nX-B: b'], 'X-B': ["${'a'}\u0000"], Host: ['app.test:8080', 'a b'] };
  expect(problemsOf(declared(headers)).map((problem) => problem.replace(/^.*\.config\./, ''))).toEqual([
    `${field}.X-A[1]: must hold no control character`,
    `${field}.X-B[0]: must hold no control character`,
    `${field}.Host[1]: must be a host, with or without a port, such as 'app.example.com:8080'`,
  ]);
});

it.each(objects)('%s accepts tabs, other alphabets and computed values', (_, _field, declared) => {
  expect(
    problemsOf(declared({ 'X-A': ['a\tb', 'Łukasz', '${request.uri.path}', ''], Host: ['${request.uri.host}'] })),
  ).toEqual([]);
});

it('accepts what the encoding of a HeaderFilter escapes', () => {
  const config = { messageType: 'REQUEST', add: { 'X-A': ['Łukasz\n'] }, encoding: 'RFC8187' };
  expect(problemsOf(filtering({ type: 'HeaderFilter', config }))).toEqual([]);
});
