import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { EchoBackend } from '../../support/backends/echo-backend.ts';
import { startPages } from '../../support/backends/page-backend.ts';
import { RequestBalancer } from '../../support/clients/request-balancer.ts';
import { GatewayProcess } from '../../support/gateways/gateway-process.ts';
import { InstanceFolder } from '../../support/gateways/instance-folder.ts';
import { GATEWAY, OpenidProvider } from '../../support/identity/openid-provider.ts';
import { signInInstance } from '../../support/identity/sign-in-instance.ts';
import { INSTALLATION, installPrograms } from '../../support/programs/debian-program.ts';
import { DrivenBrowser, shown } from '../../support/programs/driven-browser.ts';

let provider: OpenidProvider;
let application: EchoBackend;
let balancer: RequestBalancer;
let browser: DrivenBrowser;
/** In front of a gateway whose session cookie is only sent with requests from its own pages. */
let strictBalancer: RequestBalancer;
let strictApp: string;
const folders: InstanceFolder[] = [];
const replicas: GatewayProcess[] = [];
/** Another site than the provider, as in the world outside. */
let app: string;

beforeAll(async () => {
  await installPrograms(['chromium']);
  application = await startPages();
  balancer = await RequestBalancer.start();
  app = `http://localhost:${balancer.port}`;
  strictBalancer = await RequestBalancer.start();
  strictApp = `http://localhost:${strictBalancer.port}`;
  const redirectUris = [app, strictApp].map((origin) => `${origin}/openid/callback`);
  provider = await OpenidProvider.start({ redirectUris });
  provider.before = signInPage;
  const options = {
    issuer: provider.issuer,
    client: GATEWAY,
    application: application.url,
    sessionKey: randomBytes(32),
  };
  for (const cookie of [{}, {}, { name: 'strict', sameSite: 'STRICT' }]) {
    const folder = new InstanceFolder(signInInstance({ ...options, cookie }));
    folders.push(folder);
    replicas.push(await GatewayProcess.run(folder.path));
  }
  const ports = replicas.map(({ port }) => port);
  balancer.spreadOver(ports.slice(0, 2));
  strictBalancer.spreadOver(ports.slice(2));
  browser = await DrivenBrowser.start();
}, INSTALLATION);

afterAll(async () => {
  await browser?.close();
  await balancer?.close();
  await strictBalancer?.close();
  for (const replica of replicas) await replica.stop();
  for (const folder of folders) folder[Symbol.dispose]();
  await provider?.close();
  await application?.close();
});

/** The provider shows a page with a button before a user is signed in. */
function signInPage(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.method !== 'GET' || request.url?.startsWith('/interaction/') !== true) return true;
  response.setHeader('Content-Type', 'text/html');
  response.end('<form method="post"><button>Sign in</button></form>');
  return false;
}

async function newUser(): Promise<BrowserContext> {
  const context = await browser.user();
  onTestFinished(() => context.close());
  return context;
}

/** Presses the button of the provider and waits for the application. */
async function signIn(page: Page, origin = app): Promise<void> {
  await page.click('button');
  await page.waitForURL((url) => url.origin === origin && !url.pathname.startsWith('/openid/'));
}

/** The status of a request that a script of the page sends. */
function fetched(page: Page, target: string): Promise<number> {
  return page.evaluate(async (to) => (await fetch(to)).status, target);
}

describe('a browser at two replicas', () => {
  it('comes to the page that it asked for, and is known at both replicas', async () => {
    const page = await (await newUser()).newPage();
    await page.goto(`${app}/orders?open=1`);
    expect(new URL(page.url()).origin).toBe(provider.issuer);
    await signIn(page);
    expect(page.url()).toBe(`${app}/orders?open=1`);
    expect(await shown(page)).toBe('/orders?open=1 for ada@example.com');
    balancer.given.clear();
    for (let at = 0; at < 4; at++) {
      await page.goto(`${app}/page-${at}`);
      expect(await shown(page)).toBe(`/page-${at} for ada@example.com`);
    }
    expect([...balancer.given.keys()].sort()).toEqual(
      replicas
        .slice(0, 2)
        .map(({ port }) => port)
        .sort(),
    );
  });

  it('signs in in several tabs at once, each of which comes to its own page', async () => {
    const user = await newUser();
    const targets = ['/one', '/two', '/three', '/four'];
    const pages = await Promise.all(targets.map(() => user.newPage()));
    await Promise.all(pages.map((page, at) => page.goto(`${app}${targets[at]}`)));
    for (const page of pages.toReversed()) await signIn(page);
    expect(await Promise.all(pages.map(shown))).toEqual(targets.map((target) => `${target} for ada@example.com`));
  });

  it('goes back and forth over the sign-in without an error', async () => {
    const page = await (await newUser()).newPage();
    await page.goto(`${app}/before`);
    await signIn(page);
    await page.goto(`${app}/after`);
    await page.goBack();
    expect(await shown(page)).toBe('/before for ada@example.com');
    await page.goForward();
    expect(await shown(page)).toBe('/after for ada@example.com');
  });

  it('is shown the application when the provider sends a new code with a state that is used up, which is not sent on', async () => {
    const page = await (await newUser()).newPage();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(`${app}/before`);
    await signIn(page);
    const sent = provider.asked.filter((line) => line === 'POST /token').length;
    // the provider knows the user by now, and answers the same request with another code
    await page.goto(asked.find((url) => url.startsWith(`${provider.issuer}/auth?`))!);
    expect(asked.filter((url) => url.startsWith(`${app}/openid/callback?`))).toHaveLength(2);
    expect(new URL(page.url()).origin).toBe(app);
    expect(await shown(page)).toContain('for ada@example.com');
    expect(provider.asked.filter((line) => line === 'POST /token')).toHaveLength(sent);
  });

  it('gets 401 for requests of scripts without a session, and 200 with one', async () => {
    const page = await (await newUser()).newPage();
    await page.goto(`${app}/signed-out`);
    expect(await fetched(page, '/api')).toBe(401);
    await page.goto(`${app}/api`);
    await signIn(page);
    expect(await Promise.all(Array.from({ length: 10 }, () => fetched(page, '/api')))).toEqual(Array(10).fill(200));
  });

  it('is signed out at both replicas', async () => {
    const user = await newUser();
    const page = await user.newPage();
    await page.goto(`${app}/orders`);
    await signIn(page);
    await page.goto(`${app}/openid/logout`);
    expect(await shown(page)).toBe('/signed-out for nobody');
    expect(await Promise.all(Array.from({ length: 6 }, () => fetched(page, '/api')))).toEqual(Array(6).fill(401));
    expect((await user.cookies(app)).map(({ name }) => name)).toEqual([]);
  });

  it('keeps users apart', async () => {
    const [ada, grace] = [await (await newUser()).newPage(), await (await newUser()).newPage()];
    await ada.goto(`${app}/mine`);
    await signIn(ada);
    provider.user = 'grace';
    onTestFinished(() => {
      provider.user = 'ada';
    });
    await grace.goto(`${app}/mine`);
    await signIn(grace);
    expect([await shown(ada), await shown(grace)]).toEqual([
      '/mine for ada@example.com',
      '/mine for grace@example.com',
    ]);
    await ada.reload();
    expect(await shown(ada)).toBe('/mine for ada@example.com');
  });

  it('signs in where the session cookie is not sent with requests from other sites', async () => {
    const page = await (await newUser()).newPage();
    await page.goto(`${strictApp}/orders`);
    await signIn(page, strictApp);
    expect(page.url()).toBe(`${strictApp}/orders`);
    expect(await shown(page)).toBe('/orders for ada@example.com');
  });
});
