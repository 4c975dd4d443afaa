import { expect, it } from 'vitest';
import { namesHost } from '../../../dataplane/scripts/names-host.ts';
import type { ScriptText } from '../../../dataplane/scripts/script-fields.ts';

const judge = (text: string): boolean | 'unsure' => namesHost({ text } as ScriptText, new Set(['target']));
const PASS = '\nnext.handle(context, request)';

it.each([
  ["request.uri = 'http://app.test/orders'"],
  ["request.uri = 'http://app.test:8080'"],
  ["request.uri = 'http://app.test' + request.uri.path"],
  ['request.uri = "http://app.test/${request.uri.path}"'],
  ['request.uri = "http://app.test${request.uri.path}"'],
  ["request.setUri('http://app.test/x')"],
  ["request.uri.host = 'app.test'"],
  ["request.uri.setHost('app.test')"],
  ["request.uri.rebase(new URI('http://app.test'))"],
  ['request.uri = target'],
  ['request.uri = target + request.uri.path'],
  ["request.uri = target + '/x'"],
  ['request.uri.host = target'],
  ["if (request.method == 'PUT') { return new Response(Status.FORBIDDEN) }\nrequest.uri = 'http://app.test/'"],
  ["if (request.method == 'PUT') return new Response(Status.FORBIDDEN)\nrequest.uri = 'http://app.test/'"],
  ["if (a(b)) c(d)\nlogger.info('x')\nrequest.uri = 'http://app.test/'"],
  ["// new Request\n/* request.uri = request.uri */\nrequest.uri = 'http://app.test/'; logger.info('new Request')"],
])('is sure that a script sets the host: %s', (text) => {
  expect(judge(text + PASS)).toBe(true);
});

it.each([
  ['a request of its own', "http.send(new Request().setMethod('GET').setUri('http://app.test/'))"],
  ['a copy of the request', 'def copy = new Request(request)'],
  ['a condition', "if (request.uri.path == '/a') { request.uri = 'http://app.test/' }"],
  ['a condition without braces', "if (request.uri.path == '/a') request.uri = 'http://app.test/'"],
  ['a condition in the line before', "if (request.uri.path == '/a')\n  request.uri = 'http://app.test/'"],
  ['a branch in the line before', "if (a) b()\nelse\n  request.uri = 'http://app.test/'"],
  ['a loop in the line before', "for (a in b.c())\n\n  request.uri = 'http://app.test/'"],
  ['an operator in the line before', "a &&\n  request.uri = 'http://app.test/'"],
  ['a closure', "def set = { request.uri = 'http://app.test/' }"],
  ['a host of the client', "request.uri.host = request.headers['X-Host'].firstValue"],
  ['a host that goes on', "request.uri = 'http://app.test' + request.queryParams.x[0]"],
  ['a host that goes on in a text', 'request.uri = "http://app.test${attributes.x}"'],
  ['a name that nobody gave', 'request.uri = other'],
  ['a name that goes on', 'request.uri = target + request.queryParams.x[0]'],
  ['another variable', "def r = request; r.uri = 'http://app.test/'"],
  ['two of them', "request.uri = 'http://app.test/'\nrequest.uri.host = request.uri.host"],
])('is unsure about %s', (_title, text) => {
  expect(judge(text + PASS)).toBe('unsure');
});

it.each([
  ['passes another request on', "request.uri = 'http://app.test/'\nnext.handle(context, other)"],
  ['passes it on before', "if (x) return next.handle(context, request)\nrequest.uri = 'http://app.test/'"],
  ['hands next to somebody else', "request.uri = 'http://app.test/'\nhelper(next)"],
  ['does not use next', "request.uri = 'http://app.test/'"],
])('is unsure about a script that %s', (_title, text) => {
  expect(judge(text)).toBe('unsure');
});

it.each([
  ["request.uri = 'http://app.test/orders'\nreturn next()", true],
  ["request.uri = 'http://app.test' + request.uri.path\nreturn next(request)", true],
  ['request.uri = `http://app.test${request.uri.rawPath}`\nreturn next(request)', true],
  ["request.uri.authority = 'app.test:8080'\nreturn await next(request)", true],
  ["const other = new Request('GET', 'http://app.test/')\nreturn next(other)", 'unsure'],
  ["request.uri.host = request.headers.get('X')\nreturn next()", 'unsure'],
  ["return http.send('http://app.test/')", false],
])('judges JavaScript: %s', (text, verdict) => {
  expect(judge(text)).toBe(verdict);
});

it.each([
  ['request.headers.remove("X")'],
  ["if (request.uri == 'http://x/') {}"],
  ['// request.uri = 1'],
  ["logger.info('new Request')"],
])('knows that a script sets no host: %s', (text) => {
  expect(judge(text + PASS)).toBe(false);
});

it('knows nothing of a file that is not there', () => {
  expect(namesHost(null)).toBe(false);
});
