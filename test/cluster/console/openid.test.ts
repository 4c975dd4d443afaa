import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { TcpBalancer } from '../../support/clients/tcp-balancer.ts';
import { ownCluster, type TestCluster, theCluster } from '../../support/cluster/cluster.ts';
import { routeManifest } from '../../support/cluster/route-manifest.ts';
import { accessibilityBreaches } from '../../support/console/accessibility.ts';
import { buildConsole } from '../../support/console/built-console.ts';
import { CREST_WORDS } from '../../support/crest/cluster-client.ts';
import type { RunningController } from '../../support/gateways/deployed-gateway.ts';
import type { PlaneLine } from '../../support/gateways/gateway-process.ts';
import { testedGateway } from '../../support/gateways/tested-gateway.ts';
import { certificateAuthority } from '../../support/identity/certificates.ts';
import { GATEWAY, type OpenidProvider, startOpenidProvider } from '../../support/identity/openid-provider.ts';
import { INSTALLATION, installPrograms } from '../../support/programs/debian-program.ts';
import { DrivenBrowser } from '../../support/programs/driven-browser.ts';
import { watchedDirectory } from '../../support/state/temporary-files.ts';

const pictures = fileURLToPath(new URL('../../../out/console/', import.meta.url));
const COOKIE = '__Host-gatewarden-console';
const TOKEN = /eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+/;
let browser: DrivenBrowser;

beforeAll(async () => {
  await installPrograms(['chromium']);
  await buildConsole();
  mkdirSync(pictures, { recursive: true });
  browser = await DrivenBrowser.start();
}, INSTALLATION);

afterAll(() => browser?.close());

/** A provider with a certificate of its own CA, and the address that it sends people back to. */
async function providerOf() {
  const balancer = await TcpBalancer.start();
  onTestFinished(() => balancer.close());
  const origin = `https://127.0.0.1:${balancer.port}`;
  const authority = certificateAuthority('issuers');
  const ca = join(watchedDirectory().path, 'ca.crt');
  writeFileSync(ca, authority.certificate);
  const provider = await startOpenidProvider({
    tls: authority.issue({ names: ['127.0.0.1'] }),
    redirectUris: [`${origin}/console/openid/callback`],
    configuration: { issueRefreshToken: () => true, rotateRefreshToken: true },
  });
  return { balancer, origin, ca, provider };
}

type Provided = Awaited<ReturnType<typeof providerOf>>;

/** An API server that trusts the provider. */
async function trustingCluster({ provider, ca }: Provided): Promise<TestCluster> {
  const cluster = await ownCluster([
    `--oidc-issuer-url=${provider.issuer}`,
    `--oidc-client-id=${GATEWAY.id}`,
    `--oidc-ca-file=${ca}`,
    '--oidc-username-claim=sub',
    '--oidc-username-prefix=openid:',
  ]);
  await untilTrusted(cluster, provider);
  return cluster;
}

/** The API server reads the metadata of an issuer some time after its start. */
async function untilTrusted(cluster: TestCluster, provider: OpenidProvider): Promise<void> {
  const spec = { token: await provider.idToken('ada') };
  const review = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec });
  while ((await cluster.run(['create', '-f', '-', '-o', 'jsonpath={.status.authenticated}'], review)) !== 'true');
}

interface Setting extends Provided {
  readonly shop: string;
  readonly bank: string;
  readonly controllers: readonly RunningController[];
  readonly context: BrowserContext;
  readonly page: Page;
  /** URLs of all requests of the browser. */
  readonly asked: string[];
}

