import { onTestFinished } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { EchoBackend } from '../backends/echo-backend.ts';
import { Browser, type Page } from '../clients/browser.ts';
import { type ConfiguredGateway, startConfigured } from '../gateways/configured-gateway.ts';
import { inlineSecrets } from '../identity/inline-secrets.ts';
import { AGENT, DEMO } from './am-identities.ts';

/** The URL that browsers know the gateway by where it is in another domain than the access manager. */
export const FAR_APP = 'http://gw.test';

export interface SignOnGateway extends ConfiguredGateway {
  /** The application in the domain of the access manager. */
  readonly app: string;
  /** Requests that reached the application. */
  readonly seen: { readonly url: string; readonly user: string; readonly cookies: string }[];
  /** A new browser without any cookies. */
  browser(): Browser;
}

export interface SignOnOptions {
  /** Type of the filter; by default a SingleSignOnFilter. */
  readonly type?: string;
  /** Fields of the filter. */
  readonly config?: JsonObject;
  /** Fields of the AmService. */
  readonly service?: JsonObject;
  /** Filters in front of it, and behind it. */
  readonly before?: readonly JsonValue[];
  readonly filters?: readonly JsonValue[];
  /** Value of the header `X-User` for the application. */
  readonly user?: string;
  /** Addresses whose `X-Forwarded-Proto` counts. */
  readonly trustedProxies?: readonly string[];
}

/** The declaration of an AmService for an access manager. */
export function amServiceFor(url: string, config: JsonObject = {}): JsonObject {
  return {
    name: 'AmService-1',
    type: 'AmService',
    config: {
      url,
      agent: { username: AGENT.username, passwordSecretId: 'agent' },
      secretsProvider: inlineSecrets({ agent: AGENT.password }),
      notifications: { enabled: false },
      ...config,
    },
  };
}

/** An application behind single sign-on, for one test. It answers with the user that it was told. */
export async function startSignOn(am: { readonly url: string }, options: SignOnOptions = {}): Promise<SignOnGateway> {
  const seen: { url: string; user: string; cookies: string }[] = [];
  const backend = await EchoBackend.start({ host: '127.0.0.1' }, (request, response) => {
    const user = String(request.headers['x-user'] ?? 'nobody');
    seen.push({ url: request.url!, user, cookies: String(request.headers.cookie ?? '') });
    response.end(`${request.method} ${request.url} for ${user}`);
  });
  const { type = 'SingleSignOnFilter', config = {}, before = [], filters = [] } = options;
  const signOn = { type, config: { amService: 'AmService-1', ...config } };
  const tell = {
    type: 'HeaderFilter',
    config: { messageType: 'REQUEST', add: { 'X-User': [options.user ?? '${contexts.ssoToken.info.uid}'] } },
  };
  const route = {
    heap: [amServiceFor(am.url, options.service)],
    handler: {
      type: 'Chain',
      config: { filters: [...before, signOn, ...filters, tell], handler: 'ReverseProxyHandler' },
    },
    baseURI: backend.url,
  };
  const gateway = await startConfigured({}, { routes: { app: route }, trustedProxies: options.trustedProxies ?? [] });
  onTestFinished(async () => {
    await gateway.close();
    await backend.close();
  });
  return { ...gateway, app: gateway.url, seen, browser: () => new Browser({ 'gw.test': gateway.port }) };
}

/** Opens a page, logs in where the login page comes, and submits the forms that lead back. */
export async function signOn(
  browser: Browser,
  url: string,
  user: { readonly username: string; readonly password: string } = DEMO,
): Promise<Page> {
  let page = await browser.open(url);
  if (page.body.includes('name="password"')) {
    page = await browser.open(page.url, { method: 'POST', content: new URLSearchParams({ ...user }).toString() });
  }
  return page.body.includes('document.forms[0].submit()') ? submit(browser, page) : page;
}

/** Submits the only form of a page, with other values for some of its fields. */
export function submit(browser: Browser, page: Page, changed: Readonly<Record<string, string>> = {}): Promise<Page> {
  const { action, fields } = formOf(page);
  return postForm(browser, action, { ...fields, ...changed });
}

export function postForm(browser: Browser, action: string, fields: Readonly<Record<string, string>>): Promise<Page> {
  return browser.open(action, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    content: new URLSearchParams(fields).toString(),
  });
}

/** The address and the hidden fields of the only form of a page. */
export function formOf({ body }: Page): { readonly action: string; readonly fields: Readonly<Record<string, string>> } {
  const [, action] = /<form method="post" action="([^"]*)"/.exec(body) ?? [];
  if (action === undefined) throw new Error(`there is no form in ${body}`);
  const inputs = body.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g);
  return {
    action: unescaped(action),
    fields: Object.fromEntries([...inputs].map(([, name, value]) => [name, unescaped(value!)])),
  };
}

function unescaped(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
