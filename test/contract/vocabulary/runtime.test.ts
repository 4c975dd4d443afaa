import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { noReach } from '../../../contract/reach.ts';
import { parseConfig } from '../../../contract/vocabulary/parse-config.ts';
import {
  isNeverTrue,
  type RuntimeExpression,
  runtimeFlag,
  runtimeText,
  runtimeValue,
} from '../../../contract/vocabulary/runtime.ts';
import { noteExpression } from '../../../dataplane/heap/remarks.ts';
import { documentReading } from '../../../dataplane/routes/document-reading.ts';

const properties = { limit: 7, on: true, yes: 'true', names: ['a'], map: { inner: 1, flag: false } };
const reading = documentReading(noReach, [{ properties }], () => {});

/** What a writer is told of an expression, with its hint. */
function told(schema: z.ZodType<RuntimeExpression<unknown>, unknown>, source: string): string[] {
  const { value, problems } = parseConfig(schema, source, reading, []);
  const found = [...problems];
  if (value !== undefined) noteExpression(value, [], { reading, report: (problem) => void found.push(problem) });
  return found.map(({ severity, message, hint }) => `${severity}: ${message}${hint === undefined ? '' : `; ${hint}`}`);
}

const around = 'what stands before or after the ${…} makes a text of it: take it away, spaces too';
const compare = "compare it with something: ${… == '…'}";

describe('a condition', () => {
  it.each([
    ["${request.uri.path == '/z'} ", `error: is always a text, never true or false; ${around}`],
    ["${request.uri.path == '/z'}${true}", `error: is always a text, never true or false; ${around}`],
    ['${request.uri.path}', `error: is always a text, never true or false; ${compare}`],
    ['${request.uri}', `error: is always an object, never true or false; ${compare}`],
    ['${request.uri.port}', `error: is always a number, never true or false; ${compare}`],
    ['${request.headers}', `error: is always an object, never true or false; ${compare}`],
    ["${request.headers['X-A']}", 'error: is always a list, never true or false; name one of its items: [0]'],
    ['${request.queryParams.a}', 'error: is always a list, never true or false; name one of its items: [0]'],
    ['${attributes}', `error: is always a map, never true or false; ${compare}`],
    ['${1 + 1}', `error: is always a number, never true or false; ${compare}`],
    ["${request.method == 'GET' ? 'a' : 'b'}", `error: is always a text, never true or false; ${compare}`],
    ['${limit}', `error: is always a number, never true or false; ${compare}`],
    ['${yes}', 'error: is always a text, never true or false; bool(…) makes true or false of a text'],
    ['${names}', 'error: is always a list, never true or false; name one of its items: [0]'],
    ['${map}', `error: is always a map, never true or false; ${compare}`],
    ["${request.uri.pth == '/x'}", "warning: 'uri' has no property 'pth', which is always null; did you mean 'path'?"],
    [
      "${request.host == 'x'}",
      "warning: 'request' has no property 'host', which is always null; did you mean 'uri.host'?",
    ],
    [
      "${request.user == 'x'}",
      "warning: 'request' has no property 'user', which is always null; it has method, uri, version, headers, cookies, " +
        'queryParams, form, entity',
    ],
    [
      "${contexts.client.certificates[0].subjectDM == 'x'}",
      "warning: 'X509Certificate' has no property 'subjectDM', which is always null; did you mean 'subjectDN'?",
    ],
    ["${request.method.size == 'x'}", "warning: a text has no property 'size', which is always null"],
    [
      "${request.cookies.sid.value == 'x'}",
      "warning: a list has no property 'value', which is always null; take one of its items first: [0].value",
    ],
    [
      "${request.headers.foo == 'x'}",
      'warning: request.headers.foo is a list, which equals no text; compare an item of it: request.headers.foo[0]',
    ],
    [
      "${'x' != request.headers['X-Foo']}",
      "warning: request.headers['X-Foo'] is a list, which equals no text; compare an item of it: " +
        "request.headers['X-Foo'][0]",
    ],
    [
      '${request.headers.foo == 5}',
      'warning: request.headers.foo is a list, which equals no number; compare an item of it: request.headers.foo[0]',
    ],
    [
      '${request.headers.foo > 5}',
      'warning: request.headers.foo is a list, which compares with no number; compare an item of it: ' +
        'request.headers.foo[0]',
    ],
    [
      "${request.uri.host == 'Shop.Example.'}",
      "warning: request.uri.host never is 'Shop.Example.': it is in lower case, without a port or a dot at the end; " +
        "compare it with 'shop.example'",
    ],
    [
      "${'shop.example:80' == request.uri.host}",
      "warning: request.uri.host never is 'shop.example:80': it is in lower case, without a port or a dot at the end; " +
        "compare it with 'shop.example'",
    ],
    [
      "${request.uri.host == 'münchen.example'}",
      "warning: request.uri.host never is 'münchen.example': it is in lower case, without a port or a dot at the end; " +
        'write labels of other scripts as xn--…',
    ],
    [
      '${response.status == 503}',
      'warning: response.status is an object, which equals no number; compare response.status.code',
    ],
    [
      '${503 != response.status}',
      'warning: response.status is an object, which equals no number; compare response.status.code',
    ],
    [
      "${response.status == '503'}",
      'warning: response.status is an object, which equals no number; compare response.status.code',
    ],
    [
      '${response.status >= 500}',
      'warning: response.status is an object, which compares with no number; compare response.status.code',
    ],
    ['${request.headers == 1.5}', 'warning: request.headers is an object, which equals no number'],
  ])('%s is reported', (source, message) => {
    expect(told(runtimeFlag(), source)).toEqual([message]);
  });

  it.each([
    "${request.uri.path == '/z'}",
    "#{request.uri.path == '/z'}",
    '${on}',
    '${map.flag}',
    '${map.nosuch}',
    '${contexts.client.secure}',
    '${contexts.client.isSecure and not response.status.isSuccessful}',
    '${contexts.oauth2.accessToken.info.active}',
    "${contexts.attributes.attributes.user == 'x'}",
    '${attributes.loggedIn}',
    "${attributes['a'].b.c == 'x'}",
    "${request.headers['X-A'][0] == 'x'}",
    "${request.headers['X-A'] == '[x]'}",
    '${response.status.code == 503}',
    "${response.status.code >= '500'}",
    "${response.status == '[Status: 503 Service Unavailable]'}",
    '${response.status != null}',
    "${request.uri == 'http://h/'}",
    '${attributes.a == 503}',
    "${request.headers['X-A'] != null}",
    '${request.headers.a == request.headers.b}',
    '${empty request.headers.foo}',
    "${request.cookies['a'][0].value == 'x'}",
    "${request.queryParams.a[0] == 'x'}",
    "${request.entity.json.user.name == 'x'}",
    "${request.entity.form.a[0] == 'x'}",
    "${request.form['a'][0] == 'x'}",
    "${find(request.uri.path, '^/a')}",
    "${request.uri.path.startsWith('/a')}",
    "${request.method == 'GET' ? true : attributes.x}",
    '${response.cause.message == null}',
    "${contexts.router.originalUri.path == '/'}",
    "${contexts.router.uriTemplateVariables.id == '1'}",
    '${now.epochSeconds > 5}',
    "${split(request.uri.path, '/')[1] == 'a'}",
    "${contexts.client.certificates[0].subjectDN == 'x'}",
    "${contexts.client.certificates[0].subjectDN.name == 'x'}",
    "${contexts.client.certificates[0].subjectX500Principal.name.contains('x')}",
  ])('%s is not reported', (source) => {
    expect(told(runtimeFlag(), source)).toEqual([]);
  });

  it.each<[unknown, boolean]>([
    [false, true],
    [true, false],
    ['${false}', true],
    ['${true}', false],
    ['${map.nosuch}', true],
    ["${matches(exchange.request.uri.path, '^/legacy')}", true],
    ['${1 / 0 == 1}', true],
    ["${request.method == 'GET'}", false],
    ['${attributes.x}', false],
  ])('%s is never true: %s', (source, never) => {
    const { value } = parseConfig(runtimeFlag(), source, reading, []);
    expect(value === undefined ? null : isNeverTrue(value)).toBe(never);
  });
});

