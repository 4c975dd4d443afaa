import { afterEach, expect, it, vi } from 'vitest';
import { GatewayProcess } from '../support/gateways/gateway-process.ts';
import { InstanceFolder } from '../support/gateways/instance-folder.ts';

const folder = new InstanceFolder({
  'config/config.json': {
    handler: {
      type: 'StaticResponseHandler',
      config: { status: 200, headers: { 'X-N': ["${request.headers['x-n'][0] + 1}"] } },
    },
  },
});
let gateway: GatewayProcess | undefined;

afterEach(async () => {
  await gateway?.stop();
  folder[Symbol.dispose]();
});

it('debug shows repetitions of a warning', async () => {
  gateway = await GatewayProcess.run(folder.path, ['--log-level', 'debug']);
  for (let i = 0; i < 2; i++) {
    const headers = { 'x-n': 'x', connection: 'close' };
    expect((await fetch(`http://127.0.0.1:${gateway.port}/`, { headers })).headers.get('x-n')).toBeNull();
  }
  const told = (): unknown[] =>
    gateway!.said.filter(({ msg }) => msg === 'expression failed to evaluate').map(({ level }) => level);
  await vi.waitFor(() => expect(told()).toEqual([40, 20]));
});
