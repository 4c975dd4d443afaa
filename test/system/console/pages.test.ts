import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { EchoBackend } from '../../support/backends/echo-backend.ts';
import { accessibilityBreaches } from '../../support/console/accessibility.ts';
import { buildConsole } from '../../support/console/built-console.ts';
import { GatewayProcess } from '../../support/gateways/gateway-process.ts';
import { InstanceFolder } from '../../support/gateways/instance-folder.ts';
import { INSTALLATION, installPrograms } from '../../support/programs/debian-program.ts';
import { DrivenBrowser } from '../../support/programs/driven-browser.ts';

const pictures = fileURLToPath(new URL('../../../out/console/', import.meta.url));
let application: EchoBackend;
let folder: InstanceFolder;
let gateway: GatewayProcess;
let browser: DrivenBrowser;

const answer = (status: number) => ({ type: 'StaticResponseHandler', config: { status } });

beforeAll(async () => {
  await installPrograms(['chromium']);
  await buildConsole();
  mkdirSync(pictures, { recursive: true });
  application = await EchoBackend.start();
  folder = new InstanceFolder({
    'config/admin.json': { mode: 'EVALUATION' },
    'config/config.json': {
      heap: [
        { name: '_router', type: 'Router', config: { directory: '&{ig.instance.dir}/config/routes' } },
        {
          name: 'keys',
          type: 'FileSystemSecretStore',
          config: { directory: '&{ig.instance.dir}/secrets', mappings: [{ secretId: 'token.key', format: 'PLAIN' }] },
        },
      ],
      handler: '_router',
    },
    'secrets/token.key': 'c2VjcmV0',
    'config/routes/10-orders.json': {
      condition: "${find(request.uri.path, '^/orders')}",
      handler: {
        type: 'Chain',
        config: {
          filters: [
            {
              type: 'ConditionEnforcementFilter',
              config: { condition: "${request.method == 'GET'}", failureHandler: answer(405) },
            },
            { type: 'HeaderFilter', config: { messageType: 'RESPONSE', add: { 'X-Served-By': ['gatewarden'] } } },
          ],
          handler: 'ReverseProxyHandler',
        },
      },
      baseURI: application.url,
    },
    'config/routes/20-broken.json': {
      condition: "${request.uri.path == '/broken'}",
      handler: { type: 'StaticResponseHandlr' },
    },
    'config/routes/30-markup.json': {
      name: '<img src=x onerror=alert(1)>',
      condition: "${request.uri.path == '<b>'}",
      handler: answer(204),
    },
    'config/routes/90-rest.json': { handler: answer(404) },
  });
  gateway = await GatewayProcess.run(folder.path);
  browser = await DrivenBrowser.start();
}, INSTALLATION);

afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
  folder?.[Symbol.dispose]();
  await application?.close();
});

interface Opened {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of scripts and messages of the policy. */
  readonly faults: string[];
}

/** Words of elements that go over more than one line. */
const brokenWords = (elements: Element[]): string[] =>
  elements.flatMap(({ firstChild: text }) =>
    [...(text?.textContent ?? '').matchAll(/\S+/g)].flatMap(({ 0: word, index }) => {
      const range = document.createRange();
      range.setStart(text!, index);
      range.setEnd(text!, index + word.length);
      return range.getClientRects().length > 1 ? [word] : [];
    }),
  );

