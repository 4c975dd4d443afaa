import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { theCluster } from '../../support/cluster/cluster.ts';
import { routeManifest } from '../../support/cluster/route-manifest.ts';
import { accessibilityBreaches } from '../../support/console/accessibility.ts';
import { buildConsole } from '../../support/console/built-console.ts';
import { CREST_WORDS, crestClient } from '../../support/crest/cluster-client.ts';
import { routesUser } from '../../support/crest/cluster-users.ts';
import type { DeployedGateway, RunningController } from '../../support/gateways/deployed-gateway.ts';
import { testedGateway } from '../../support/gateways/tested-gateway.ts';
import { INSTALLATION, installPrograms } from '../../support/programs/debian-program.ts';
import { DrivenBrowser } from '../../support/programs/driven-browser.ts';

const cluster = theCluster();
const pictures = fileURLToPath(new URL('../../../out/console/', import.meta.url));
const COOKIE = '__Host-gatewarden-console';
let browser: DrivenBrowser;

beforeAll(async () => {
  await installPrograms(['chromium']);
  await buildConsole();
  mkdirSync(pictures, { recursive: true });
  browser = await DrivenBrowser.start();
}, INSTALLATION);

afterAll(() => browser?.close());

interface Setting {
  readonly gateway: DeployedGateway;
  readonly controllers: readonly RunningController[];
  /** Origins of the controllers. */
  readonly origins: readonly [string, string];
  readonly shop: string;
  readonly bank: string;
  readonly token: string;
  readonly context: BrowserContext;
  readonly page: Page;
  /** URLs of all requests of the browser. */
  readonly asked: string[];
}

async function setting(): Promise<Setting> {
  const [shop, bank] = [await cluster.namespace('shop'), await cluster.namespace('bank')];
  const gateway = await testedGateway({ access: cluster, namespaces: [shop, bank] });
  const token = await routesUser(cluster, 'keeper', [shop], ['get', 'list', 'delete']);
  const controllers = [
    await gateway.startController([...CREST_WORDS, '--log-level', 'debug']),
    await gateway.startController([...CREST_WORDS, '--log-level', 'debug']),
  ];
  for (const { process } of controllers) await process.line(({ msg }) => msg === 'initial list complete');
  const origins: string[] = [];
  for (const controller of controllers) {
    const client = await crestClient(gateway, controller);
    origins.push(client.origin);
    await client.close();
  }
  for (const route of [routeManifest(shop, 'orders', 'one'), routeManifest(bank, 'pay', 'two')]) {
    await gateway.apply(route);
  }
  // The policy of the page would stop its own attacks on others before the server could.
  const context = await browser.user({ ignoreHTTPSErrors: true, bypassCSP: true });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const asked: string[] = [];
  context.on('request', (request) => asked.push(request.url()));
  const both = [origins[0]!, origins[1]!] as const;
  return { gateway, controllers, origins: both, shop, bank, token, context, page, asked };
}

async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token of the cluster').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Everything that scripts of a page can read of the browser. */
function readable(page: Page): Promise<string> {
  return page.evaluate(() => {
    const fields = Array.from(document.querySelectorAll('input'), ({ value }) => value);
    return JSON.stringify([
      document.documentElement.outerHTML,
      fields,
      { ...localStorage },
      { ...sessionStorage },
      document.cookie,
      window.location.href,
      window.name,
      history.state,
    ]);
  });
}