async function setting(provided: Provided, cluster: TestCluster): Promise<Setting> {
  const { provider, origin, ca, balancer } = provided;
  const [shop, bank] = [await cluster.namespace('shop'), await cluster.namespace('bank')];
  const gateway = await testedGateway({ access: cluster, namespaces: [shop, bank] });
  const secret = join(watchedDirectory().path, 'client-secret');
  writeFileSync(secret, GATEWAY.secret);
  const words = [
    ...[...CREST_WORDS, '--log-level', 'debug', '--console-issuer', provider.issuer],
    ...['--console-client-id', GATEWAY.id, '--console-client-secret', secret, '--console-url', origin],
    ...['--console-issuer-ca', ca, '--console-issuer-name', 'Example', '--console-scopes', 'openid'],
  ];
  const controllers = [await gateway.startController(words), await gateway.startController(words)];
  for (const { process } of controllers) await process.line(({ msg }) => msg === 'initial list complete');
  for (const controller of controllers) {
    await balancer.add({ port: securePort(controller), adminPort: controller.adminPort });
  }
  await cluster.run(['create', 'role', 'reader', '-n', shop, '--verb=get,list', '--resource=routes.gatewarden.io']);
  await cluster.run(['create', 'rolebinding', 'reader', '-n', shop, '--role=reader', '--user=openid:ada']);
  for (const route of [routeManifest(shop, 'orders', 'one'), routeManifest(bank, 'pay', 'two')]) {
    await gateway.apply(route);
  }
  // The accessibility checker is a script that the policy of the page does not know.
  const context = await browser.user({ ignoreHTTPSErrors: true, bypassCSP: true });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const asked: string[] = [];
  context.on('request', (request) => asked.push(request.url()));
  return { ...provided, shop, bank, controllers, context, page, asked };
}

function securePort({ process }: RunningController): number {
  return (process.said.find(({ msg }) => msg === 'listening')!['secureAdmin'] as { port: number }).port;
}

/** Cookies of the console; the provider is at the same host. */
async function consoleCookies(context: BrowserContext) {
  return (await context.cookies()).filter(({ name }) => name.startsWith(COOKIE));
}

/** Resolves when one of the controllers has logged such a line. */
async function loggedLine(
  controllers: readonly RunningController[],
  isIt: (line: PlaneLine) => boolean,
): Promise<void> {
  await Promise.race(controllers.map(({ process }) => process.line(isIt)));
}

const offer = (page: Page) => page.getByRole('button', { name: 'Sign in with Example' });

/** Everything that scripts of a page can read of the browser. */
function readable(page: Page): Promise<string> {
  return page.evaluate(() =>
    JSON.stringify([
      document.documentElement.outerHTML,
      { ...localStorage },
      { ...sessionStorage },
      document.cookie,
      window.location.href,
      window.name,
      history.state,
    ]),
  );
}

it('people sign in to the console with OpenID, see their own namespace only at every controller, and sign out', async () => {
  const provided = await providerOf();
  const { controllers, origin, shop, bank, context, page, asked, provider } = await setting(
    provided,
    await trustingCluster(provided),
  );
  await page.goto(`${origin}/console/routes?sort=rate`);
  await offer(page).waitFor();
  expect(await accessibilityBreaches(page)).toEqual([]);
  await page.screenshot({ path: `${pictures}sign-in-openid.png` });

  await offer(page).click();
  await page.getByRole('link', { name: `${shop}.orders` }).waitFor();
  expect(page.url()).toBe(`${origin}/console/routes?sort=rate`);
  const text = (await page.textContent('body')) ?? '';
  expect([text.includes(`${bank}.pay`), text.includes('openid:ada')]).toEqual([false, true]);
  const cookies = await consoleCookies(context);
  expect(cookies).toMatchObject([{ name: COOKIE, httpOnly: true, secure: true, sameSite: 'Strict', path: '/' }]);

  // Browsers send the cookie to every port of the host.
  for (const controller of controllers) {
    await page.goto(`https://127.0.0.1:${securePort(controller)}/console/routes/${shop}.orders`);
    await page.getByRole('heading', { name: 'Document' }).waitFor();
  }

  expect(await readable(page)).not.toMatch(TOKEN);
  expect(asked.filter((url) => TOKEN.test(url))).toEqual([]);
  for (const { process } of controllers) {
    const said = JSON.stringify(process.said);
    expect(process.said.some(({ msg }) => msg === 'Common REST request answered')).toBe(true);
    expect([TOKEN.test(said), said.includes(cookies[0]!.value), said.includes(GATEWAY.secret)]).toEqual([
      false,
      false,
      false,
    ]);
  }
  await loggedLine(controllers, ({ msg, user }) => msg === 'user signed in to the console' && user === 'openid:ada');

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await consoleCookies(context)).toEqual([]);
  expect(provider.asked).toContain('POST /token/revocation');
  expect(await page.evaluate(() => fetch('/api/info').then(({ status }) => status))).toBe(401);
});

