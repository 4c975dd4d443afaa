import { describe, expect, it } from 'vitest';
import { ask } from '../../support/clients/answers.ts';
import { checkConfigured, startConfigured } from '../../support/gateways/configured-gateway.ts';

const handler = { type: 'StaticResponseHandler', config: { status: 200 } };

describe('tracing', () => {
  it.each([
    [true, 'no-effect', 'warning'],
    ['true', 'no-effect', 'warning'],
    ['all', 'value', 'error'],
  ])('set to %j is reported', (tracing, code, severity) => {
    expect(checkConfigured({ handler, tracing })).toMatchObject([{ code, severity, path: ['tracing'] }]);
  });

  it('may be switched off', () => {
    expect(checkConfigured({ handler, tracing: false })).toEqual([]);
  });

  it('changes nothing', async () => {
    const gateway = await startConfigured({ handler: { ...handler, tracing: true } });
    expect((await ask(gateway.port, 'GET / HTTP/1.1\r\nHost: gw.test\r\n')).status).toBe(200);
    await gateway.close();
  });
});
