import { describe, expect, it, onTestFinished } from 'vitest';
import type { Next } from '../../../dataplane/engine/message/exchange.ts';
import { instrumented, Lease } from '../../../dataplane/routes/instrumented.ts';
import { ask } from '../../support/clients/answers.ts';
import { startGateway, type TestGatewayOptions } from '../../support/gateways/gateway.ts';

/** How long the name of the backend takes to be looked up, in milliseconds. */
const LATE = 120;

interface Counted {
  readonly status: number;
  readonly milliseconds: number;
  readonly failed: boolean;
}

const noSuchHost = (): Promise<never> =>
  new Promise((_resolve, reject) => {
    setTimeout(() => reject(new Error('no such host')), LATE);
  });

const UNREACHABLE = { destination: { host: 'backend.test', port: 1 }, lookup: noSuchHost };

async function counted(options: TestGatewayOptions, handler: (backend: Next) => Next) {
  const routes: Counted[] = [];
  const figures = {
    begin() {},
    end: (status: number, milliseconds: number, failed: boolean) => routes.push({ status, milliseconds, failed }),
    endUnanswered() {},
  };
  const gateway = await startGateway({
    ...options,
    handler(backend) {
      const bounds = { figures, lease: new Lease(), sessions: null, id: null, failed() {} };
      return instrumented({ handler: handler(backend), ...bounds });
    },
  });
  onTestFinished(() => gateway.close());
  const { status } = await ask(gateway.port, 'GET / HTTP/1.1\r\nHost: h\r\n');
  return { status, route: routes[0]!, finished: gateway.finished[0]! };
}

describe('a request whose backend cannot be reached', () => {
  it.each<[string, (backend: Next) => Next]>([
    ['by a handler that passes it on', (backend) => backend],
    ['by one that waits for the answer', (backend) => async (exchange) => await backend(exchange)],
  ])('is counted with the time that it took, and not as an exception, %s', async (_case, handler) => {
    const { status, route, finished } = await counted({ backend: UNREACHABLE }, handler);
    expect(status).toBe(502);
    expect(route).toMatchObject({ status: 502, failed: false });
    expect(route.milliseconds).toBeGreaterThan(LATE / 2);
    expect(finished.milliseconds).toBeGreaterThan(LATE / 2);
  });

  it('is counted as an exception by a handler that throws one', async () => {
    const { status, route } = await counted({ backend: UNREACHABLE }, (backend) => async (exchange) => {
      await backend(exchange);
      throw new Error('no answer');
    });
    expect(status).toBe(500);
    expect(route).toMatchObject({ status: 500, failed: true });
    expect(route.milliseconds).toBeGreaterThan(LATE / 2);
  });
});
