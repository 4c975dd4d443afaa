import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StrictBackend } from '../support/backends/strict-backend.ts';
import { sendVector } from '../support/clients/sent-vector.ts';
import { requestVectors } from '../support/clients/vectors.ts';
import { GatewayProcess } from '../support/gateways/gateway-process.ts';
import { InstanceFolder } from '../support/gateways/instance-folder.ts';

const vectors = requestVectors();
/** Most rows name no host, and their ends are shown by closing the side of the client. */
const words = ['--limits', 'halfClose=true,missingHost=true'];

describe.each(['proxy', 'run'])('requests of public suites through gatewarden %s', (command) => {
  let backend: StrictBackend;
  let gateway: GatewayProcess;
  let folder: InstanceFolder | null = null;

  beforeAll(async () => {
    backend = await StrictBackend.start();
    const url = `http://127.0.0.1:${backend.port}`;
    if (command === 'proxy') gateway = await GatewayProcess.start(url, words);
    else {
      const config = { handler: 'ReverseProxyHandler', baseURI: url };
      folder = new InstanceFolder({ 'config/config.json': config });
      gateway = await GatewayProcess.run(folder.path, words);
    }
  });
  afterAll(async () => {
    await gateway.stop();
    folder?.[Symbol.dispose]();
    await backend.close();
  });

  it.each(vectors.filter((vector) => vector.class === 'must-reject'))('refuses $id', async (vector) => {
    const { upstream, answers } = await sendVector(vector, gateway.port, backend);
    expect(upstream).toEqual([]);
    expect(answers).toHaveLength(1);
    expect(Math.floor(answers[0]!.status / 100)).toBe(4);
    expect(backend.violations).toEqual([]);
  });

  it.each(vectors.filter((vector) => vector.class === 'must-accept'))('proxies $id', async (vector) => {
    const { upstream, answers } = await sendVector(vector, gateway.port, backend);
    expect(upstream.length).toBeGreaterThan(0);
    expect(answers[0]!.status).toBe(200);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(upstream.length);
    expect(backend.violations).toEqual([]);
  });
});
