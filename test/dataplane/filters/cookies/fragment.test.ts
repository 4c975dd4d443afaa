import { createHash } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import {
  type AskOptions,
  type FilteredAnswer,
  problemsOf,
  startFiltered,
} from '../../../support/gateways/filtered-gateway.ts';

const LOGIN = 'https://login.test/?goto=%2Forders&realm=%2F';
const NAVIGATION = { headers: ['Accept: text/html,*/*'] };

async function fragments(config: object = {}) {
  const full = { fragmentCaptureEndpoint: '/orders/fragment', ...config };
  const gateway = await startFiltered([JSON.parse(JSON.stringify({ type: 'FragmentFilter', config: full }))]);
  const redirect = (location = LOGIN, status = 302): string =>
    `/orders?status=${status}&h.location=${encodeURIComponent(location)}`;
  const capture = (form: Record<string, string>, headers = ['Origin: http://gw.test']): Promise<FilteredAnswer> =>
    gateway.ask('/orders/fragment', {
      method: 'POST',
      headers: [...headers, 'Content-Type: application/x-www-form-urlencoded'],
      body: new URLSearchParams(form).toString(),
    });
  return { ...gateway, redirect, capture };
}

function attribute(html: string, name: string): string {
  const text = new RegExp(` ${name}="([^"]*)"`).exec(html)?.[1] ?? '';
  return text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** What a browser would send back of the cookies that an answer sets. */
function cookieOf(answer: FilteredAnswer): string {
  return `Cookie: ${answer.values('set-cookie')[0]!.split(';')[0]}`;
}

describe('FragmentFilter', () => {
  it('restores the fragment after a login', async () => {
    const { ask, redirect, capture, seen } = await fragments({ noJavaScriptMessage: 'No "JavaScript" <here>' });
    const target = redirect();

    const page = await ask(target, NAVIGATION);
    expect(page.status).toBe(200);
    expect(page.values('content-type')).toEqual(['text/html; charset=utf-8']);
    expect(page.values('cache-control')).toEqual(['no-store']);
    expect(page.values('location')).toEqual([]);
    expect(attribute(page.body, 'href')).toBe(LOGIN);
    expect(attribute(page.body, 'data-target')).toBe(target);
    expect(attribute(page.body, 'data-endpoint')).toBe('/orders/fragment');
    expect(page.body).toContain('<noscript><p>No &quot;JavaScript&quot; &lt;here&gt;</p></noscript>');

    const captured = await capture({ target: '/orders?id=1', fragment: 'line=7&x=%C3%A9' });
    expect(captured.status).toBe(204);
    expect(captured.values('set-cookie')).toEqual([
      expect.stringMatching(/^ig-fragment-cookie=[\w-]+; Path=\/; Max-Age=3600; SameSite=Lax; HttpOnly$/),
    ]);
    expect(seen).toHaveLength(1);

    const back = await ask('/orders?id=1', { headers: [...NAVIGATION.headers, cookieOf(captured)] });
    expect(back.status).toBe(302);
    expect(back.values('location')).toEqual(['/orders?id=1#line=7&x=%C3%A9']);
    expect(back.values('set-cookie')).toEqual(['ig-fragment-cookie=; Path=/; Max-Age=0; SameSite=Lax; HttpOnly']);

    expect((await ask('/orders?id=1', NAVIGATION)).status).toBe(200);
  });

  it('runs no script but its own in the page', async () => {
    const { ask, redirect } = await fragments();
    const page = await ask(redirect(), NAVIGATION);
    const script = /<script>(.*)<\/script>/s.exec(page.body)![1]!;
    const [policy] = page.values('content-security-policy');
    expect(policy).toContain(`script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`);
    expect(policy).toContain("default-src 'none'");
  });

  it.each([
    ['', true, []],
    ['#', true, []],
    ['#line=7&x', true, [['/orders/fragment', 'POST', 'target=%2Forders%3Fid%3D1&fragment=line%3D7%26x']]],
    ['#lost', false, [['/orders/fragment', 'POST', 'target=%2Forders%3Fid%3D1&fragment=lost']]],
  ])('continues to the login with the fragment %j, whether it is stored (%s) or not', async (hash, taken, expected) => {
    const { ask, redirect } = await fragments();
    const page = await ask(redirect(), NAVIGATION);
    const sent: string[][] = [];
    const left = await new Promise<string>((resolve) => {
      runInNewContext(/<script>(.*)<\/script>/s.exec(page.body)![1]!, {
        URLSearchParams,
        location: { hash, replace: resolve },
        document: {
          body: { dataset: { endpoint: attribute(page.body, 'data-endpoint'), target: '/orders?id=1' } },
          querySelector: () => ({ href: attribute(page.body, 'href') }),
        },
        async fetch(url: string, { method, body }: { method: string; body: URLSearchParams }) {
          sent.push([url, method, body.toString()]);
          if (!taken) throw new TypeError('no network');
        },
      });
    });
    expect({ left, sent }).toEqual({ left: LOGIN, sent: expected });
  });

  it.each([[`${LOGIN}"><script>alert(1)</script>`], ["https://login.test/?a='onload=x"]])(
    'writes %s into the page as text only',
    async (location) => {
      const { ask, redirect } = await fragments();
      const { body } = await ask(redirect(location), NAVIGATION);
      expect(body.match(/<script/g)).toHaveLength(1);
      expect(body).not.toContain("='");
      expect(attribute(body, 'href').startsWith('https://login.test/?')).toBe(true);
    },
  );

  it('keeps the cookies that the redirect sets', async () => {
    const { ask, redirect } = await fragments();
    const page = await ask(`${redirect()}&h.set-cookie=a%3D1&h.set-cookie=b%3D2`, NAVIGATION);
    expect(page.values('set-cookie')).toEqual(['a=1', 'b=2']);
  });

  it.each<[string, string, number, AskOptions]>([
    ['within its own origin', 'http://gw.test/login', 302, NAVIGATION],
    ['to its own origin behind TLS', 'https://gw.test/login', 302, NAVIGATION],
    ['to a path', '/login', 302, NAVIGATION],
    ['that is permanent', LOGIN, 301, NAVIGATION],
    ['to another scheme', 'javascript:alert(1)', 302, NAVIGATION],
    ['of a script', LOGIN, 302, { headers: ['Accept: */*'] }],
    ['of a frame', LOGIN, 302, { headers: ['Accept: text/html', 'Sec-Fetch-Dest: iframe'] }],
    ['of a POST', LOGIN, 302, { method: 'POST', ...NAVIGATION }],
  ])('does not change a redirect %s', async (_, location, status, options) => {
    const { ask, redirect } = await fragments();
    const answer = await ask(redirect(location, status), options);
    expect(answer.status).toBe(status);
    expect(answer.values('location')).toEqual([location]);
  });

  it.each([303, 307])('replaces the response of a %i', async (status) => {
    const { ask, redirect } = await fragments();
    expect((await ask(redirect(LOGIN, status), { headers: ['Sec-Fetch-Dest: document'] })).status).toBe(200);
  });

  it('waits for the page itself, and captures again after another redirect', async () => {
    const { ask, redirect, capture } = await fragments();
    const cookie = async (target: string) => [
      ...NAVIGATION.headers,
      cookieOf(await capture({ target, fragment: 'f' })),
    ];
    expect((await ask('/orders?id=1', { headers: await cookie('/orders?id=2') })).status).toBe(200);
    expect((await ask('/orders?status=404', { headers: await cookie('/orders?status=404') })).status).toBe(404);
    const again = await ask(redirect(), { headers: await cookie(redirect()) });
    expect(attribute(again.body, 'href')).toBe(LOGIN);
  });

  it.each([
    ['no origin', []],
    ['another origin', ['Origin: https://evil.test']],
    ['no origin to speak of', ['Origin: null']],
  ])('accepts no fragment from %s', async (_, headers) => {
    const { capture, seen } = await fragments();
    const answer = await capture({ target: '/orders', fragment: 'f' }, headers);
    expect([answer.status, answer.values('set-cookie')]).toEqual([403, []]);
    expect(seen).toEqual([]);
  });

  it.each([
    [{ target: '//evil.test/', fragment: 'f' }],
    [{ target: '/\\evil.test/', fragment: 'f' }],
    [{ target: 'https://evil.test/', fragment: 'f' }],
    [{ target: '/a\r\nX: 1', fragment: 'f' }],
    [{ target: '/a#b', fragment: 'f' }],
    [{ target: '/a', fragment: 'f\r\nX: 1' }],
    [{ target: '/a', fragment: '' }],
    [{ target: '/a', fragment: 'x'.repeat(4000) }],
    [{ fragment: 'f' }],
  ])('stores nothing for %j', async (form) => {
    const { capture } = await fragments();
    const answer = await capture(JSON.parse(JSON.stringify(form)));
    expect([answer.status, answer.values('set-cookie')]).toEqual([400, []]);
  });

  it.each([
    ['//evil.test/x', '//evil.test/x#f'],
    ['/orders', '/orders#a\r\nSet-Cookie: x=1'],
    ['/orders', '/orders'],
    ['/orders', '/orders#'],
    ['/orders', ''],
  ])('does not redirect for a forged cookie at %s: %j', async (target, value) => {
    const { ask } = await fragments();
    const cookie = `Cookie: ig-fragment-cookie=${Buffer.from(value).toString('base64url')}`;
    const answer = await ask(target, { headers: [...NAVIGATION.headers, cookie] });
    expect([answer.status, answer.values('location')]).toEqual([200, []]);
  });

  it('sets the cookie with the configured attributes', async () => {
    const cookie = {
      name: 'frag',
      domain: 'gw.test',
      path: '/orders',
      maxAge: '2 minutes',
      httpOnly: false,
      secure: true,
      sameSite: 'none',
    };
    const { capture } = await fragments({ fragmentCaptureEndpoint: 'https://gw.test/orders/fragment', cookie });
    expect((await capture({ target: '/orders', fragment: 'f' })).values('set-cookie')).toEqual([
      expect.stringMatching(/^frag=[\w-]+; Path=\/orders; Max-Age=120; SameSite=None; Domain=gw\.test; Secure$/),
    ]);
  });

  it.each([
    [{}, ['missing fragmentCaptureEndpoint: is required']],
    [
      { fragmentCaptureEndpoint: 'fragment' },
      ['value fragmentCaptureEndpoint: must be a path such as /orders/fragment, or a URL with one'],
    ],
    [
      { fragmentCaptureEndpoint: '/f?x=1' },
      ['value fragmentCaptureEndpoint: must be a path such as /orders/fragment, or a URL with one'],
    ],
    [{ fragmentCaptureEndpoint: '/f', cookie: { name: 'a=b' } }, ['value cookie.name: is not the name of a cookie']],
    [{ fragmentCaptureEndpoint: '/f', cookie: { domain: 'a;b' } }, ['value cookie.domain: is not a domain']],
    [{ fragmentCaptureEndpoint: '/f', cookie: { path: '/a;b' } }, ['value cookie.path: is not a path']],
    [
      { fragmentCaptureEndpoint: '/f', cookie: { sameSite: 'NONE' } },
      ["value cookie.secure: must be true where 'sameSite' is NONE: browsers drop the cookie otherwise"],
    ],
    [
      { fragmentCaptureEndpoint: '/f', cookie: { maxage: '1 hour' } },
      ["unknown-field cookie.maxage: there is no field 'maxage' here"],
    ],
  ])('refuses %j', (config, problems) => {
    expect(problemsOf('FragmentFilter', config)).toEqual(problems);
  });
});
