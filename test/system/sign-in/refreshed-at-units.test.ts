import { expect, it, onTestFinished } from 'vitest';
import { EchoBackend } from '../../support/backends/echo-backend.ts';
import { Browser } from '../../support/clients/browser.ts';
import { GatewayProcess } from '../../support/gateways/gateway-process.ts';
import { InstanceFolder } from '../../support/gateways/instance-folder.ts';
import { startOpenidProvider } from '../../support/identity/openid-provider.ts';
import { APP, registration } from '../../support/identity/sign-in-gateway.ts';

/** Connections at a time: the kernel gives each of them to any unit. */
const CONNECTIONS = 20;

it.each([
  ['in memory', undefined],
  ['in cookies', { type: 'JwtSession' }],
])('two units send one refresh token once, with sessions %s', async (_, session) => {
  let lifetime = 1;
  const ttl = {
    AccessToken: () => lifetime,
    RefreshToken: 600,
    Grant: 600,
    Session: 600,
    IdToken: 600,
    Interaction: 600,
  };
  // a refresh token that is sent twice ends the sign-in
  const configuration = { issueRefreshToken: () => true, rotateRefreshToken: true, ttl };
  const provider = await startOpenidProvider({ configuration });
  const application = await EchoBackend.start({ host: '127.0.0.1' }, (_, response) => void response.end('in'));
  onTestFinished(() => application.close());
  const failureHandler = { type: 'StaticResponseHandler', config: { status: 403 } };
  const signIn = {
    type: 'AuthorizationCodeOAuth2ClientFilter',
    config: {
      clientEndpoint: '/openid',
      registrations: [registration(provider.issuer)],
      requireHttps: false,
      failureHandler,
    },
  };
  const handler = { type: 'Chain', config: { filters: [signIn], handler: 'ReverseProxyHandler' } };
  const folder = new InstanceFolder({ 'config/routes/app.json': { handler, baseURI: application.url, session } });
  onTestFinished(() => folder[Symbol.dispose]());
  const gateway = await GatewayProcess.run(folder.path, ['--units', '2', '--access-log', '-']);
  onTestFinished(async () => void (await gateway.stop()));

  const ada = new Browser({ 'gw.test': gateway.port });
  await ada.open(`${APP}/page`, { stopAt: (url) => url === `${APP}/page` });
  const expired = Date.now() + 1000;
  lifetime = 600;
  await expect.poll(() => Date.now()).toBeGreaterThan(expired);
  const burst = await Promise.all(Array.from({ length: CONNECTIONS }, () => ada.fetch(`${APP}/parallel`)));
  expect(burst.map(({ status }) => status)).toEqual(burst.map(() => 200));
  expect(provider.asked.filter((one) => one === 'POST /token')).toHaveLength(2); // for the code, and for the refresh token
  await gateway.stop();
  const lines = gateway.stdout.split('\n').filter((line) => line.includes('/parallel'));
  expect([...new Set(lines.map((line) => (JSON.parse(line) as { readonly unit: number }).unit))].sort()).toEqual([
    0, 1,
  ]);
});
