import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { accessibilityBreaches } from '../../support/console/accessibility.ts';
import { buildConsole } from '../../support/console/built-console.ts';
import { GatewayProcess } from '../../support/gateways/gateway-process.ts';
import { InstanceFolder } from '../../support/gateways/instance-folder.ts';
import { INSTALLATION, installPrograms } from '../../support/programs/debian-program.ts';
import { DrivenBrowser } from '../../support/programs/driven-browser.ts';

const pictures = fileURLToPath(new URL('../../../out/console/', import.meta.url));
let folder: InstanceFolder;
let gateway: GatewayProcess;
let browser: DrivenBrowser;

const answer = (status: number) => ({ type: 'StaticResponseHandler', config: { status } });

const ORDERS = {
  condition: "${find(request.uri.path, '^/orders')}",
  heap: [
    {
      name: 'limits',
      type: 'ThrottlingFilter',
      config: {
        requestGroupingPolicy: '${contexts.client.remoteAddress}',
        rate: { numberOfRequests: 6, duration: '10 s' },
      },
    },
  ],
  handler: {
    type: 'Chain',
    config: {
      filters: [
        {
          type: 'ConditionEnforcementFilter',
          config: { condition: "${request.method == 'GET'}", failureHandler: answer(405) },
        },
        'limits',
        { type: 'HeaderFilter', config: { messageType: 'RESPONSE', remove: ['Server'] } },
      ],
      handler: {
        type: 'DispatchHandler',
        config: {
          bindings: [
            { condition: "${request.queryParams['old'] != null}", handler: answer(410) },
            { handler: answer(200) },
          ],
        },
      },
    },
  },
};

const STRANGE = {
  handler: {
    type: 'Chain',
    config: { filters: [{ type: 'FutureFilter', config: { speed: 7 } }], handler: answer(200), colour: 'red' },
  },
};

beforeAll(async () => {
  await installPrograms(['chromium']);
  await buildConsole();
  mkdirSync(pictures, { recursive: true });
  folder = new InstanceFolder({
    'config/admin.json': { mode: 'EVALUATION' },
    'config/config.json': { handler: { type: 'Router', name: '_router', config: { scanInterval: 'disabled' } } },
    'config/routes/10-orders.json': ORDERS,
    'config/routes/20-strange.json': STRANGE,
  });
  gateway = await GatewayProcess.run(folder.path);
  browser = await DrivenBrowser.start();
}, INSTALLATION);

afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
  folder?.[Symbol.dispose]();
});

