import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { EchoBackend } from '../support/backends/echo-backend.ts';
import { startPages } from '../support/backends/page-backend.ts';
import { RequestBalancer } from '../support/clients/request-balancer.ts';
import { GatewayProcess } from '../support/gateways/gateway-process.ts';
import { InstanceFolder } from '../support/gateways/instance-folder.ts';
import { signInInstance } from '../support/identity/sign-in-instance.ts';
import { INSTALLATION, installPrograms } from '../support/programs/debian-program.ts';
import { DrivenBrowser, shown } from '../support/programs/driven-browser.ts';
import { KeycloakRealm } from './support/keycloak-realm.ts';

let realm: KeycloakRealm;
let application: EchoBackend;
let balancer: RequestBalancer;
let browser: DrivenBrowser;
const folders: InstanceFolder[] = [];
const replicas: GatewayProcess[] = [];
let app: string;

beforeAll(async () => {
  await installPrograms(['chromium']);
  realm = await KeycloakRealm.create();
  application = await startPages();
  balancer = await RequestBalancer.start();
  app = `http://localhost:${balancer.port}`;
  const { clientId: id, secret } = realm.client;
  const content = signInInstance({
    issuer: realm.issuer,
    client: { id, secret },
    application: application.url,
    sessionKey: randomBytes(32),
    config: { openIdEndSessionOnLogout: true },
  });
  for (let replica = 0; replica < 2; replica++) {
    const folder = new InstanceFolder(content);
    folders.push(folder);
    replicas.push(await GatewayProcess.run(folder.path));
  }
  balancer.spreadOver(replicas.map(({ port }) => port));
  browser = await DrivenBrowser.start();
}, INSTALLATION);

afterAll(async () => {
  await browser?.close();
  await balancer?.close();
  for (const replica of replicas) await replica.stop();
  for (const folder of folders) folder[Symbol.dispose]();
  await application?.close();
});

async function newPage(): Promise<Page> {
  const user = await browser.user();
  onTestFinished(() => user.close());
  return user.newPage();
}

/** Fills in the page of Keycloak. */
async function signIn(page: Page): Promise<void> {
  expect(new URL(page.url()).pathname).toContain(`/realms/${realm.name}/`);
  await page.fill('#username', 'ada');
  await page.fill('#password', 'lovelace');
  await page.click('#kc-login');
  await page.waitForURL((url) => url.origin === app);
}

it('signs a user of Keycloak in, at both replicas', async () => {
  const page = await newPage();
  await page.goto(`${app}/orders?open=1`);
  await signIn(page);
  expect(page.url()).toBe(`${app}/orders?open=1`);
  for (let at = 0; at < 4; at++) {
    await page.goto(`${app}/page-${at}`);
    expect(await shown(page)).toBe(`/page-${at} for ada@example.com`);
  }
});

it('shows the application when Keycloak sends a new code with a used state after the back button', async () => {
  const page = await newPage();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(`${app}/orders`);
  await signIn(page);
  await page.goto(asked.find((url) => url.startsWith(realm.endpoint('auth')))!);
  expect(asked.filter((url) => url.startsWith(`${app}/openid/callback?`))).toHaveLength(2);
  expect(await shown(page)).toContain('for ada@example.com');
  // a code that is sent twice would have ended the tokens of the first sign-in
  await page.goto(`${app}/still`);
  expect(await shown(page)).toBe('/still for ada@example.com');
});

it('signs the user out of Keycloak as well', async () => {
  const page = await newPage();
  await page.goto(`${app}/orders`);
  await signIn(page);
  await page.goto(`${app}/openid/logout`);
  await page.waitForURL(`${app}/signed-out**`);
  expect(await shown(page)).toContain('for nobody');
  await page.goto(`${app}/orders`);
  expect(await page.isVisible('#kc-login')).toBe(true);
});

it('ends the session when an administrator of Keycloak ends it there', async () => {
  // replicas without a controller do not tell each other
  balancer.spreadOver([replicas[0]!.port]);
  onTestFinished(() => balancer.spreadOver(replicas.map(({ port }) => port)));
  // Keycloak tells the end of one session of a user only
  await realm.endSessions();
  await realm.tellEndsTo(`http://127.0.0.1:${balancer.port}/openid/backchannel_logout`);
  const page = await newPage();
  await page.goto(`${app}/orders`);
  await signIn(page);
  const status = (): Promise<number> => page.evaluate(async () => (await fetch('/api')).status);
  expect(await status()).toBe(200);
  await realm.endSessions();
  await expect.poll(status).toBe(401);
  await page.goto(`${app}/orders`);
  expect(await page.isVisible('#kc-login')).toBe(true);
});
