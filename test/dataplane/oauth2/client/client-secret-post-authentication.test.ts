import { describe, expect, it, onTestFinished } from 'vitest';
import { startConfigured } from '../../../support/gateways/configured-gateway.ts';
import { problemsOf, startFiltered } from '../../../support/gateways/filtered-gateway.ts';
import { POSTER, startAuthorizationServer } from '../../../support/identity/authorization-server.ts';
import { inlineSecrets } from '../../../support/identity/inline-secrets.ts';

const TYPE = 'ClientSecretPostAuthenticationFilter';
const FORM = 'Content-Type: application/x-www-form-urlencoded';

function filter(clientId: string, secret: string | Uint8Array) {
  const config = { clientId, clientSecretId: 'secret', secretsProvider: inlineSecrets({ secret }) };
  return { type: TYPE, config };
}

describe(TYPE, () => {
  it.each([
    ['', 'client_id=me&client_secret=s+%26%3D%C3%A4'],
    ['grant_type=x&a=%zz&b=+', 'grant_type=x&a=%zz&b=+&client_id=me&client_secret=s+%26%3D%C3%A4'],
    ['client_id=you&x=1&client_secret=a&client_secret=b', 'x=1&client_id=me&client_secret=s+%26%3D%C3%A4'],
    ['client%5Fid=you&client_secret&x', 'x&client_id=me&client_secret=s+%26%3D%C3%A4'],
    ['client_assertion=a&client_assertion_type=b&x=1', 'x=1&client_id=me&client_secret=s+%26%3D%C3%A4'],
    ['xclient_id=a&CLIENT_ID=b', 'xclient_id=a&CLIENT_ID=b&client_id=me&client_secret=s+%26%3D%C3%A4'],
  ])('turns the form %s into the form %s', async (body, expected) => {
    const { ask, seen } = await startFiltered([filter('me', 's &=ä')]);
    await ask('/', { method: 'POST', headers: [`${FORM}; charset=utf-8`, 'Authorization: Bearer theirs'], body });
    expect(seen[0]!.body).toBe(expected);
    const headers = new Map(seen[0]!.headers);
    expect(headers.get('content-length')).toBe(String(expected.length));
    expect(headers.has('authorization')).toBe(false);
  });

  it('adds a form to a POST without content', async () => {
    const { ask, seen } = await startFiltered([filter('me', Buffer.from([0xff, 0x0a]))]);
    await ask('/', { method: 'POST', body: '' });
    expect(seen[0]!.body).toBe('client_id=me&client_secret=%FF%0A');
    expect(new Map(seen[0]!.headers).get('content-type')).toBe('application/x-www-form-urlencoded');
  });

  it.each([
    ['a GET', { method: 'GET' }, 500],
    ['JSON', { method: 'POST', headers: ['Content-Type: application/json'], body: '{}' }, 500],
    ['a packed form', { method: 'POST', headers: [FORM, 'Content-Encoding: gzip'], body: 'a=b' }, 500],
    ['content of no type', { method: 'POST', body: 'a=b' }, 500],
    ['two types', { method: 'POST', headers: ['Content-Type: text/plain', FORM], body: 'a=b' }, 500],
    ['a form that is too long', { method: 'POST', headers: [FORM], body: 'a'.repeat((1 << 20) + 1) }, 413],
  ])('rejects %s without revealing the secret', async (_, asked, status) => {
    const { ask, seen, logged } = await startFiltered([filter('me', 'the-secret')]);
    const answer = await ask('/', asked);
    expect(answer.status).toBe(status);
    expect(seen).toEqual([]);
    expect(`${answer.body}${JSON.stringify(logged)}`).not.toContain('the-secret');
  });

  it('authenticates to a real server', async () => {
    const server = await startAuthorizationServer();
    const handler = { type: 'ReverseProxyHandler', baseURI: server.issuer };
    const right = await startFiltered([filter(POSTER.id, POSTER.secret)], handler);
    const wrong = await startFiltered([filter(POSTER.id, `${POSTER.secret}.`)], handler);
    const asked = { method: 'POST', headers: [FORM], body: 'grant_type=client_credentials&scope=read' };
    expect((await right.ask('/token', asked)).body).toContain('access_token');
    expect((await wrong.ask('/token', asked)).status).toBe(401);
  });

  it('keeps the secret out of messages captured after it', async () => {
    const capture = { name: 'all', type: 'CaptureDecorator', config: { captureEntity: true, captureContext: true } };
    const handler = { type: 'StaticResponseHandler', config: { status: 200 }, all: 'all' };
    const chain = { type: 'Chain', config: { filters: [filter('me', 'the-secret')], handler } };
    const gateway = await startConfigured({ heap: [capture], handler: chain });
    onTestFinished(() => gateway.close());
    await fetch(gateway.url, { method: 'POST', body: new URLSearchParams({ grant_type: 'hello' }) });
    expect(JSON.stringify(gateway.logged)).toContain('grant_type=hello');
    expect(JSON.stringify(gateway.logged)).not.toContain('the-secret');
  });

  it('rejects a configuration without its required fields', () => {
    expect(problemsOf(TYPE, {})).toEqual([
      'missing clientId: is required',
      'missing clientSecretId: is required',
      'missing secretsProvider: is required',
    ]);
  });
});
