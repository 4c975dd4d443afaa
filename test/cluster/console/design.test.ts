import { mkdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { theCluster } from '../../support/cluster/cluster.ts';
import { routeManifest } from '../../support/cluster/route-manifest.ts';
import { accessibilityBreaches } from '../../support/console/accessibility.ts';
import { buildConsole } from '../../support/console/built-console.ts';
import { CREST_WORDS, crestClient } from '../../support/crest/cluster-client.ts';
import { routesUser } from '../../support/crest/cluster-users.ts';
import { DeployedGateway } from '../../support/gateways/deployed-gateway.ts';
import { INSTALLATION, installPrograms } from '../../support/programs/debian-program.ts';
import { DrivenBrowser } from '../../support/programs/driven-browser.ts';

const cluster = theCluster();
const pictures = fileURLToPath(new URL('../../../out/console/', import.meta.url));
let browser: DrivenBrowser;
let gateway: DeployedGateway;
let origin: string;
let shop: string;
let bank: string;
/** Edits Routes of the shop, and sees those of the bank. */
let editor: string;
/** Sees Routes of the shop. */
let reader: string;

beforeAll(async () => {
  await installPrograms(['chromium']);
  await buildConsole();
  mkdirSync(pictures, { recursive: true });
  [shop, bank] = [await cluster.namespace('shop'), await cluster.namespace('bank')];
  gateway = await DeployedGateway.prepare({ access: cluster, namespaces: [shop, bank] });
  editor = await routesUser(cluster, 'editor', [shop]);
  reader = await routesUser(cluster, 'reader', [shop], ['get', 'list']);
  await seesToo(editor, bank);
  const controller = await gateway.startController([...CREST_WORDS, '--webhook', '127.0.0.1:0']);
  await controller.process.line(({ msg }) => msg === 'admission webhook registered');
  const client = await crestClient(gateway, controller);
  origin = client.origin;
  await client.close();
  const names = ['typed', 'shared', 'applied', 'undone', 'delivered', 'deleted', 'watched'];
  for (const name of names) await gateway.apply(routeManifest(shop, name, 'first'));
  await gateway.apply(routeManifest(bank, 'pay', 'first'));
  browser = await DrivenBrowser.start();
}, INSTALLATION);

afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
});

/** Lets a user see the Routes of one more namespace. */
async function seesToo(token: string, namespace: string): Promise<void> {
  const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { readonly sub: string };
  const account = claims.sub.replace('system:serviceaccount:', '');
  const rights = ['--verb=get,list', '--resource=routes.gatewarden.io'];
  await cluster.run(['create', 'role', 'sees', '-n', namespace, ...rights]);
  await cluster.run(['create', 'rolebinding', 'sees', '-n', namespace, '--role=sees', `--serviceaccount=${account}`]);
}

/** Opens a page of the console as somebody who has signed in. */
async function open(token: string, path: string): Promise<{ readonly page: Page; readonly faults: string[] }> {
  const context = await browser.user({ ignoreHTTPSErrors: true, viewport: { width: 1500, height: 900 } });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  await page.goto(`${origin}/console${path}`);
  await page.getByLabel('Token of the cluster').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  return { page, faults };
}

/** Opens the editor of a Route and waits until its text is checked. */
async function edit(name: string, token = editor): Promise<Page> {
  const { page } = await open(token, `/routes/${shop}.${name}/edit`);
  await page
    .getByText(/No problems|error|warning/)
    .first()
    .waitFor();
  return page;
}

const text = (page: Page) => page.getByRole('textbox', { name: 'Text of the route' });
const textOf = async (page: Page): Promise<string> =>
  (await text(page).locator('.cm-line').allTextContents()).join('\n');
const deploy = (page: Page) => page.getByRole('button', { name: 'Deploy', exact: true });
const specOf = (name: string, entity: string): JsonObject =>
  (routeManifest(shop, name, entity) as { readonly spec: JsonObject }).spec;
