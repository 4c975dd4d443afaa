import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { PATIENCE } from '../../support/channel/plane-answers.ts';
import { theCluster } from '../../support/cluster/cluster.ts';
import { routeManifest } from '../../support/cluster/route-manifest.ts';
import { accessibilityBreaches } from '../../support/console/accessibility.ts';
import { buildConsole } from '../../support/console/built-console.ts';
import { CREST_WORDS, crestClient } from '../../support/crest/cluster-client.ts';
import { routesUser } from '../../support/crest/cluster-users.ts';
import { testedGateway } from '../../support/gateways/tested-gateway.ts';
import { INSTALLATION, installPrograms } from '../../support/programs/debian-program.ts';
import { DrivenBrowser } from '../../support/programs/driven-browser.ts';

const cluster = theCluster();
const pictures = fileURLToPath(new URL('../../../out/console/', import.meta.url));
let browser: DrivenBrowser;

beforeAll(async () => {
  await installPrograms(['chromium']);
  await buildConsole();
  mkdirSync(pictures, { recursive: true });
  browser = await DrivenBrowser.start();
}, INSTALLATION);

afterAll(() => browser?.close());

/** Opens the page of a request as somebody. */
async function explainAs(origin: string, token: string): Promise<Page> {
  const context = await browser.user({ ignoreHTTPSErrors: true });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(`${origin}/console/explain?uri=http://localhost/orders/7`);
  await page.getByLabel('Token of the cluster').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  return page;
}

it('people have dry runs of their Routes in the console, and others read why they may not', async () => {
  const shop = await cluster.namespace('shop');
  const gateway = await testedGateway({ access: cluster, namespaces: [shop] });
  const controller = await gateway.startController(CREST_WORDS);
  const client = await crestClient(gateway, controller);
  onTestFinished(() => client.close());
  const filter = {
    type: 'HeaderFilter',
    name: 'mark',
    config: { messageType: 'REQUEST', add: { 'X-Who': ['${request.method}'] } },
  };
  const answer = { type: 'StaticResponseHandler', config: { status: 201, entity: 'made' } };
  const chain = { type: 'Chain', config: { filters: [filter], handler: answer } };
  await gateway.apply(routeManifest(shop, 'orders', '', { handler: chain }));
  const plane = await gateway.startPlane();
  const keeper = await routesUser(cluster, 'keeper', [shop], ['explain', 'get', 'list']);
  const reader = await routesUser(cluster, 'reader', [shop], ['get', 'list']);
  const operator = await routesUser(cluster, 'operator', 'all', ['explain', 'get', 'list']);
  const body = { uri: 'http://localhost/orders/7', dryRun: true };
  await vi.waitFor(async () => {
    expect((await client.ask(operator, 'POST', '/api/routes?_action=explain', { body })).status).toBe(200);
  }, PATIENCE);

  const own = await explainAs(client.origin, keeper);
  await own.getByText(`${shop}.orders takes the request.`).waitFor();
  const button = own.getByRole('button', { name: 'Dry run' });
  await own.locator('button[aria-disabled="false"]', { hasText: 'Dry run' }).waitFor();
  expect(await accessibilityBreaches(own)).toEqual([]);
  await button.click();
  await own.getByText(`on the data plane ${plane.name}`).waitFor();
  const text = (await own.textContent('body')) ?? '';
  expect(text).toContain('request header x-who added');
  expect(text).toContain('The answer is 201.');
  expect(await accessibilityBreaches(own)).toEqual([]);
  await own.screenshot({ path: `${pictures}explain-in-a-cluster.png`, fullPage: true });

  const refused = await explainAs(client.origin, reader);
  await refused.getByText(/:reader may not explain the Route/).waitFor();
  const disabled = refused.getByRole('button', { name: 'Dry run' });
  expect(await disabled.getAttribute('aria-disabled')).toBe('true');
  expect(Number(await disabled.evaluate((element) => getComputedStyle(element).opacity))).toBeLessThan(1);
  expect(await accessibilityBreaches(refused)).toEqual([]);
  await refused.screenshot({ path: `${pictures}explain-refused.png`, fullPage: true });

  const everything = await explainAs(client.origin, operator);
  await everything.getByText(`on the data plane ${plane.name}`).waitFor();
});
