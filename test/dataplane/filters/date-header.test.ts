import { describe, expect, it, onTestFinished } from 'vitest';
import { EchoBackend } from '../../support/backends/echo-backend.ts';
import { problemsOf } from '../../support/gateways/filtered-gateway.ts';
import { send, serve } from '../../support/gateways/served.ts';

async function dated(answer: { date: string | null }, inner?: object): Promise<string[]> {
  const backend = await EchoBackend.start({ host: '127.0.0.1' }, (_, response) => {
    response.sendDate = false;
    if (answer.date !== null) response.setHeader('Date', answer.date);
    response.end('x');
  });
  onTestFinished(() => backend.close());
  const handler = inner ?? { type: 'ReverseProxyHandler', baseURI: backend.url };
  const config = { filters: [{ type: 'DateHeaderFilter' }], handler };
  const gateway = await serve(JSON.parse(JSON.stringify({ type: 'Chain', config })));
  const { head } = await send(gateway, 'GET /');
  return [...head.matchAll(/^Date: (.*)\r?$/gim)].map((match) => match[1]!);
}

describe('DateHeaderFilter', () => {
  it('adds a Date header to a backend response without one', async () => {
    const before = Math.floor(Date.now() / 1000) * 1000;
    const [date, ...more] = await dated({ date: null });
    expect(more).toEqual([]);
    expect(date).toMatch(/^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/);
    expect(Date.parse(date!)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(date!)).toBeLessThanOrEqual(Date.now());
  });

  it('keeps the Date header of a backend', async () => {
    const date = 'Tue, 15 Nov 1994 08:12:31 GMT';
    expect(await dated({ date })).toEqual([date]);
  });

  it('adds one Date header to responses of the gateway', async () => {
    expect(await dated({ date: null }, { type: 'StaticResponseHandler', config: { status: 200 } })).toHaveLength(1);
  });

  it('rejects any configuration', () => {
    expect(problemsOf('DateHeaderFilter', { format: 'x' })).toEqual([
      "unknown-field format: there is no field 'format' here",
    ]);
  });
});
