import { ServerProgram } from './server-program.ts';

/** Opens a page in a real browser, which is content with any certificate, until `stop` is called. */
export async function openInChromium(url: string): Promise<ServerProgram> {
  const browser = new ServerProgram('chromium');
  const words = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--ignore-certificate-errors',
    `--user-data-dir=${browser.folder}`,
    '--remote-debugging-port=0', // without it a browser with no window ends at once
    url,
  ];
  await browser.start(words, []);
  return browser;
}