const entityOf = (name: string): Promise<string> =>
  gateway.kubectl(['get', 'routes.gatewarden.io', name, '-n', shop, '-o', 'jsonpath={.spec.handler.config.entity}']);

/** Replaces the whole text. */
async function write(page: Page, spec: JsonObject): Promise<void> {
  await text(page).focus();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(JSON.stringify(spec, null, 2));
}

/** Deploys the text once it is checked. */
async function deployed(page: Page): Promise<void> {
  await page.locator('button.primary[aria-disabled="false"]').waitFor();
  await deploy(page).click();
}

describe('a Route of a cluster', () => {
  it('is created in a namespace in which the user may create Routes', async () => {
    const { page, faults } = await open(editor, '/routes/new?template=throttle');
    const namespace = page.getByLabel('Namespace');
    await expect.poll(() => namespace.inputValue()).toBe(shop);
    expect(
      await page.locator('#route-namespaces option').evaluateAll((all) => all.map((one) => one.getAttribute('value'))),
    ).toEqual([shop]);
    await namespace.fill(bank);
    await expect.poll(() => deploy(page).getAttribute('title')).toContain('may not create Routes');
    await namespace.fill('');
    await expect.poll(() => deploy(page).getAttribute('title')).toBe('Choose a namespace');
    await namespace.fill(shop);
    await page.getByLabel('Name', { exact: true }).fill('made-here');
    await page.getByText('No problems').waitFor();
    expect(await accessibilityBreaches(page)).toEqual([]);
    await page.screenshot({ path: `${pictures}cluster-new.png` });
    await deployed(page);
    await page.getByRole('heading', { name: `Edit ${shop}.made-here`, level: 1 }).waitFor();
    const made = ['get', 'routes.gatewarden.io', 'made-here', '-n', shop, '-o', 'jsonpath={.spec.name}'];
    expect(await gateway.kubectl(made)).toBe('limited');
    expect(faults).toEqual([]);
  });

  it('is checked in place by the controller, and deployed with the rights of the user', async () => {
    const page = await edit('typed');
    const spec = specOf('typed', 'second');
    await write(page, { ...spec, handler: { type: 'StaticResponseHandler', config: { status: 200, entty: 'x' } } });
    await page.locator('.design-problem', { hasText: 'entty' }).waitFor();
    expect(await deploy(page).getAttribute('aria-disabled')).toBe('true');
    await write(page, spec);
    await deployed(page);
    await page.getByText('Deployed.').or(page.getByText('This is the version')).first().waitFor();
    expect(await entityOf('typed')).toBe('second');
    // The cluster has the members in another order, which is no change.
    await expect.poll(() => deploy(page).getAttribute('title')).toBe('There is nothing to deploy');
    expect(await textOf(page)).toBe(`${JSON.stringify(spec, null, 2)}`);
  });

  it('that two people edit is not overwritten: the second one is told', async () => {
    const [first, second] = [await edit('shared'), await edit('shared')];
    await write(second, specOf('shared', 'of the second'));
    await write(first, specOf('shared', 'of the first'));
    await deployed(first);
    await second.getByText('Somebody else changed this route').waitFor();
    expect(await entityOf('shared')).toBe('of the first');
    expect(await deploy(second).getAttribute('aria-disabled')).toBe('true');
    await second.getByRole('button', { name: /Keep my draft/ }).click();
    await deployed(second);
    await second.getByText('Deployed.').or(second.getByText('This is the version')).first().waitFor();
    expect(await entityOf('shared')).toBe('of the second');
  });

  it('that is applied with kubectl meanwhile is seen', async () => {
    const page = await edit('applied');
    await gateway.apply(routeManifest(shop, 'applied', 'by kubectl'));
    await page.getByText('Somebody else changed the route.').waitFor();
    await expect.poll(() => textOf(page)).toContain('by kubectl');
    await write(page, specOf('applied', 'mine'));
    await gateway.apply(routeManifest(shop, 'applied', 'once more'));
    await page.getByText('Somebody else changed this route').waitFor();
  });

  it('goes back to an earlier version, which tells who made it', async () => {
    const page = await edit('undone');
    await write(page, specOf('undone', 'second'));
    await deployed(page);
    await page.getByText('Deployed.').or(page.getByText('This is the version')).first().waitFor();
    await page.getByRole('button', { name: 'Versions' }).click();
    await page.locator('.version', { hasText: 'by gatewarden-common-rest' }).waitFor();
    const before = page.locator('.version', { hasText: 'by kubectl' });
    await before.getByRole('button', { name: 'Compare' }).click();
    await page.locator('.diff-gone', { hasText: 'first' }).waitFor();
    expect(await page.locator('.diff-gone').count()).toBe(1);
    expect(await accessibilityBreaches(page)).toEqual([]);
    await page.screenshot({ path: `${pictures}cluster-versions.png` });
    await before.getByRole('button', { name: 'Put into the draft' }).click();
    await deployed(page);
    await expect.poll(() => entityOf('undone')).toBe('first');
  });

  it('that a tool delivers is deployed after a question', async () => {
    const mark = 'argocd.argoproj.io/tracking-id=shop:gatewarden.io/Route:shop/delivered';
    await gateway.kubectl(['annotate', 'routes.gatewarden.io', 'delivered', '-n', shop, mark]);
    const page = await edit('delivered');
    await page.getByText('Argo CD delivers this route and may undo').waitFor();
    await write(page, specOf('delivered', 'by hand'));
    await deployed(page);
    await page.getByRole('heading', { name: 'Argo CD delivers this route' }).waitFor();
    expect(await accessibilityBreaches(page)).toEqual([]);
    await page.screenshot({ path: `${pictures}cluster-delivered.png` });
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await entityOf('delivered')).toBe('first');
    await deploy(page).click();
    await page.getByRole('button', { name: 'Deploy nevertheless' }).click();
    await expect.poll(() => entityOf('delivered')).toBe('by hand');
  });

  it('is exported as a manifest that the cluster takes', async () => {
    const page = await edit('watched');
    await page.getByText('Export', { exact: true }).click();
    const button = page.getByRole('button', { name: 'Route for Kubernetes (YAML)' });
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
    expect(download.suggestedFilename()).toBe('watched.yaml');
    const manifest = readFileSync(await download.path(), 'utf8');
    expect(manifest).toContain(`metadata:\n  name: watched\n  namespace: ${shop}\nspec:\n`);
    expect((parse(manifest) as { readonly spec: JsonObject }).spec).toEqual(specOf('watched', 'first'));
    const dry = ['apply', '--server-side', '--force-conflicts', '--dry-run=server', '-f', '-'];
    expect(await cluster.run(dry, manifest)).toContain('serverside-applied');
  });

  it('can be deleted from its page', async () => {
    const page = await edit('deleted');
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('button', { name: 'Delete the route' }).click();
    await page.getByRole('heading', { name: 'Routes', level: 1 }).waitFor();
    expect(await gateway.kubectl(['get', 'routes.gatewarden.io', '-n', shop, '-o', 'name'])).not.toContain('deleted');
  });

  it('cannot be changed by people who may only read it, and the buttons say why', async () => {
    const page = await edit('watched', reader);
    await write(page, specOf('watched', 'by a reader'));
    await expect.poll(() => deploy(page).getAttribute('title')).toContain('may not update the Route');
    expect(await deploy(page).getAttribute('aria-disabled')).toBe('true');
    const button = page.getByRole('button', { name: 'Delete…' });
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    expect(await button.getAttribute('title')).toContain('may not delete the Route');
    await page.getByRole('button', { name: 'Versions' }).click();
    await page.locator('.version').first().waitFor();
    expect(await accessibilityBreaches(page)).toEqual([]);
    expect(await entityOf('watched')).toBe('first');
  });
});
