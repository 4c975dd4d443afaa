import { expect, it, onTestFinished } from 'vitest';
import { ask } from '../../support/clients/answers.ts';
import { startConfigured } from '../../support/gateways/configured-gateway.ts';
import { SESSION_FILTERS } from '../../support/state/session-gateway.ts';

/** The `Cache-Control` lines of an answer, where the application answers with others. */
function cacheControl(target: string, lines: readonly string[]): Promise<string[]> {
  return cacheControlFor(target, { 'Cache-Control': [...lines] });
}

/** The `Cache-Control` lines of an answer, where the application answers with these headers. */
async function cacheControlFor(target: string, headers: Record<string, string[]>): Promise<string[]> {
  const handler = { type: 'StaticResponseHandler', config: { status: 200, headers } };
  const route = {
    session: { type: 'JwtSession' },
    handler: { type: 'Chain', config: { filters: [...SESSION_FILTERS], handler } },
  };
  const gateway = await startConfigured({}, { routes: { app: route } });
  onTestFinished(() => gateway.close());
  const { head } = await ask(gateway.port, `GET ${target} HTTP/1.1\r\nHost: gw.test\r\n`);
  expect(/^set-cookie: /im.test(head)).toBe(target.includes('set='));
  return head.split('\r\n').flatMap((line) => /^cache-control: (.*)$/i.exec(line)?.[1] ?? []);
}

it.each([
  [['public, max-age=600'], ['max-age=600, private']],
  [['max-age=600', 'S-MaxAge=60, Public'], ['max-age=600, private']],
  [['private="Set-Cookie"'], ['private="Set-Cookie", private']],
  [['no-store'], ['no-store']],
  [['max-age=60, Private'], ['max-age=60, Private']],
])(
  'a response with a session cookie and %j of the application is kept out of shared caches',
  async (given, expected) => {
    expect(await cacheControl('/?set=1', given)).toEqual(expected);
  },
);

it.each([
  ['Expires', 'Thu, 01 Jan 2037 00:00:00 GMT'],
  ['Last-Modified', 'Thu, 01 Jan 2026 00:00:00 GMT'],
])('a response with a session cookie and %s of the application is kept out of shared caches', async (name, value) => {
  expect(await cacheControlFor('/?set=1', { [name]: [value] })).toEqual(['private']);
});

it('a response with a session cookie that says nothing of caches stays as it is', async () => {
  expect(await cacheControlFor('/?set=1', {})).toEqual([]);
});

it('a response without a session cookie is cached as the application says', async () => {
  expect(await cacheControl('/', ['public, max-age=600'])).toEqual(['public, max-age=600']);
});