describe('a text', () => {
  it.each([
    ['${limit}', 'error: is always a number, never a text; toString(…) makes a text of it'],
    ['${names}', 'error: is always a list, never a text; name one of its items: [0]'],
    ['${on}', 'error: is always true or false, never a text; toString(…) makes a text of it'],
    ['${1 + 1}', 'error: is always a number, never a text; toString(…) makes a text of it'],
    [
      '${request.uri}',
      'warning: is always an object, never a text, and taken for null; toString(…) makes a text of it',
    ],
    [
      '${response.status.code}',
      'warning: is always a number, never a text, and taken for null; toString(…) makes a text of it',
    ],
    ['${request.headers.a}', 'warning: is always a list, never a text, and taken for null; name one of its items: [0]'],
  ])('%s is reported', (source, message) => {
    expect(told(runtimeText(), source)).toEqual([message]);
  });

  it.each([
    '${request.uri.path}',
    'n=${limit}',
    '${toString(limit)}',
    '${request.uri}/x',
    '${attributes.n}',
    '${map.nosuch}',
    '${null}',
    "${request.headers['a'][0]}",
  ])('%s is not reported', (source) => {
    expect(told(runtimeText(), source)).toEqual([]);
  });
});

it.each(['${limit}', '${names}', '${request.uri}', '${request.headers.a}'])('%s may be any value', (source) => {
  expect(told(runtimeValue(), source)).toEqual([]);
});
