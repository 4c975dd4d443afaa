import { randomBytes } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { startPages } from '../../support/backends/page-backend.ts';
import { Browser } from '../../support/clients/browser.ts';
import { GatewayProcess } from '../../support/gateways/gateway-process.ts';
import { InstanceFolder } from '../../support/gateways/instance-folder.ts';
import { GATEWAY, startOpenidProvider } from '../../support/identity/openid-provider.ts';
import { APP } from '../../support/identity/sign-in-gateway.ts';
import { signInInstance } from '../../support/identity/sign-in-instance.ts';

/** Connections at a time: the kernel gives each of them to any unit. */
const CONNECTIONS = 20;

it('a callback that many connections repeat at once signs in once, whichever unit gets it', async () => {
  const provider = await startOpenidProvider();
  const application = await startPages();
  onTestFinished(() => application.close());
  const { issuer } = provider;
  const instance = { issuer, client: GATEWAY, application: application.url, sessionKey: randomBytes(32) };
  const folder = new InstanceFolder(signInInstance(instance));
  onTestFinished(() => folder[Symbol.dispose]());
  const gateway = await GatewayProcess.run(folder.path, ['--units', '2', '--access-log', '-']);
  onTestFinished(async () => void (await gateway.stop()));

  const ports = { 'gw.test': gateway.port };
  const ada = new Browser(ports);
  const isCallback = (url: string): boolean => url.startsWith(`${APP}/openid/callback?`);
  const { headers, url } = await ada.open(`${APP}/page`, { stopAt: isCallback });
  const callback = new URL(headers.location!, url).href;
  expect(isCallback(callback)).toBe(true);

  const copies = Array.from({ length: CONNECTIONS }, () => {
    const copy = new Browser(ports);
    const jar = ada.jar('gw.test');
    for (const name of jar.names) copy.jar('gw.test').set(name, jar.get(name)!);
    return copy;
  });
  const answers = await Promise.all(copies.map((copy) => copy.open(callback, { stopAt: () => true })));
  expect(answers.map(({ status }) => status).sort()).toEqual([302, ...Array(CONNECTIONS - 1).fill(403)]);
  expect(provider.asked.filter((line) => line === 'POST /token')).toHaveLength(1);
  await gateway.stop();
  const lines = gateway.stdout.split('\n').filter((line) => line.includes('/openid/callback'));
  const units = new Set(lines.map((line) => (JSON.parse(line) as { readonly unit: number }).unit));
  expect([...units].sort()).toEqual([0, 1]);
});