async function open(path: string, options: Parameters<DrivenBrowser['user']>[0] = {}): Promise<Opened> {
  const context = await browser.user({ viewport: { width: 1400, height: 860 }, ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  await page.goto(`http://127.0.0.1:${gateway.adminPort}/console${path}`);
  return { page, context, faults };
}

/** Texts of a column of the list of routes. */
const ids = (page: Page): Promise<string[]> => page.locator('.row a').allTextContents();

/** Text of the element that has the focus. */
const focused = (page: Page): Promise<unknown> => page.evaluate('document.activeElement?.textContent');

/** Tries what an injected script would try, in the page itself. */
const injection = (elsewhere: string): string => `(async () => {
  const attempt = (run) => {
    try {
      run();
      return 'done';
    } catch (error) {
      return error.name;
    }
  };
  const script = document.createElement('script');
  const markup = attempt(() => { document.body.innerHTML = '<p>other</p>'; });
  const text = attempt(() => { script.text = 'window.injected = true'; });
  document.body.append(script);
  const policy = attempt(() => trustedTypes.createPolicy('mine', {}));
  const style = document.createElement('style');
  style.textContent = 'body { display: none }';
  document.head.append(style);
  const fetched = await fetch(${JSON.stringify(elsewhere)}).then(() => 'done', (error) => error.name);
  const isHidden = getComputedStyle(document.body).display === 'none';
  return { markup, text, policy, fetched, isHidden, isInjected: window.injected === true };
})()`;

describe('the list of routes', () => {
  it('shows routes in their order, with their states', async () => {
    const { page, faults } = await open('/');
    await page.locator('.row').nth(3).waitFor();
    expect(await ids(page)).toEqual(['10-orders', '20-broken', '90-rest', '30-markup']);
    expect(await page.locator('.row .badge').allTextContents()).toEqual(['Serving', 'Rejects', 'Serving', 'Serving']);
    expect(await page.locator('.facts').textContent()).toContain('1 route with problems');
    expect(await page.title()).toBe('Routes · Gatewarden');
    expect(faults).toEqual([]);
    await page.screenshot({ path: `${pictures}routes.png` });
  });

  it('shows figures of requests while they come', async () => {
    const { page } = await open('/routes');
    await page.locator('.row').first().waitFor();
    for (let at = 0; at < 5; at++) await fetch(`http://127.0.0.1:${gateway.port}/orders/${at}`);
    await page.locator('.row .requests', { hasText: '5' }).waitFor();
    expect(await page.locator('.row').first().locator('.number').last().textContent()).toBe('5');
  });

  it('keeps filter and order in the address', async () => {
    const { page } = await open('/routes');
    await page.locator('.row').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('PATH');
    await expect.poll(() => ids(page)).toEqual(['10-orders', '20-broken', '30-markup']);
    await page.getByLabel('With problems').check();
    await expect.poll(() => ids(page)).toEqual(['20-broken']);
    expect(new URL(page.url()).search).toBe('?filter=PATH&show=problems');
    await page.reload();
    await page.locator('.row').first().waitFor();
    expect(await ids(page)).toEqual(['20-broken']);
    await page.getByRole('searchbox').fill('nothing like this');
    await page.getByRole('button', { name: 'Show all routes' }).click();
    await expect.poll(() => ids(page)).toHaveLength(4);
  });

  it('is used with keys alone', async () => {
    const { page } = await open('/routes');
    await page.locator('.row').first().waitFor();
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Skip to the content');
    await page.keyboard.press('/');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => focused(page)).toBe('10-orders');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => focused(page)).toBe('90-rest');
    await page.keyboard.press('End');
    await expect.poll(() => focused(page)).toBe('30-markup');
    await page.keyboard.press('Home');
    await expect.poll(() => focused(page)).toBe('10-orders');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '10-orders', level: 1 }).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement?.tagName')).toBe('H1');
    await page.goBack();
    await page.getByRole('heading', { name: 'Routes', level: 1 }).waitFor();
  });
});

describe('the page of a route', () => {
  it('shows the way of a request and the document, by a link from elsewhere', async () => {
    const { page, faults } = await open('/routes/10-orders');
    await page.getByText('ReverseProxyHandler').first().waitFor();
    const steps = await page.locator('.picture-type').allTextContents();
    expect(steps).toEqual([
      'ConditionEnforcementFilter',
      'StaticResponseHandler',
      'HeaderFilter',
      'ReverseProxyHandler',
    ]);
    expect(await page.locator('.json').textContent()).toContain('"messageType": "RESPONSE"');
    expect(faults).toEqual([]);
    await page.screenshot({ path: `${pictures}route.png`, fullPage: true });
  });

  it('shows the problems of a document', async () => {
    const { page } = await open('/routes/20-broken');
    await page.getByText("did you mean 'StaticResponseHandler'").waitFor();
    expect(await page.locator('.page-head .badge').textContent()).toBe('Rejects');
    await page.screenshot({ path: `${pictures}problems.png` });
  });

  it('says that there is no such route', async () => {
    const { page } = await open('/routes/no%2Fsuch');
    await page.getByText('There is no route ‘no/such’').waitFor();
  });
});

describe('the page that explains requests', () => {
  it('shows the route that takes a request, and why no other one does', async () => {
    const { page } = await open('/explain');
    await page.getByLabel('URL or path').fill('/orders/7');
    await page.keyboard.press('Enter');
    await page.getByText('takes the request').waitFor();
    expect(await page.locator('.outcome').textContent()).toBe('10-orders takes the request.');
    await page.getByLabel('URL or path').fill('/else');
    await page.getByRole('button', { name: 'Explain' }).click();
    await expect.poll(() => page.locator('.outcome').textContent()).toBe('90-rest takes the request.');
    expect(await page.locator('.tried:not(.dry-run) .badge').allTextContents()).toEqual(['false', 'false', 'true']);
    await page.screenshot({ path: `${pictures}explain.png` });
    await page.goBack();
    await expect.poll(() => page.locator('.outcome').textContent()).toBe('10-orders takes the request.');
  });

  it('puts credentials neither into the address nor into storage', async () => {
    const { page, context } = await open('/explain');
    await page.getByLabel('URL or path').fill('/orders?access_token=s3cr3t&page=2');
    await page.getByLabel(/^Headers/).fill('Authorization: Bearer s3cr3t');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('takes the request').waitFor();
    expect(decodeURIComponent(page.url())).toMatch(/\/console\/explain\?uri=\/orders\?page=2$/);
    expect(JSON.stringify(await context.storageState())).not.toContain('s3cr3t');
    expect(await page.getByLabel('URL or path').inputValue()).toBe('/orders?access_token=s3cr3t&page=2');
    expect(gateway.stdout + JSON.stringify(gateway.said)).not.toContain('s3cr3t');
  });

  it('says what is wrong with a request', async () => {
    const { page } = await open('/explain');
    await page.getByLabel('URL or path').fill('orders');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('Give a URL such as').waitFor();
  });
});

