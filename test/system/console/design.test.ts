import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, Page } from 'playwright-core';
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

const answering = (path: string, entity: string): Record<string, unknown> => ({
  condition: `\${request.uri.path == '${path}'}`,
  handler: { type: 'StaticResponseHandler', config: { status: 200, entity } },
});

beforeAll(async () => {
  await installPrograms(['chromium']);
  await buildConsole();
  mkdirSync(pictures, { recursive: true });
  const names = ['typed', 'shared', 'raced', 'undone', 'deleted', 'renamed', 'left', 'looked-at', 'keyed', 'exported'];
  folder = new InstanceFolder({
    'config/admin.json': { mode: 'EVALUATION' },
    ...Object.fromEntries(names.map((name) => [`config/routes/${name}.json`, answering(`/${name}`, 'first')])),
    'config/routes/broken.json': {
      condition: "${request.uri.path == '/broken'}",
      handler: { type: 'StaticResponseHandler', config: { status: 200, entty: 'x' } },
    },
  });
  gateway = await GatewayProcess.run(folder.path);
  browser = await DrivenBrowser.start();
}, INSTALLATION);

afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
  folder?.[Symbol.dispose]();
});

interface Opened {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of scripts and messages of the policy. */
  readonly faults: string[];
}

async function open(path: string, options: Parameters<DrivenBrowser['user']>[0] = {}): Promise<Opened> {
  const context = await browser.user({ viewport: { width: 1500, height: 900 }, ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  await page.goto(`http://127.0.0.1:${gateway.adminPort}/console${path}`);
  return { page, context, faults };
}

const editor = (page: Page) => page.getByRole('textbox', { name: 'Text of the route' });
const textOf = async (page: Page): Promise<string> =>
  (await editor(page).locator('.cm-line').allTextContents()).join('\n');
const deploy = (page: Page) => page.getByRole('button', { name: 'Deploy', exact: true });
const served = async (path: string): Promise<string> => (await fetch(`http://127.0.0.1:${gateway.port}${path}`)).text();

/** Replaces the whole text, as somebody who pastes does. */
async function write(page: Page, text: string): Promise<void> {
  await editor(page).focus();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(text);
}

/** Waits until the current text is checked and can be deployed, and deploys it. */
async function deployed(page: Page): Promise<void> {
  await page.locator('button.primary[aria-disabled="false"]').waitFor();
  await deploy(page).click();
}

/** Opens a route and waits until its text is checked. */
async function openEditor(id: string, options: Parameters<DrivenBrowser['user']>[0] = {}): Promise<Opened> {
  const opened = await open(`/routes/${id}/edit`, options);
  await opened.page
    .getByText(/No problems|error/)
    .first()
    .waitFor();
  return opened;
}

const asText = (document: unknown): string => JSON.stringify(document, null, 2);

describe('the text of a route', () => {
  it('is typed, checked in place and deployed, under the policy of the pages', async () => {
    const { page, faults } = await openEditor('typed');
    expect(await textOf(page)).toContain('"entity": "first"');
    await write(page, asText(answering('/typed', 'second')).replace('"entity"', '"entty"'));
    await page.locator('.design-problem', { hasText: 'entty' }).waitFor();
    await expect.poll(() => editor(page).locator('.n-error').allTextContents()).toEqual(['"entty"']);
    expect(await deploy(page).getAttribute('aria-disabled')).toBe('true');
    await page.screenshot({ path: `${pictures}edit-problems.png` });
    await write(page, asText(answering('/typed', 'second')));
    await deployed(page);
    await page.getByText('This is the version that the gateway has.').or(page.getByText('Deployed.')).first().waitFor();
    await expect.poll(() => served('/typed')).toBe('second');
    expect(faults).toEqual([]);
  });

  it('shows where it cannot be read, and goes to the place', async () => {
    const { page } = await openEditor('typed');
    await write(page, '{\n  "handler": \n}');
    await page.locator('.design-problem', { hasText: 'line 3, column 1' }).click();
    await expect.poll(() => page.evaluate('document.activeElement?.className')).toBe('text-editor');
    expect(await page.getByRole('button', { name: 'YAML' }).isDisabled()).toBe(true);
  });

  it('is shown as YAML and back, and undone with keys', async () => {
    const { page } = await openEditor('looked-at');
    const before = await textOf(page);
    await page.getByRole('button', { name: 'YAML' }).click();
    await expect.poll(() => textOf(page)).toContain('  type: StaticResponseHandler');
    await page.screenshot({ path: `${pictures}edit-yaml.png` });
    await editor(page).focus();
    await page.keyboard.press('ControlOrMeta+z');
    await expect.poll(() => textOf(page)).toBe(before);
    await page.keyboard.press('ControlOrMeta+y');
    await expect.poll(() => textOf(page)).toContain('  type: StaticResponseHandler');
  });

  it('is edited, compared and deployed with keys alone', async () => {
    const { page } = await openEditor('keyed');
    const focus = async (name: RegExp): Promise<void> => {
      for (let at = 0; at < 60; at++) {
        await page.keyboard.press('Tab');
        const text = await page.evaluate(
          'document.activeElement?.shadowRoot?.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent',
        );
        if (name.test(String(text))) return;
      }
      throw new Error(`no key leads to ${name}`);
    };
    await focus(/^Text of the route$/);
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Home');
    await page.keyboard.insertText('// by keys\n');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.insertText(asText(answering('/keyed', 'by keys')));
    await page.getByText('No problems').waitFor();
    await page.locator('button.primary[aria-disabled="false"]').waitFor();
    await page.locator('h1').focus();
    await focus(/^Changes$/);
    await page.keyboard.press('Enter');
    await page.locator('.diff-come', { hasText: 'by keys' }).waitFor();
    await page.locator('h1').focus();
    await focus(/^Deploy$/);
    await page.keyboard.press('Enter');
    await expect.poll(() => served('/keyed')).toBe('by keys');
  });
});

describe('two people who edit one route', () => {
  it('are told before they deploy, and choose', async () => {
    const { page: first } = await openEditor('shared');
    const { page: second } = await openEditor('shared');
    await write(second, asText(answering('/shared', 'of the second')));
    await write(first, asText(answering('/shared', 'of the first')));
    await deployed(first);
    await expect.poll(() => served('/shared')).toBe('of the first');
    await second.getByText('Somebody else changed this route').waitFor();
    expect(await second.locator('.conflict .diff-come').allTextContents()).toEqual([
      expect.stringContaining('of the first'),
    ]);
    expect(await deploy(second).getAttribute('aria-disabled')).toBe('true');
    await second.screenshot({ path: `${pictures}edit-conflict.png` });
    await second.getByRole('button', { name: 'Take their version' }).click();
    await expect.poll(() => textOf(second)).toContain('of the first');
    await second.getByRole('button', { name: 'Undo', exact: true }).click();
    await expect.poll(() => textOf(second)).toContain('of the second');
    await deployed(second);
    await expect.poll(() => served('/shared')).toBe('of the second');
  });

  it('are told by the gateway when both deploy at once', async () => {
    const { page } = await openEditor('raced');
    const address = `http://127.0.0.1:${gateway.adminPort}/api/routes/raced`;
    await write(page, asText(answering('/raced', 'mine')));
    await page.locator('button.primary[aria-disabled="false"]').waitFor();
    const held = Promise.withResolvers<void>();
    // The page sends its version after the other one, and hears of it only then.
    await page.route('**/routes/raced', async (route) => {
      if (route.request().method() === 'PUT') {
        await fetch(address, {
          method: 'PUT',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(answering('/raced', 'theirs')),
        });
        held.resolve();
      }
      await route.continue();
    });
    await deploy(page).click();
    await held.promise;
    await page.getByText('Somebody else changed this route').waitFor();
    expect(await served('/raced')).toBe('theirs');
    await page.unroute('**/routes/raced');
    await page.getByRole('button', { name: /Keep my draft/ }).click();
    await deployed(page);
    await expect.poll(() => served('/raced')).toBe('mine');
  });
});

describe('a route', () => {
  it('is created from a template under an id of its own', async () => {
    const { page, faults } = await open('/routes/new');
    await page.getByRole('link', { name: /Rate limit/ }).click();
    await page.getByLabel('Route id').fill('made-here');
    await page.getByText('No problems').waitFor();
    await page.screenshot({ path: `${pictures}edit-new.png` });
    await deployed(page);
    await page.getByRole('heading', { name: 'Edit made-here', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/routes/made-here/edit');
    expect(JSON.parse(readFileSync(join(folder.path, 'config/routes/made-here.json'), 'utf8'))).toMatchObject({
      _id: 'made-here',
      name: 'limited',
    });
    expect(faults).toEqual([]);
  });

  it('is renamed: the new one serves, and the old one is gone', async () => {
    const { page } = await openEditor('renamed');
    await page.getByLabel('Route id').fill('renamed-2');
    await page.locator('button.primary[aria-disabled="false"]').waitFor();
    await page.getByRole('button', { name: 'Rename and deploy' }).click();
    await page.getByRole('heading', { name: 'Edit renamed-2', level: 1 }).waitFor();
    const answer = await fetch(`http://127.0.0.1:${gateway.adminPort}/api/routes/renamed`);
    expect(answer.status).toBe(404);
    expect(await served('/renamed')).toBe('first');
  });

  it('is deleted after a question, and restored', async () => {
    const { page } = await openEditor('deleted');
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await served('/deleted')).toBe('first');
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('button', { name: 'Delete the route' }).click();
    await page.getByRole('heading', { name: 'Routes', level: 1 }).waitFor();
    expect((await fetch(`http://127.0.0.1:${gateway.port}/deleted`)).status).toBe(404);
    await page.getByRole('link', { name: 'New route' }).click();
    await page.getByRole('heading', { name: 'Or restore a deleted route' }).waitFor();
    expect(await accessibilityBreaches(page)).toEqual([]);
    await page.getByRole('link', { name: /^deleted/ }).click();
    await page.getByText('No problems').waitFor();
    await deployed(page);
    await page.getByRole('heading', { name: 'Edit deleted', level: 1 }).waitFor();
    expect(await served('/deleted')).toBe('first');
  });

  it('goes back to an earlier version', async () => {
    const { page } = await openEditor('undone');
    await write(page, asText(answering('/undone', 'second')));
    await deployed(page);
    await expect.poll(() => served('/undone')).toBe('second');
    await page.getByRole('button', { name: 'Versions' }).click();
    await page.locator('.version').nth(1).waitFor();
    expect(await page.locator('.version-now').count()).toBe(1);
    await page.locator('.version').nth(1).getByRole('button', { name: 'Compare' }).click();
    await page.locator('.diff-gone', { hasText: 'first' }).waitFor();
    await page.screenshot({ path: `${pictures}edit-versions.png` });
    await page.locator('.version').nth(1).getByRole('button', { name: 'Put into the draft' }).click();
    await deployed(page);
    await expect.poll(() => served('/undone')).toBe('first');
  });

  it('is exported for git, as a file and as a resource', async () => {
    const { page } = await openEditor('exported');
    const saved = async (name: string): Promise<string> => {
      await page.getByText('Export', { exact: true }).click();
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
      return `${download.suggestedFilename()}\n${readFileSync(await download.path(), 'utf8')}`;
    };
    expect(await saved('Route file (JSON)')).toBe(`exported.json\n${asText(answering('/exported', 'first'))}\n`);
    expect(await saved('Route for Kubernetes (YAML)')).toMatch(
      /^exported\.yaml\napiVersion: gatewarden\.io\/v1alpha1\nkind: Route\nmetadata:\n {2}name: exported\nspec:\n {2}condition: /,
    );
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Route file (JSON)' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Route file (JSON)' }).waitFor({ state: 'hidden' });
  });
});

describe('a draft', () => {
  it('stays while other pages are open, and the browser asks before it is lost', async () => {
    const { page } = await openEditor('left');
    await write(page, asText(answering('/left', 'unsaved')));
    await page.getByText('Unsaved changes.').waitFor();
    await page.getByRole('link', { name: 'Data planes' }).click();
    await page.getByRole('heading', { name: 'Data planes', level: 1 }).waitFor();
    await page.goBack();
    await expect.poll(() => textOf(page)).toContain('unsaved');
    const asked = new Promise<string>((resolve) => {
      page.once('dialog', (dialog) => {
        resolve(dialog.type());
        void dialog.accept();
      });
    });
    await page.reload();
    expect(await asked).toBe('beforeunload');
    await expect.poll(() => textOf(page)).toContain('first');
  });
});

describe('every state of the page', () => {
  const STATES = [
    ['/routes/new', 'Rate limit'],
    ['/routes/new?template=sign-in', 'No problems'],
    ['/routes/broken/edit', '1 error'],
    ['/routes/looked-at/edit?show=changes', 'No differences'],
    ['/routes/looked-at/edit?show=versions', 'No versions yet'],
    ['/routes/new?template=throttle&show=changes', 'lines added'],
    ['/routes/nowhere/edit', 'There is no route'],
  ] as const;

  it.each(
    STATES.flatMap(([path, text]) => (['light', 'dark'] as const).map((scheme) => [path, scheme, text] as const)),
  )('breaks no rule of accessibility: %s, %s', async (path, colorScheme, text) => {
    const { page } = await open(path, { colorScheme, bypassCSP: true });
    await page.getByText(text).first().waitFor();
    expect(await accessibilityBreaches(page)).toEqual([]);
    const name = path.slice(1).replaceAll(/[/?=&]/g, '-');
    await page.screenshot({ path: `${pictures}design-${name}-${colorScheme}.png` });
  });
});