interface SentBy {
  readonly method?: string;
  readonly mode?: 'no-cors';
  readonly credentials?: 'include';
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** Sends a request with all that the browser adds to it. @returns the status that the server answered */
async function statusOf(page: Page, url: string, init: SentBy): Promise<number> {
  const answered = page.waitForResponse((response) => response.url() === url);
  await page.evaluate(
    ([to, how]) =>
      fetch(to, how).then(
        () => null,
        () => null,
      ),
    [url, init] as const,
  );
  return (await answered).status();
}

it('people sign in to the console with a token, see their own namespace only, and sign out', async () => {
  const { controllers, origins, shop, bank, token, context, page, asked } = await setting();
  await page.goto(`${origins[0]}/console/routes?sort=rate`);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await accessibilityBreaches(page)).toEqual([]);
  await page.screenshot({ path: `${pictures}sign-in.png` });

  await signIn(page, 'no-token-of-this-cluster');
  await page.getByText('The cluster does not accept the token.').waitFor();
  const past = Buffer.from(JSON.stringify({ exp: 1_000_000_000 })).toString('base64url');
  await signIn(page, `e30.${past}.c2ln`);
  await page.getByText('The token has expired.').waitFor();
  expect(await context.cookies()).toEqual([]);

  await signIn(page, token);
  await page.getByRole('link', { name: `${shop}.orders` }).waitFor();
  expect(new URL(page.url()).search).toBe('?sort=rate');
  const text = (await page.textContent('body')) ?? '';
  expect(text).not.toContain(`${bank}.pay`);
  expect(text).toContain('system:serviceaccount:');
  expect(await accessibilityBreaches(page)).toEqual([]);
  await page.screenshot({ path: `${pictures}routes-of-a-cluster.png` });

  const cookies = await context.cookies();
  expect(cookies).toMatchObject([{ name: COOKIE, httpOnly: true, secure: true, sameSite: 'Strict', path: '/' }]);
  expect(cookies[0]!.value).not.toContain(token);

  // the other controller opens the same session
  await page.goto(`${origins[1]}/console/routes/${shop}.orders`);
  await page.getByRole('heading', { name: `${shop}.orders` }).waitFor();
  await page.getByRole('heading', { name: 'Document' }).waitFor();
  expect(await statusOf(page, `${origins[1]}/status`, {})).toBe(401);

  const signature = token.split('.')[2]!;
  expect(await readable(page)).not.toContain(signature);
  expect(asked.filter((url) => url.includes(signature))).toEqual([]);
  for (const { process } of controllers) {
    expect(process.said.some(({ msg }) => msg === 'Common REST request answered')).toBe(true);
    expect(JSON.stringify(process.said)).not.toContain(signature);
    expect(JSON.stringify(process.said)).not.toContain(cookies[0]!.value);
  }
  expect(controllers[0]!.process.said).toContainEqual(
    expect.objectContaining({ msg: 'user signed in to the console', user: expect.stringContaining('serviceaccount') }),
  );

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await context.cookies()).toEqual([]);
  expect(await statusOf(page, `${origins[1]}/api/info`, {})).toBe(401);
});

it('the cookie of the console gives pages of other origins nothing', async () => {
  const { gateway, origins, shop, token, context, page } = await setting();
  await page.goto(`${origins[0]}/console/routes`);
  await signIn(page, token);
  await page.getByRole('link', { name: `${shop}.orders` }).waitFor();
  const target = `${origins[0]}/api/routes/${shop}.orders`;
  const sent = { mode: 'no-cors', credentials: 'include' } as const;
  expect(await statusOf(page, target, { credentials: 'include' })).toBe(200);

  // Another port of the same host is the same site for browsers, which send the cookie along.
  const neighbour = await context.newPage();
  await neighbour.goto(`${origins[1]}/console/routes`);
  expect(await statusOf(neighbour, target, sent)).toBe(401);
  const deletion = { ...sent, method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' };
  expect(await statusOf(neighbour, `${origins[0]}/console/session`, deletion)).toBe(403);
  expect(await statusOf(neighbour, `${target}?_action=validate`, deletion)).toBe(401);

  // A form leads the whole window there.
  const answered = neighbour.waitForResponse((response) => response.url().startsWith(target));
  await neighbour.evaluate((action) => {
    const form = document.createElement('form');
    Object.assign(form, { method: 'POST', action });
    document.body.append(form);
    form.submit();
  }, `${target}?_action=validate`);
  expect((await answered).status()).toBe(401);

  // The address in a new window is asked for by a person, and by no page of the console.
  const opened = await context.newPage();
  expect((await opened.goto(target))?.status()).toBe(401);
  const words = ['get', 'routes.gatewarden.io/orders', '-n', shop, '-o', 'name'];
  expect(await gateway.kubectl(words)).toContain('orders');
  expect(await context.cookies()).toHaveLength(1);
});