async function open(at = '', options: Parameters<DrivenBrowser['user']>[0] = {}, route = '10-orders'): Promise<Page> {
  const context = await browser.user({ viewport: { width: 1500, height: 950 }, ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  onTestFinished(() => expect(faults).toEqual([]));
  await page.goto(`http://127.0.0.1:${gateway.adminPort}/console/routes/${route}/edit${at}`);
  await page.locator('.sequence').first().waitFor();
  return page;
}

/** Types of the filters of the main chain, in their order. */
const filters = (page: Page): Promise<string[]> =>
  page.locator('.canvas-route > .sequence > .place:not(.is-handler) > .step .step-type').allTextContents();

const head = (page: Page, pointer: string): Locator => page.locator(`.step-head[data-at="${pointer}"]`);
const field = (page: Page, name: string): Locator => page.locator('.step-body').getByLabel(name, { exact: true });
const text = async (page: Page): Promise<string> =>
  (await page.locator('.design-text .cm-content').textContent()) ?? '';
const spoken = (page: Page): Promise<string | null> => page.locator('.canvas > [aria-live]').textContent();
const focusedAt = (page: Page): Promise<unknown> => page.evaluate('document.activeElement?.dataset.at');

const FIRST = '/handler/config/filters/0';
const SECOND = '/handler/config/filters/1';
const THIRD = '/handler/config/filters/2';

describe('the canvas', () => {
  it('shows the way of a request with its branches, and keeps the selected object in the address', async () => {
    const page = await open();
    expect(await filters(page)).toEqual(['ConditionEnforcementFilter', 'ThrottlingFilter', 'HeaderFilter']);
    expect(await page.locator('.branch-label').allTextContents()).toEqual([
      'failureHandler ',
      "if request.queryParams['old'] != null",
      'otherwise ',
    ]);
    await page.screenshot({ path: `${pictures}canvas.png` });
    await head(page, SECOND).click();
    await field(page, 'duration').waitFor();
    expect(new URL(page.url()).searchParams.get('at')).toBe(SECOND);
    await page.reload();
    await field(page, 'duration').waitFor();
    expect(await head(page, SECOND).getAttribute('aria-expanded')).toBe('true');
  });

  it('takes a filter that is dragged from the catalogue', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Catalogue' }).click();
    await page.getByPlaceholder('Name or need').fill('csrf');
    const type = page.locator('.palette-type', { hasText: 'CsrfFilter' });
    await type.dragTo(page.getByRole('button', { name: 'Insert a filter before limits' }));
    await expect
      .poll(() => filters(page))
      .toEqual(['ConditionEnforcementFilter', 'CsrfFilter', 'ThrottlingFilter', 'HeaderFilter']);
    expect(await text(page)).toContain('CsrfFilter');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => filters(page)).toHaveLength(3);
  });

  it('moves a filter that is dragged to another place', async () => {
    const page = await open();
    await head(page, THIRD).dragTo(
      page.getByRole('button', { name: 'Insert a filter before ConditionEnforcementFilter' }),
    );
    await expect.poll(() => filters(page)).toEqual(['HeaderFilter', 'ConditionEnforcementFilter', 'ThrottlingFilter']);
    await expect.poll(() => focusedAt(page)).toBe(FIRST);
  });

  it('is used with keys alone, and says what happened', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Insert a filter before HeaderFilter' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement?.type')).toBe('search');
    await page.keyboard.type('sign in');
    await expect
      .poll(() => page.locator('.palette-name').first().textContent())
      .toBe('AuthorizationCodeOAuth2ClientFilter');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => spoken(page)).toBe('AuthorizationCodeOAuth2ClientFilter inserted');
    await expect.poll(() => focusedAt(page)).toBe(THIRD);
    await page.keyboard.press('Alt+ArrowUp');
    await expect.poll(() => spoken(page)).toBe('AuthorizationCodeOAuth2ClientFilter is now filter 2 of 4');
    await expect.poll(() => focusedAt(page)).toBe(SECOND);
    expect((await filters(page))[1]).toBe('AuthorizationCodeOAuth2ClientFilter');
    await page.keyboard.press('Alt+ArrowDown');
    await expect.poll(() => focusedAt(page)).toBe(THIRD);
    await page.keyboard.press('Delete');
    await expect.poll(() => spoken(page)).toBe('AuthorizationCodeOAuth2ClientFilter removed');
    expect(await filters(page)).toEqual(['ConditionEnforcementFilter', 'ThrottlingFilter', 'HeaderFilter']);
    await page.keyboard.press('Control+z');
    await expect.poll(() => filters(page)).toHaveLength(4);
    await page.keyboard.press('Control+y');
    await expect.poll(() => filters(page)).toHaveLength(3);
    await page.keyboard.press('Control+z');
    await expect.poll(() => filters(page)).toHaveLength(4);
    await page.keyboard.press('Control+Shift+z');
    await expect.poll(() => filters(page)).toHaveLength(3);
  });

  it('makes an object a named one and back', async () => {
    const page = await open(`?at=${THIRD}`);
    await page.getByRole('button', { name: 'Make it a named object' }).click();
    await page.locator('.heap .step-type', { hasText: 'header' }).waitFor();
    expect(await text(page)).toContain('"header"');
    await page.getByRole('button', { name: 'Declare in place' }).click();
    await expect.poll(() => page.locator('.heap .step-type').allTextContents()).toEqual(['limits']);
    expect(await filters(page)).toEqual(['ConditionEnforcementFilter', 'ThrottlingFilter', 'HeaderFilter']);
  });

  it('shows unknown types and fields, and leaves them in the document', async () => {
    const page = await open('?at=/handler', {}, '20-strange');
    await page.getByText('unknown type').waitFor();
    expect(await page.locator('.unknown-fields code').allTextContents()).toEqual(['colour', '"red"']);
    await page.getByRole('button', { name: 'Insert a filter before FutureFilter' }).click();
    await page.getByPlaceholder('Name or need').fill('CsrfFilter');
    await page.locator('.palette-type', { hasText: 'CsrfFilter' }).click();
    await expect.poll(() => filters(page)).toEqual(['CsrfFilter', 'FutureFilter']);
    expect(await text(page)).toContain('"colour": "red"');
    expect(await text(page)).toContain('"speed": 7');
  });
});