it('a session that ended is begun again in another tab, and the page stays as it is', async () => {
  const provided = await providerOf();
  const { origin, shop, context, page, provider } = await setting(provided, await trustingCluster(provided));
  await page.goto(`${origin}/console/routes`);
  await offer(page).click();
  await page.getByRole('link', { name: `${shop}.orders` }).waitFor();
  await page.evaluate(() => Object.assign(window, { isSame: true }));

  // A request that is refused although the session goes on is sent once more.
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  const document = `/api/routes/${shop}.orders`;
  let refused = 0;
  const refuseOnce = (route: Route): Promise<void> =>
    refused++ === 0 ? route.fulfill({ status: 401, json: { code: 401 } }) : route.continue();
  await page.route(({ pathname }) => pathname === document, refuseOnce);
  await page.getByRole('link', { name: `${shop}.orders` }).click();
  await page.getByRole('heading', { name: 'Document' }).waitFor();
  expect(asked.slice(asked.indexOf(document))).toContain('/console/session');
  await page.goBack();

  await context.clearCookies({ name: COOKIE });
  await page.getByText('Your session has ended.').waitFor();
  const opened = context.waitForEvent('page');
  await offer(page).click();
  const tab = await opened;
  await tab.getByRole('link', { name: `${shop}.orders` }).waitFor();
  await page.getByRole('link', { name: `${shop}.orders` }).waitFor();
  expect(await page.evaluate(() => 'isSame' in window)).toBe(true);

  // A sign-out in one tab is one in all of them.
  await tab.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('Your session has ended.').waitFor();

  // A user of the provider without rights sees nothing of others.
  provider.user = 'eve';
  const other = await browser.user({ ignoreHTTPSErrors: true });
  onTestFinished(() => other.close());
  const stranger = await other.newPage();
  await stranger.goto(`${origin}/console/routes`);
  await offer(stranger).click();
  await stranger.getByText('may not list Routes in any namespace').waitFor();
  const states = await stranger.evaluate(() => fetch('/api/route-states?_queryFilter=true').then((one) => one.text()));
  expect(states).not.toContain('orders');
});

it('a sign-in that the provider or the cluster does not accept says so, and begins no session', async () => {
  const provided = await providerOf();
  const { origin, context, page, provider, controllers } = await setting(provided, theCluster());
  await page.goto(`${origin}/console/planes`);
  provider.user = null;
  await offer(page).click();
  await page.getByText('Example did not sign you in.').waitFor();
  expect(page.url()).toBe(`${origin}/console/planes`);

  // This API server knows nothing of the provider.
  provider.user = 'ada';
  await offer(page).click();
  await page.getByText('The API server must trust this issuer and client id').waitFor();
  expect(await accessibilityBreaches(page)).toEqual([]);
  await page.screenshot({ path: `${pictures}sign-in-untrusted.png` });

  await page.goto(`${origin}/console/openid/callback?code=forged&state=forged`);
  await page.getByText('was begun in another browser').waitFor();
  expect(page.url()).toBe(`${origin}/console/`);
  expect(await consoleCookies(context)).toEqual([]);
  for (const wanted of ['refused', 'untrusted', 'state']) {
    const failed = 'OpenID sign-in to the console failed';
    await loggedLine(controllers, ({ msg, problem }) => msg === failed && problem === wanted);
  }
});
