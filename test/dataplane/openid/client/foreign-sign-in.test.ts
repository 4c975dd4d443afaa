import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { Browser } from '../../../support/clients/browser.ts';
import { startConfigured } from '../../../support/gateways/configured-gateway.ts';
import { LyingProvider } from '../../../support/identity/lying-provider.ts';
import { FAILURE, registration } from '../../../support/identity/sign-in-gateway.ts';

const [SHOP, ADMIN] = ['http://shop.test', 'http://admin.test'];
const isForeign = (url: string): boolean => !url.startsWith(ADMIN!);

/** Two applications behind one gateway, whose filters have the same endpoint and so the same session key. */
async function startTwo(shop: JsonObject, admin: JsonObject): Promise<() => Browser> {
  const [shopRoute, adminRoute] = [['shop.test', shop] as const, ['admin.test', admin] as const].map(
    ([host, client]) => {
      const signIn = {
        type: 'AuthorizationCodeOAuth2ClientFilter',
        config: { clientEndpoint: '/openid', registrations: [client], requireHttps: false, failureHandler: FAILURE },
      };
      const page = { status: 200, entity: `${host} for \${attributes.openid.id_token_claims.sub}` };
      const handler = { type: 'StaticResponseHandler', config: page };
      return {
        condition: `\${request.uri.host == '${host}'}`,
        handler: { type: 'Chain', config: { filters: [signIn], handler } },
      };
    },
  );
  const gateway = await startConfigured({}, { routes: { shop: shopRoute!, admin: adminRoute! } });
  onTestFinished(() => gateway.close());
  return () => new Browser({ 'shop.test': gateway.port, 'admin.test': gateway.port });
}

/** Users can do this with cookies that browsers keep apart. */
function takeCookiesAlong(browser: Browser): void {
  for (const name of browser.jar('shop.test').names) {
    browser.jar('admin.test').set(name, browser.jar('shop.test').get(name)!);
  }
}

/** Signs in at the shop, takes all cookies along to the other application and opens a page there. */
async function openWithCookiesOfShop(browser: Browser) {
  expect((await browser.open(`${SHOP}/`)).body).toBe('shop.test for ada');
  takeCookiesAlong(browser);
  return browser.open(`${ADMIN}/`, { stopAt: isForeign });
}

describe('a session that was signed in at another filter with the same session key', () => {
  it('is that of the user where the registrations are the same', async () => {
    const { issuer } = await LyingProvider.start();
    const browser = await startTwo(registration(issuer), registration(issuer));
    expect((await openWithCookiesOfShop(browser())).body).toBe('admin.test for ada');
  });

  it('is refreshed once where both filters need a fresh token at the same moment', async () => {
    const provider = await LyingProvider.start();
    let answers = 0;
    provider.tokens = (sound) => {
      const isFirst = answers++ === 0;
      return { ...sound, expires_in: isFirst ? 0 : 600, refresh_token: `refresh-${answers}` };
    };
    const browser = (await startTwo(registration(provider.issuer), registration(provider.issuer)))();
    await browser.open(`${SHOP}/openid/login?goto=/landing`, { stopAt: (url) => url === `${SHOP}/landing` });
    takeCookiesAlong(browser);
    const pages = await Promise.all([SHOP, ADMIN].map((origin) => browser.open(`${origin}/`)));
    expect(pages.map(({ body }) => body)).toEqual(['shop.test for ada', 'admin.test for ada']);
    expect(provider.asked.filter((path) => path === 'POST /token')).toHaveLength(2);
  });

  it('is nobody where the registration of the same name is of another issuer', async () => {
    const [one, other] = [await LyingProvider.start(), await LyingProvider.start()];
    const browser = await startTwo(registration(one.issuer), registration(other.issuer));
    expect((await openWithCookiesOfShop(browser())).status).toBe(302);
  });

  it('is nobody where the registration of the same name is of another client', async () => {
    const provider = await LyingProvider.start();
    const admin = registration(provider.issuer, { name: 'gateway', clientId: 'admin' });
    const browser = await startTwo(registration(provider.issuer), admin);
    expect((await openWithCookiesOfShop(browser())).status).toBe(302);
  });

  it('is nobody where ID tokens were not verified at the other one', async () => {
    const provider = await LyingProvider.start();
    const careless = registration(provider.issuer, { skipSignatureVerification: true });
    const browser = await startTwo(careless, registration(provider.issuer));
    expect((await openWithCookiesOfShop(browser())).status).toBe(302);
  });
});

describe('a callback of a sign-in that another filter with the same endpoint began', () => {
  it('fails with both possible reasons where the filter has no such registration', async () => {
    const { issuer } = await LyingProvider.start();
    const browser = (await startTwo(registration(issuer), registration(issuer, { name: 'admin' })))();
    const isCallback = (url: string): boolean => url.startsWith(`${SHOP}/openid/callback`);
    const { headers } = await browser.open(`${SHOP}/`, { stopAt: isCallback });
    takeCookiesAlong(browser);
    const page = await browser.open(headers.location!.replace(SHOP!, ADMIN!));
    expect(page.body).toBe(
      "failed: invalid_request: the filter of this callback has no registration 'gateway': it was removed meanwhile, " +
        "or another filter with the same 'clientEndpoint' began the sign-in",
    );
  });
});
