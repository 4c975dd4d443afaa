import { randomBytes } from 'node:crypto';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { groupSessionKeys } from '../../../controller/publish/group-session-keys.ts';
import type { PublishedState } from '../../../controller/publish/published-state.ts';
import { publishedRoute, publishedState } from '../../support/channel/published-routes.ts';
import { CHANNEL_TOKEN, ServedChannel } from '../../support/channel/served-channel.ts';
import { Browser } from '../../support/clients/browser.ts';
import { DataplaneProcess } from '../../support/gateways/dataplane-process.ts';
import { InstanceFolder } from '../../support/gateways/instance-folder.ts';
import { certificateAuthority } from '../../support/identity/certificates.ts';
import { type OpenidProvider, startOpenidProvider } from '../../support/identity/openid-provider.ts';
import { APP, registration } from '../../support/identity/sign-in-gateway.ts';

const CLIENT = 'told';
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const patience = { timeout: 120_000, interval: 20 };

/** A provider that tells its client of logouts. @returns it, and the logout tokens that it sent, as forms */
async function tellingProvider() {
  const notices: string[] = [];
  // the provider connects to no address of this machine by itself
  const fetch = async (_: unknown, { body }: { readonly body: unknown }): Promise<Response> => {
    notices.push(String(body));
    return new Response(null, { status: 200 });
  };
  const provider = await startOpenidProvider({
    clients: [
      {
        client_id: CLIENT,
        client_secret: 'the-secret-of-gateway',
        redirect_uris: [`${APP}/openid/callback`],
        backchannel_logout_uri: `${APP}/openid/backchannel_logout`,
        backchannel_logout_session_required: true,
      },
    ],
    configuration: { fetch },
    features: { backchannelLogout: { enabled: true } },
  });
  return { provider, notices };
}

/** One route of an operator behind sign-in, with the sessions that data planes have by themselves. */
function signInState(issuer: string): PublishedState {
  const signIn = {
    type: 'AuthorizationCodeOAuth2ClientFilter',
    config: {
      clientEndpoint: '/openid',
      registrations: [registration(issuer, { clientId: CLIENT })],
      requireHttps: false,
      failureHandler: { type: 'StaticResponseHandler', config: { status: 403 } },
    },
  };
  const entity = 'for ${attributes.openid.id_token_claims.sub}';
  const handler = { type: 'StaticResponseHandler', config: { status: 200, entity } };
  const document: JsonObject = { handler: { type: 'Chain', config: { filters: [signIn], handler } } };
  const { tenant: _, ...route } = publishedRoute('app', 'one', { document });
  const state = publishedState([route]);
  const base = { document: { handler: { name: '_router', type: 'Router' } }, hash: 'base' };
  const sessionKeys = groupSessionKeys([randomBytes(32).toString('base64url')], { uid: 'a', resourceVersion: '1' });
  return { ...state, snapshot: { ...state.snapshot, base }, sessionKeys };
}

/** Data planes below one controller, for one test. */
async function replicas(state: PublishedState) {
  const authority = certificateAuthority('controllers');
  const { chain, key } = authority.issue({ names: ['127.0.0.1'] });
  const tls = { certificate: chain, key, clientAuthorities: null };
  const channel = await new ServedChannel({ server: { host: '127.0.0.1', tls } }).start();
  const folder = new InstanceFolder({ ca: authority.certificate, token: CHANNEL_TOKEN });
  channel.sessions.publish(state);
  onTestFinished(async () => {
    await channel.close();
    folder[Symbol.dispose]();
  });
  return async (name: string, units: number): Promise<{ readonly plane: DataplaneProcess; readonly port: number }> => {
    const plane = await DataplaneProcess.start([
      ...['--controller', `127.0.0.1:${channel.port}`, '--ca', folder.at('ca')],
      ...['--bootstrap-token-file', folder.at('token'), '--name', name, '--units', String(units)],
    ]);
    onTestFinished(() => plane.kill());
    return { plane, port: await plane.port() };
  };
}