describe('every page', () => {
  const PAGES = [
    ['/routes', '90-rest'],
    ['/routes?filter=nothing-like-this', 'No route matches'],
    ['/routes/10-orders', 'Way of a request'],
    ['/routes/20-broken', 'Problems'],
    ['/routes/missing', 'There is no route'],
    ['/explain', 'Nothing is sent to a backend'],
    ['/explain?uri=/orders/1', 'takes the request'],
    ['/planes', 'Current'],
    ['/secret-stores', 'token.key'],
    ['/audit', 'Audit events cannot be queried here'],
    ['/nowhere', 'Page not found'],
  ] as const;

  it.each(PAGES.flatMap(([path, text]) => (['light', 'dark'] as const).map((scheme) => [path, scheme, text] as const)))(
    'breaks no rule of accessibility: %s, %s',
    async (path, colorScheme, text) => {
      const { page } = await open(path, { colorScheme, bypassCSP: true });
      await page.getByText(text).first().waitFor();
      expect(await accessibilityBreaches(page)).toEqual([]);
      if (!path.includes('?'))
        await page.screenshot({ path: `${pictures}${path.slice(1).replaceAll('/', '-')}-${colorScheme}.png` });
    },
  );

  it.each([...PAGES, ['/routes/10-orders/edit', 'No problems']] as const)(
    'fits a window of 700 pixels, and breaks no word in the head of a table: %s',
    async (path, text) => {
      const { page } = await open(path, { viewport: { width: 700, height: 800 } });
      await page.getByText(text).first().waitFor();
      expect(await page.locator('main').evaluate((main) => main.scrollWidth - main.clientWidth)).toBe(0);
      expect(await page.locator('.table th').evaluateAll(brokenWords)).toEqual([]);
    },
  );

  it('shows the colours that somebody chose, also after a reload', async () => {
    const { page } = await open('/routes', { colorScheme: 'light' });
    await page.getByRole('button', { name: 'Dark' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Dark', pressed: true }).waitFor();
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark');
  });

  it('says that the gateway does not answer, and goes on when it does', async () => {
    const { page, context } = await open('/routes');
    await page.locator('.row').first().waitFor();
    await context.setOffline(true);
    await page.getByText('The gateway does not answer.').waitFor();
    expect(await ids(page)).toHaveLength(4);
    await context.setOffline(false);
    await page.getByText('The gateway does not answer.').waitFor({ state: 'detached' });
  });
});

describe('the policy of the console', () => {
  it('keeps markup of documents text', async () => {
    const { page } = await open('/routes');
    await page.getByText('<img src=x onerror=alert(1)>').waitFor();
    expect(await page.locator('.row img, .row b').count()).toBe(0);
  });

  it('runs no script but those of the console, and connects to nobody else', async () => {
    const { page } = await open('/routes');
    await page.locator('.row').first().waitFor();
    expect(await page.evaluate(injection(application.url))).toEqual({
      ...{ markup: 'TypeError', text: 'TypeError', policy: 'TypeError', fetched: 'TypeError' },
      ...{ isHidden: false, isInjected: false },
    });
  });

  it('is not shown in a frame of another page', async () => {
    const answered = await fetch(`http://127.0.0.1:${gateway.adminPort}/console/`, {
      headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
    });
    expect(answered.status).toBe(403);
  });
});

describe('a gateway in the mode PRODUCTION', () => {
  it('shows states and figures of routes, and no conditions and documents', async () => {
    using production = new InstanceFolder({
      'config/routes/10-orders.json': { condition: "${request.uri.path == '/hidden'}", handler: answer(200) },
    });
    const other = await GatewayProcess.run(production.path);
    onTestFinished(async () => {
      await other.stop();
    });
    const { page } = await open('/routes');
    await page.goto(`http://127.0.0.1:${other.adminPort}/console/routes`);
    await page.getByText('conditions and documents are not shown').waitFor();
    expect(await ids(page)).toEqual(['10-orders']);
    expect(await page.textContent('body')).not.toContain('/hidden');
    await page.getByRole('link', { name: '10-orders' }).click();
    await page.getByText('The document is not shown').waitFor();
    await page.goto(`http://127.0.0.1:${other.adminPort}/console/secret-stores`);
    await page.getByRole('alert').waitFor();
  });
});
