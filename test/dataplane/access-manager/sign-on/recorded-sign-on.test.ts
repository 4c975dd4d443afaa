import { expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { startAccessManager } from '../../../support/access-manager/access-manager.ts';
import { amServiceFor } from '../../../support/access-manager/sign-on-gateway.ts';
import { Browser, type Page } from '../../../support/clients/browser.ts';
import { startConfigured } from '../../../support/gateways/configured-gateway.ts';

// What OpenIG 5 answered in front of OpenAM, which it asked with `validate` as for old versions.
const ENTITY =
  'user=${contexts.ssoToken.info.uid} tok=${contexts.ssoToken.value} info=${contexts.ssoToken.info} cookie=${contexts.ssoToken.cookieName}';

interface Answered {
  readonly page: Page;
  readonly token: string;
  readonly url: string;
}

async function answerTo(
  method: string,
  isSignedOn: boolean,
  config: JsonObject = {},
  name?: string,
): Promise<Answered> {
  const am = await startAccessManager({ version: '13.0.0', ...(name !== undefined && { cookieName: name }) });
  const { tokenId: token } = am.sessions.create('demo');
  const { cookieName: cookie } = am;
  const signOn = { type: 'SingleSignOnFilter', config: { amService: 'AmService-1', ...config } };
  const handler = { type: 'StaticResponseHandler', config: { status: 200, entity: ENTITY } };
  const route = {
    heap: [amServiceFor(am.url, { ssoTokenHeader: cookie })],
    handler: { type: 'Chain', config: { filters: [signOn], handler } },
  };
  const gateway = await startConfigured({}, { routes: { app: route } });
  onTestFinished(() => gateway.close());
  const browser = new Browser({ 'app.example.org': gateway.port });
  const page = await browser.open('http://app.example.org/app/a?x=1', {
    method,
    headers: isSignedOn ? { Cookie: `${cookie}=${token}` } : {},
    stopAt: () => true,
  });
  return { page, token, url: am.url };
}

it('gives filters the session as OpenIG does, and the name of the cookie in addition', async () => {
  const { page, token } = await answerTo('GET', true);
  expect(page.status).toBe(200);
  expect(page.body).toBe(`user=demo tok=${token} info={valid=true, uid=demo, realm=/} cookie=iPlanetDirectoryPro`);
});

it('accepts a session of another realm than the configured one as OpenIG does', async () => {
  const { page } = await answerTo('GET', true, { realm: '/sub' }, 'myck');
  expect(page.status).toBe(200);
});

it('redirects to the page that OpenIG redirects to, with an encoded goto and the marker', async () => {
  const { page, url } = await answerTo('GET', false);
  expect(page.status).toBe(302);
  const goto = encodeURIComponent('http://app.example.org/app/a?x=1&_ig=true');
  expect(page.headers.location).toBe(`${url}/?goto=${goto}&realm=%2F`);
});

it('answers a POST with 401, which OpenIG redirects and so loses', async () => {
  expect((await answerTo('POST', false)).page.status).toBe(401);
});
