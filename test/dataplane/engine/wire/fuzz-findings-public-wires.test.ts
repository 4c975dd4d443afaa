import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { nativeBindings } from '../../../../dataplane/engine/wire/native-handle.ts';
import { StrictBackend } from '../../../support/backends/strict-backend.ts';
import { refusalOf } from '../../../support/clients/answers.ts';
import { parseAnswers, RawClient } from '../../../support/clients/raw-client.ts';
import { startGateway, type TestGateway } from '../../../support/gateways/gateway.ts';

// What test/fuzz has found over public sockets, which say only once that the peer is done.

let backend: StrictBackend;
let gateway: TestGateway;

beforeAll(async () => {
  vi.stubEnv('GATEWARDEN_WIRES', 'public');
  expect(nativeBindings()).toBeNull();
  backend = await StrictBackend.start();
  gateway = await startGateway({
    backend: { destination: { host: '127.0.0.1', port: backend.port } },
    limits: { halfClose: true },
  });
});
afterAll(async () => {
  await gateway.close();
  await backend.close();
  vi.unstubAllEnvs();
});

it('an incomplete request after a complete one is rejected when the input ends', async () => {
  const client = await RawClient.connect(gateway.port);
  client.send('GET /1 HTTP/1.1\r\nHost: h\r\n\r\nPOST /2 HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nhalf');
  client.finish();
  const answers = parseAnswers(await client.untilClosed());
  client.destroy();
  expect(answers.map((answer) => answer.status)).toEqual([200, 400]);
  expect(refusalOf(answers[1]!)).toBe('incomplete');
});
