import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { programPath } from './debian-program.ts';

/** A real browser without a window, which tests drive as a user does. */
export class DrivenBrowser {
  private readonly browser: Awaited<ReturnType<typeof chromium.launch>>;

  private constructor(browser: DrivenBrowser['browser']) {
    this.browser = browser;
  }

  /** Starts the browser that `installPrograms` found or installed. */
  static async start(): Promise<DrivenBrowser> {
    const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];
    // a machine may be far busier than the time-outs of the library expect
    const browser = await chromium.launch({ executablePath: programPath('chromium'), args, timeout: 0 });
    return new DrivenBrowser(browser);
  }

  /** The browser of another user: nothing in it is known to others. */
  async user(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const context = await this.browser.newContext(options);
    context.setDefaultTimeout(0);
    context.setDefaultNavigationTimeout(0);
    return context;
  }

  async close(): Promise<void> {
    await this.browser.close();
  }
}

/** What the page shows. */
export async function shown(page: Page): Promise<string> {
  return (await page.textContent('body')) ?? '';
}