describe('a form', () => {
  it('and the text are in step both ways, and comments stay', async () => {
    const page = await open(`?at=${SECOND}`);
    await page.getByRole('button', { name: 'YAML' }).click();
    await expect.poll(() => text(page)).toContain('duration: 10 s');
    await page.locator('.design-text .cm-content').click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('# why it is so\n');
    await expect.poll(() => text(page)).toContain('# why it is so');
    await field(page, 'duration').fill('3 minutes');
    await expect.poll(() => text(page)).toContain('duration: 3 minutes');
    expect(await text(page)).toContain('# why it is so');
    await page.locator('.cm-line', { hasText: 'numberOfRequests' }).click();
    await page.keyboard.press('End');
    await page.keyboard.type('0');
    await expect.poll(() => field(page, 'numberOfRequests').inputValue()).toBe('60');
  });

  it('shows what is wrong while somebody types, and removes a field without a text', async () => {
    const page = await open(`?at=${SECOND}`);
    await field(page, 'duration').fill('3');
    await page.locator('.field-fault', { hasText: 'unit' }).waitFor();
    await head(page, SECOND).locator('.badge', { hasText: 'error' }).waitFor();
    await page.screenshot({ path: `${pictures}form.png` });
    await field(page, 'requestGroupingPolicy').fill('');
    await expect.poll(() => text(page)).not.toContain('requestGroupingPolicy');
  });

  it('completes expressions with keys, describes names, and shows the value for a sample request', async () => {
    const page = await open('?at=/');
    const condition = field(page, 'condition');
    await condition.fill('');
    await condition.pressSequentially('${request.uri.pa');
    await page.getByRole('option', { name: 'path text', exact: true }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.locator('.expression-help', { hasText: 'Path, decoded.' }).waitFor();
    await page.keyboard.press('Enter');
    await condition.pressSequentially(" == '/orders'}");
    await page.keyboard.press('Escape');
    expect(await condition.inputValue()).toBe("${request.uri.path == '/orders'}");
    await page.locator('.evaluation-value', { hasText: 'true' }).waitFor();
    await page.screenshot({ path: `${pictures}expression.png` });
    await page.getByRole('button', { name: 'Sample request' }).click();
    await page.getByLabel('URL of the sample request').fill('/else');
    await page.locator('.evaluation-value', { hasText: 'false' }).waitFor();
    await condition.fill('${request.uri.path ==}');
    await page.locator('.evaluation-result .bad-text').waitFor();
    expect(await page.evaluate('JSON.stringify(localStorage) + JSON.stringify(sessionStorage)')).not.toContain('/else');
  });
});

describe('the design page', () => {
  it.each(['light', 'dark'] as const)('breaks no rule of accessibility: %s', async (colorScheme) => {
    const page = await open(`?at=${FIRST}`, { colorScheme, bypassCSP: true });
    await field(page, 'condition').click();
    await page.locator('.evaluation-value').waitFor();
    expect(await accessibilityBreaches(page)).toEqual([]);
    await page.getByRole('button', { name: 'Catalogue' }).click();
    await page.locator('.palette-type').first().waitFor();
    expect(await accessibilityBreaches(page)).toEqual([]);
    await page.screenshot({ path: `${pictures}canvas-${colorScheme}.png` });
  });
});
