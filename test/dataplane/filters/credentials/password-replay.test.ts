import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { problemsOf, startFiltered } from '../../../support/gateways/filtered-gateway.ts';

const TYPE = 'PasswordReplayFilter';
const HTML = 'h.Content-Type=text/html';
const loginPage = "${request.uri.path == '/login'}";
const request: JsonObject = {
  method: 'POST',
  uri: 'http://app.test/session?entity=welcome',
  form: { user: ['${attributes.user}'], csrf: ['${attributes.extracted.csrf}'] },
};
const credentials: JsonObject = {
  type: 'AssignmentFilter',
  config: { onRequest: [{ target: '${attributes.user}', value: "${request.headers['X-User'][0]}" }] },
};
const filter = (config: JsonObject): JsonObject => ({ type: TYPE, config: { request, credentials, ...config } });
const page = (text: string): string => `/login?${HTML}&entity=${encodeURIComponent(text)}`;
const ada = { headers: ['X-User: ada'] };
const requests = (seen: Awaited<ReturnType<typeof startFiltered>>['seen']) =>
  seen.map(({ method, url, body }) => `${method} ${url.split('?')[0]} ${body}`.trim());

describe(TYPE, () => {
  it('sends the login request in place of one for the login page, and leaves others alone', async () => {
    const { ask, seen } = await startFiltered([filter({ loginPage })]);
    expect((await ask('/login', ada)).body).toBe('welcome');
    await ask('/other', ada);
    expect(requests(seen)).toEqual(['POST /session user=ada', 'GET /other']);
  });

  it('sends it when the marker is in a page, whatever its path', async () => {
    const { ask, seen } = await startFiltered([filter({ loginPageContentMarker: '<form id="login"' })]);
    expect((await ask(page('<p>\n<form id="login">'), ada)).body).toBe('welcome');
    expect((await ask(page('<p>hello'), ada)).body).toBe('<p>hello');
    expect(requests(seen)).toEqual(['GET /login', 'POST /session user=ada', 'GET /login']);
  });

  it('looks for the marker only where the page can be the login page', async () => {
    const { ask, seen } = await startFiltered([filter({ loginPage, loginPageContentMarker: 'sign in' })]);
    expect((await ask(page('sign in').replace('/login', '/other'), ada)).body).toBe('sign in');
    expect((await ask(page('sign in'), ada)).body).toBe('welcome');
    expect(requests(seen)).toEqual(['GET /other', 'GET /login', 'POST /session user=ada']);
  });

  it('takes values from the page for the login request', async () => {
    const loginPageExtractions = [
      { name: 'csrf', pattern: 'name="csrf" value="([^"]*)"' },
      { name: 'missing', pattern: 'nothing like this' },
    ];
    const { ask, seen } = await startFiltered([filter({ loginPage, loginPageExtractions })]);
    expect((await ask(page('<input name="csrf" value="t&1">'), ada)).body).toBe('welcome');
    expect(requests(seen)).toEqual(['GET /login', 'POST /session user=ada&csrf=t%261']);
  });

  it('reads a compressed page', async () => {
    const { ask } = await startFiltered([filter({ loginPageContentMarker: 'sign in' })]);
    const entity = encodeURIComponent(gzipSync('please sign in').toString('base64'));
    const target = `/login?${HTML}&h.Content-Encoding=gzip&base64&entity=${entity}`;
    expect((await ask(target, ada)).body).toBe('welcome');
  });

  it.each([
    ['of another type', '/login?h.Content-Type=text/plain&entity=sign+in', 'sign in'],
    ['without a type', '/login?entity=sign+in', 'sign in'],
    ['that cannot be decoded', `/login?${HTML}&h.Content-Encoding=gzip&entity=sign+in`, 'sign in'],
    ['that is empty', `/login?${HTML}`, ''],
  ])('passes a response %s unchanged', async (_, target, body) => {
    const { ask, seen } = await startFiltered([filter({ loginPageContentMarker: 'sign in|' })]);
    expect((await ask(target, ada)).body).toBe(body);
    expect(seen).toHaveLength(1);
  });

  it('returns the answer of the credentials filter where that refuses', async () => {
    const refusing = { type: 'ConditionEnforcementFilter', config: { condition: '${false}' } };
    const { ask, seen } = await startFiltered([filter({ loginPage, credentials: refusing })]);
    expect((await ask('/login', ada)).status).toBe(403);
    expect(seen).toEqual([]);
  });

  it.each<[string, JsonObject, string[]]>([
    [
      'nothing',
      {},
      ['missing request: is required', "missing : one of 'loginPage' and 'loginPageContentMarker' is required"],
    ],
    ['no way to know the page', { request }, ["missing : one of 'loginPage' and 'loginPageContentMarker' is required"]],
    [
      'encrypted headers, and a request without a URI',
      { loginPage, request: { method: 'POST' }, headerDecryption: {} },
      [
        'missing request.uri: is required',
        'unavailable-field headerDecryption: cannot be given here: encrypted headers came from CryptoHeaderFilter, which is not available: let a credentials filter find the password',
      ],
    ],
  ])('reports %s', (_, config, problems) => {
    expect(problemsOf(TYPE, config)).toEqual(problems);
  });
});
