import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildConsole } from '../../support/console/built-console.ts';
import { GatewayProcess } from '../../support/gateways/gateway-process.ts';
import { InstanceFolder } from '../../support/gateways/instance-folder.ts';
import { INSTALLATION, installPrograms } from '../../support/programs/debian-program.ts';
import { DrivenBrowser } from '../../support/programs/driven-browser.ts';

const COUNT = 5000;
/** Rows that exist at once, however many routes there are. */
const MOST_ROWS = 60;

let folder: InstanceFolder;
let gateway: GatewayProcess;
let browser: DrivenBrowser;
let page: Page;

const idOf = (at: number): string => `route-${String(at).padStart(4, '0')}`;

beforeAll(async () => {
  await installPrograms(['chromium']);
  await buildConsole();
  const routes = Array.from({ length: COUNT }, (_, at) => [
    `config/routes/${idOf(at)}.json`,
    {
      condition: `\${request.uri.path == '/${at}'}`,
      handler: { type: 'StaticResponseHandler', config: { status: 200 } },
    },
  ]);
  folder = new InstanceFolder({ 'config/admin.json': { mode: 'EVALUATION' }, ...Object.fromEntries(routes) });
  gateway = await GatewayProcess.run(folder.path);
  browser = await DrivenBrowser.start();
  page = await (await browser.user({ viewport: { width: 1400, height: 860 } })).newPage();
  await page.goto(`http://127.0.0.1:${gateway.adminPort}/console/routes`);
  await page.locator('.row').first().waitFor();
}, INSTALLATION);

afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
  folder?.[Symbol.dispose]();
});

const ids = (): Promise<string[]> => page.locator('.row a').allTextContents();

describe('a list of 5,000 routes', () => {
  it('has only the visible rows, wherever somebody scrolls', async () => {
    const height = Number(await page.evaluate("document.querySelector('.rows').scrollHeight"));
    expect(height).toBeGreaterThanOrEqual(COUNT * 36);
    for (const share of [0, 0.25, 0.5, 0.75, 1]) {
      await page.evaluate(`document.querySelector('.rows').scrollTop = ${share * height}`);
      const first = Math.floor(Math.max(0, share * COUNT - 40));
      await expect.poll(async () => Number((await ids())[0]?.slice(-4))).toBeGreaterThanOrEqual(first);
      expect(await page.locator('.row').count()).toBeLessThanOrEqual(MOST_ROWS);
    }
    expect((await ids()).at(-1)).toBe(idOf(COUNT - 1));
  });

  it('moves from the first route to the last one by a key', async () => {
    await page.evaluate("document.querySelector('.rows').scrollTop = 0");
    await page.locator('.row a', { hasText: idOf(0) }).focus();
    await page.keyboard.press('End');
    await expect.poll(() => page.evaluate('document.activeElement?.textContent')).toBe(idOf(COUNT - 1));
  });

  it('finds a route by its id', async () => {
    await page.getByRole('searchbox').fill('route-4321');
    await expect.poll(ids).toEqual(['route-4321']);
    expect(await page.locator('.tools-count').textContent()).toBe('1 of 5,000 routes');
    await page.getByRole('searchbox').fill('');
    await expect.poll(async () => (await ids()).length).toBeGreaterThan(20);
  });

  it('does little for each frame while somebody scrolls', async () => {
    const work = await page.evaluate(`(async () => {
      const box = document.querySelector('.rows');
      let changed = 0;
      const observer = new MutationObserver((records) => { for (const { addedNodes } of records) changed += addedNodes.length; });
      observer.observe(box, { childList: true, subtree: true });
      const most = [];
      for (let at = 0; at < 60; at++) {
        changed = 0;
        box.scrollTop = at * 360;
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
        most.push(changed);
      }
      observer.disconnect();
      return Math.max(...most);
    })()`);
    // ten rows come into view at each step, and a row has about forty nodes
    expect(Number(work)).toBeLessThanOrEqual(2000);
  });
});