/** The same browser at another data plane. */
function at(port: number, browser: Browser): Browser {
  const moved = new Browser({ 'gw.test': port });
  const cookies = browser.jar('gw.test');
  for (const name of cookies.names) moved.jar('gw.test').set(name, cookies.get(name)!);
  return moved;
}

/** Signs the user of a browser out at the provider. */
async function leave(browser: Browser, { issuer }: OpenidProvider): Promise<void> {
  const { body } = await browser.open(`${issuer}/session/end`);
  const content = `xsrf=${/name="xsrf" value="(\w+)"/.exec(body)![1]}&logout=yes`;
  await browser.open(`${issuer}/session/end/confirm`, { method: 'POST', headers: FORM, content });
}

it('three data planes send one refresh token once, and requests at all of them go on', async () => {
  let lifetime = 1;
  const ttl = {
    AccessToken: () => lifetime,
    ...{ RefreshToken: 600, Grant: 600, Session: 600, IdToken: 600, Interaction: 600 },
  };
  // a refresh token that is sent twice ends the sign-in
  const configuration = { issueRefreshToken: () => true, rotateRefreshToken: true, ttl };
  const client = {
    client_id: CLIENT,
    client_secret: 'the-secret-of-gateway',
    redirect_uris: [`${APP}/openid/callback`],
  };
  const provider = await startOpenidProvider({ clients: [client], configuration });
  const start = await replicas(signInState(provider.issuer));
  const planes = [await start('one', 1), await start('two', 2), await start('three', 1)];
  const ada = new Browser({ 'gw.test': planes[0]!.port });
  await ada.open(`${APP}/page`, { stopAt: (url) => url === `${APP}/page` });
  const expired = Date.now() + 1000;
  lifetime = 600;
  await expect.poll(() => Date.now(), patience).toBeGreaterThan(expired);
  const burst = await Promise.all(
    planes.flatMap(({ port }) => Array.from({ length: 5 }, () => at(port, ada).fetch(`${APP}/parallel`))),
  );
  expect(burst.map(({ status }) => status)).toEqual(burst.map(() => 200));
  const late = await Promise.all(planes.map(({ port }) => at(port, ada).fetch(`${APP}/late`)));
  expect(late.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(provider.asked.filter((one) => one === 'POST /token')).toHaveLength(2); // for the code, and for the refresh token
});

it('a logout token that one data plane gets ends the session at all of them, and at those that start later', async () => {
  const { provider, notices } = await tellingProvider();
  const start = await replicas(signInState(provider.issuer));
  const [one, two, three] = [await start('one', 1), await start('two', 1), await start('three', 2)];
  const ada = new Browser({ 'gw.test': one.port });
  const bob = new Browser({ 'gw.test': two.port });
  for (const browser of [ada, bob]) {
    expect(await browser.open(`${APP}/orders`)).toMatchObject({ status: 200, body: 'for ada' });
  }
  const api = async (port: number, browser: Browser): Promise<number> =>
    (await at(port, browser).fetch(`${APP}/api`)).status;
  for (const { port } of [one, two, three]) expect(await api(port, ada)).toBe(200);

  await leave(ada, provider);
  await vi.waitFor(() => expect(notices).toHaveLength(1), patience);
  const told = await new Browser({ 'gw.test': two.port }).fetch(`${APP}/openid/backchannel_logout`, {
    method: 'POST',
    headers: FORM,
    content: notices[0]!,
  });
  expect(told.status).toBe(200);
  expect(await api(two.port, ada)).toBe(401);
  for (const { port } of [one, three]) await vi.waitFor(async () => expect(await api(port, ada)).toBe(401), patience);
  const late = await start('late', 1);
  expect(await api(late.port, ada)).toBe(401);
  for (const { port } of [one, two, three, late]) expect(await api(port, bob)).toBe(200);
});
