import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StrictBackend } from '../../../support/backends/strict-backend.ts';
import { sendVector } from '../../../support/clients/sent-vector.ts';
import { type RequestVector, requestVectors } from '../../../support/clients/vectors.ts';
import { startGateway, type TestGateway } from '../../../support/gateways/gateway.ts';

let backend: StrictBackend;
let gateway: TestGateway;
const vectors = requestVectors();

beforeAll(async () => {
  backend = await StrictBackend.start();
  gateway = await startGateway({
    backend: { destination: { host: '127.0.0.1', port: backend.port } },
    limits: { halfClose: true, missingHost: true },
  });
});
afterAll(async () => {
  await gateway.close();
  await backend.close();
});

const send = (vector: RequestVector, size: number) => sendVector(vector, gateway.port, backend, size);

describe.each([
  ['whole', 1 << 20],
  ['in pieces of 7 bytes', 7],
])('requests of public suites, %s', (_name, size) => {
  const of = (kind: RequestVector['class']) =>
    vectors.filter((vector) => vector.class === kind && (size > 100 || vector.bytes.length < 1000));

  it.each(of('must-reject'))('refuses $id', async (vector) => {
    const { upstream, answers } = await send(vector, size);
    expect(upstream).toEqual([]);
    expect(answers).toHaveLength(1);
    expect(answers[0]!.status).toBeGreaterThanOrEqual(400);
    expect(answers[0]!.status).toBeLessThan(500);
    expect(answers[0]!.headers.get('connection')).toBe('close');
    expect(backend.violations).toEqual([]);
  });

  it.each(of('must-accept'))('proxies $id', async (vector) => {
    const { upstream, answers } = await send(vector, size);
    expect(upstream.length).toBeGreaterThan(0);
    expect(answers[0]!.status).toBe(200);
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(upstream.length);
    expect(backend.violations).toEqual([]);
  });

  it.each(of('review'))('forwards nothing ambiguous of $id', async (vector) => {
    const { upstream, answers } = await send(vector, size);
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(upstream.length);
    expect(backend.violations).toEqual([]);
  });
});
