import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { guardedInstance } from '../support/access-manager/guarded-instance.ts';
import { amPost, logIn, logInAgent, TOKEN_HEADER, version } from '../support/access-manager/wire-target.ts';
import type { EchoBackend } from '../support/backends/echo-backend.ts';
import { startPages } from '../support/backends/page-backend.ts';
import { GatewayProcess } from '../support/gateways/gateway-process.ts';
import { InstanceFolder } from '../support/gateways/instance-folder.ts';
import { INSTALLATION, installPrograms } from '../support/programs/debian-program.ts';
import { DrivenBrowser, shown } from '../support/programs/driven-browser.ts';
import { OpenamTarget } from './support/openam-target.ts';

let openam: OpenamTarget;
let application: EchoBackend;
let folder: InstanceFolder;
let gateway: GatewayProcess;
let browser: DrivenBrowser;
/** Of the same host as OpenAM, so that browsers send its cookie. */
let app: string;

beforeAll(async () => {
  await installPrograms(['chromium']);
  openam = new OpenamTarget(inject('openam'));
  application = await startPages();
  const { url, agent } = openam;
  folder = new InstanceFolder(guardedInstance({ url, agent, application: application.url }));
  gateway = await GatewayProcess.run(folder.path, ['--units', '2']);
  app = `http://127.0.0.1:${gateway.port}`;
  await openam.setPolicy({ name: 'gw-open', resource: `${app}/open/*`, actions: { GET: true, POST: false } });
  await openam.setPolicy({ name: 'gw-strong', resource: `${app}/strong/*`, actions: { GET: true }, authLevel: 5 });
  await openam.setModule('Strong', 5);
  browser = await DrivenBrowser.start();
}, INSTALLATION);

afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
  folder?.[Symbol.dispose]();
  await application?.close();
});

/** Asks on a connection of its own, which goes to any unit. */
function ask(path: string, token: string | null, init: RequestInit = {}): Promise<Response> {
  const cookie = token === null ? {} : { Cookie: `${TOKEN_HEADER}=${token}` };
  return fetch(app + path, {
    redirect: 'manual',
    ...init,
    headers: { Connection: 'close', ...cookie, ...init.headers },
  });
}

async function statuses(path: string, token: string, count: number): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: count }, () => ask(path, token)));
  await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  return answers.map(({ status }) => status);
}

/** Fills in the page of OpenAM. */
async function signOn(page: Page): Promise<void> {
  await page.fill('#idToken1', openam.user.username);
  await page.fill('#idToken2', openam.user.password);
  await page.click('#loginButton_0');
}

async function newPage(): Promise<Page> {
  const user = await browser.user();
  onTestFinished(() => user.close());
  return user.newPage();
}

it('signs a user of OpenAM on in a browser, and out again', async () => {
  const page = await newPage();
  await page.goto(`${app}/open/orders?open=1`);
  expect(page.url()).toContain(openam.url);
  await signOn(page);
  await page.waitForURL((url) => url.origin === app);
  expect(page.url()).toBe(`${app}/open/orders?open=1`);
  expect(await shown(page)).toBe('/open/orders?open=1 for demo');
  await page.goto(`${app}/log-out`);
  await page.waitForURL(`${application.url}/bye`);
  await page.goto(`${app}/open/orders`);
  expect(page.url()).toContain(openam.url);
});

it('allows what a policy of OpenAM allows and denies the rest', async () => {
  const token = await logIn(openam, openam.user);
  expect((await ask('/open/a', token)).status).toBe(200);
  expect((await ask('/open/a', token, { method: 'POST' })).status).toBe(403);
  expect((await ask('/closed', token)).status).toBe(403);
  // a program is not sent to a login page
  expect((await ask('/open/a', 'unknown')).status).toBe(401);
  expect((await ask('/open/a', null)).status).toBe(401);
});

it('applies a policy that is changed in OpenAM while requests run', async () => {
  const name = 'gw-changing';
  const policy = { name, resource: `${app}/changing/*`, actions: { GET: true } };
  await openam.setPolicy(policy);
  const token = await logIn(openam, openam.user);
  await expect.poll(() => statuses('/changing/a', token, 4)).toEqual([200, 200, 200, 200]);
  await openam.setPolicy({ ...policy, actions: { GET: false } });
  await expect.poll(async () => (await ask('/changing/a', token)).status).toBe(403);
  // one unit knows it: so do all
  expect(new Set(await statuses('/changing/a', token, 20))).toEqual(new Set([403]));
  await openam.setPolicy(policy);
  await expect.poll(async () => (await ask('/changing/a', token)).status).toBe(200);
  expect(new Set(await statuses('/changing/a', token, 20))).toEqual(new Set([200]));
});

it('notices a logout at OpenAM', async () => {
  // OpenAM loses session events that are less than 100 ms apart: a few sessions, one of which it tells of
  await expect
    .poll(async () => {
      const agent = await logInAgent(openam);
      const token = await logIn(openam, openam.user);
      expect(new Set(await statuses('/open/a', token, 8))).toEqual(new Set([200]));
      const path = `/json/sessions?_action=logout&tokenId=${encodeURIComponent(token)}`;
      await amPost(openam, path, { ...version('2.0'), [TOKEN_HEADER]: agent });
      return expect
        .poll(async () => new Set(await statuses('/open/a', token, 8)))
        .toEqual(new Set([401]))
        .then(
          () => 'noticed',
          () => 'missed',
        );
    })
    .toBe('noticed');
});

it('sends a browser to OpenAM for a higher level of authentication, and lets it in afterwards', async () => {
  const page = await newPage();
  await page.goto(`${app}/strong/vault`);
  await signOn(page);
  // the policy asks for more than the usual sign-on
  await page.waitForURL((url) => url.href.includes('composite_advice'));
  await signOn(page);
  await page.waitForURL((url) => url.origin === app);
  expect(await shown(page)).toBe('/strong/vault for demo');
});

it('tells a program what OpenAM advises', async () => {
  const token = await logIn(openam, openam.user);
  const answer = await ask('/strong/a', token, { headers: { 'X-Authenticate-Response': 'header' } });
  expect(answer.status).toBe(401);
  const [, advices] = /advices="([^"]+)"/.exec(answer.headers.get('www-authenticate') ?? '')!;
  expect(JSON.parse(Buffer.from(advices!, 'base64').toString())).toEqual({ AuthLevelConditionAdvice: ['5'] });
});
