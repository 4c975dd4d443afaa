import { expect, it, onTestFinished, vi } from 'vitest';
import { EchoBackend } from '../../support/backends/echo-backend.ts';
import { GatewayProcess } from '../../support/gateways/gateway-process.ts';
import { InstanceFolder } from '../../support/gateways/instance-folder.ts';

type Answer = () => void;

/** A backend that holds its answers. */
async function holding(text: string): Promise<{ readonly url: string; readonly held: Answer[] }> {
  const held: Answer[] = [];
  const backend = await EchoBackend.start({ host: '127.0.0.1' }, (_, response) => {
    held.push(() => void response.end(text));
  });
  onTestFinished(() => backend.close());
  return { url: backend.url, held };
}

it('a process that stops finishes its requests, and does not wait for copies of a MirrorFilter', async () => {
  const [app, mirror] = [await holding('app'), await holding('mirror')];
  const shadow = { type: 'ReverseProxyHandler', baseURI: mirror.url, config: { soTimeout: 'zero' } };
  const handler = {
    type: 'Chain',
    config: {
      filters: [{ type: 'MirrorFilter', config: { handler: shadow, timeout: '5 minutes' } }],
      handler: { type: 'ReverseProxyHandler', baseURI: app.url, config: { soTimeout: 'zero' } },
    },
  };
  const folder = new InstanceFolder({ 'config/config.json': { handler } });
  onTestFinished(() => folder[Symbol.dispose]());
  const gateway = await GatewayProcess.run(folder.path, ['--drain-timeout', '5m']);
  onTestFinished(async () => void (await gateway.stop()));

  const answer = fetch(`http://127.0.0.1:${gateway.port}/`);
  await vi.waitFor(() => expect([app.held.length, mirror.held.length]).toEqual([1, 1]));
  gateway.signal('SIGTERM');
  await vi.waitFor(() => expect(gateway.said.map(({ msg }) => msg)).toContain('draining'));
  app.held[0]!();
  expect(await (await answer).text()).toBe('app');
  // the copy alone would be waited for until the time-out of the test
  expect(await gateway.ended()).toBe(0);
  expect(gateway.said.map(({ msg }) => msg)).toEqual(['listening', 'draining', 'stopped']);
});
