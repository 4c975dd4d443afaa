import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { EchoBackend } from '../../support/backends/echo-backend.ts';
import { accessibilityBreaches } from '../../support/console/accessibility.ts';
import { buildConsole } from '../../support/console/built-console.ts';
import { GatewayProcess } from '../../support/gateways/gateway-process.ts';
import { InstanceFolder } from '../../support/gateways/instance-folder.ts';
import { INSTALLATION, installPrograms } from '../../support/programs/debian-program.ts';
import { DrivenBrowser } from '../../support/programs/driven-browser.ts';

const pictures = fileURLToPath(new URL('../../../out/console/', import.meta.url));
let sound: EchoBackend;
let failing: EchoBackend;
let folder: InstanceFolder;
let gateway: GatewayProcess;
let browser: DrivenBrowser;

beforeAll(async () => {
  await installPrograms(['chromium']);
  await buildConsole();
  mkdirSync(pictures, { recursive: true });
  sound = await EchoBackend.start();
  failing = await EchoBackend.start({ host: '127.0.0.1' }, (_, response) => response.writeHead(503).end());
  const pool = {
    name: 'pool',
    type: 'Backends',
    config: {
      endpoints: [{ uri: sound.url }, { uri: failing.url }],
      passiveHealth: { consecutiveFailures: 1, ejectionTime: '1 hour', maxEjectionTime: '1 hour' },
    },
  };
  const handler = { name: 'records', topics: ['access'], logDirectory: '&{ig.instance.dir}/audit' };
  folder = new InstanceFolder({
    'config/admin.json': { mode: 'EVALUATION' },
    'config/config.json': {
      heap: [{ name: '_router', type: 'Router' }],
      handler: '_router',
      auditService: {
        type: 'AuditService',
        config: {
          config: { handlerForQueries: 'records' },
          eventHandlers: [{ class: 'JsonAuditEventHandler', config: handler }],
        },
      },
    },
    'config/routes/10-shop.json': {
      heap: [pool],
      condition: "${find(request.uri.path, '^/shop')}",
      handler: {
        type: 'Chain',
        config: {
          filters: [
            {
              type: 'ConditionEnforcementFilter',
              config: { condition: "${request.method == 'GET'}" },
            },
            {
              type: 'ThrottlingFilter',
              config: {
                requestGroupingPolicy: '${contexts.client.remoteAddress}',
                rate: { numberOfRequests: 1000, duration: '1 day' },
              },
            },
          ],
          handler: { type: 'ReverseProxyHandler', config: { backends: 'pool' } },
        },
      },
    },
  });
  gateway = await GatewayProcess.run(folder.path);
  browser = await DrivenBrowser.start();
  const states = async (): Promise<unknown> => {
    await fetch(`http://127.0.0.1:${gateway.port}/shop`);
    const answer = await fetch(`http://127.0.0.1:${gateway.adminPort}/api/planes?_queryFilter=true`);
    const { results } = (await answer.json()) as { results: { backends: { endpoints: { state: string }[] }[] }[] };
    return results[0]?.backends[0]?.endpoints.map(({ state }) => state).sort();
  };
  await vi.waitFor(async () => expect(await states()).toEqual(['ejected', 'serving']));
  await fetch(`http://127.0.0.1:${gateway.port}/shop`, { method: 'POST' });
}, INSTALLATION);

afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
  folder?.[Symbol.dispose]();
  await sound?.close();
  await failing?.close();
});

async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.user({ viewport: { width: 1400, height: 900 }, bypassCSP: true, ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${gateway.adminPort}/console${path}`);
  return page;
}

const SCHEMES = ['light', 'dark'] as const;

describe('the page of a route that gets requests', () => {
  it('shows refusals of each filter, and the endpoints behind the handler', async () => {
    const page = await open('/routes/10-shop');
    const card = page.locator('.picture-card', { hasText: 'ConditionEnforcementFilter' });
    await card.getByText('1 rejected: condition').waitFor();
    await page.locator('.picture-card', { hasText: 'ThrottlingFilter' }).getByText('1 partition').waitFor();
    const endpoints = page.locator('.picture-endpoint');
    await endpoints.nth(1).waitFor();
    expect((await endpoints.locator('.badge').allTextContents()).sort()).toEqual(['Ejected', 'Serving']);
    await fetch(`http://127.0.0.1:${gateway.port}/shop`, { method: 'POST' });
    await card.getByText('2 rejected: condition').waitFor();
  });
});

describe('the table of backends', () => {
  it('shows each endpoint with its state and counts', async () => {
    const page = await open('/planes');
    const rows = page.locator('.backends tbody tr');
    await rows.nth(1).waitFor();
    const ejected = rows.filter({ hasText: new URL(failing.url).host });
    expect(await ejected.locator('td').nth(1).textContent()).toBe('Ejected');
    expect(await ejected.locator('td').nth(2).textContent()).toBe('pool');
    expect(await ejected.locator('td').nth(8).textContent()).toBe('1');
  });
});

describe('Explain', () => {
  it('shows what each filter does, and where the request would be sent', async () => {
    const page = await open('/explain?uri=/shop/7');
    await page.getByText('It would be sent to').waitFor();
    expect(await page.locator('.dry-run .badge').allTextContents()).toEqual(['passed', 'passed', 'passed', 'not run']);
  });

  it('shows the filter that rejects a request, with the value that it read', async () => {
    const before = sound.requests.length;
    const page = await open('/explain?method=POST&uri=/shop/7');
    const step = page.locator('.dry-run li', { hasText: 'ConditionEnforcementFilter' });
    await step.waitFor();
    expect(await step.locator('.badge').textContent()).toBe('answers 403');
    expect(await step.locator('.seen').textContent()).toContain('request.method"POST"');
    expect(sound.requests).toHaveLength(before);
  });
});

describe('the page of audit events', () => {
  it('shows events as they come, opens one, and leads to Explain', async () => {
    const page = await open('/audit?filter=/shop');
    await page.locator('tbody tr').first().waitFor();
    await fetch(`http://127.0.0.1:${gateway.port}/shop/audited`);
    const row = page.locator('tbody tr', { hasText: '/shop/audited' });
    await row.waitFor();
    await row.getByRole('button').click();
    await page.getByRole('link', { name: 'Explain this request' }).waitFor();
    expect(new URL(page.url()).searchParams.get('event')).not.toBeNull();
    await page.getByRole('link', { name: 'Explain this request' }).click();
    await page.getByText('takes the request').waitFor();
    expect(await page.getByLabel('URL or path').inputValue()).toContain('/shop/audited');
  });
});

describe.each(SCHEMES)('pages with data, %s', (colorScheme) => {
  it.each([
    ['/routes/10-shop', 'rejected: condition', 'route-figures'],
    ['/planes', 'Endpoints of backends', 'planes-backends'],
    ['/explain?method=POST&uri=/shop', 'Filters and handlers, in their order', 'explain-dry-run'],
    ['/audit', '/shop', 'audit-events'],
  ])('break no rule of accessibility: %s', async (path, text, name) => {
    const page = await open(path, { colorScheme });
    await page.getByText(text).first().waitFor();
    expect(await accessibilityBreaches(page)).toEqual([]);
    await page.screenshot({ path: `${pictures}${name}-${colorScheme}.png`, fullPage: true });
  });
});
