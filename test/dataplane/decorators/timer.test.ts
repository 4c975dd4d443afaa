import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { ask } from '../../support/clients/answers.ts';
import { type ConfiguredGateway, checkConfigured, startConfigured } from '../../support/gateways/configured-gateway.ts';

let gateway: ConfiguredGateway;
afterEach(() => gateway?.close());

const answer = { type: 'StaticResponseHandler', name: 'still', config: { status: 200 } };
const filter = { type: 'HeaderFilter', name: 'adder', config: { messageType: 'REQUEST' } };

async function timed(document: JsonObject): Promise<{ lines: unknown[]; metrics: string[] }> {
  gateway = await startConfigured(document);
  expect((await ask(gateway.port, 'GET / HTTP/1.1\r\nHost: gw.test\r\n')).status).toBe(200);
  const lines = gateway.logged.filter(({ msg }) => String(msg).startsWith('Elapsed'));
  return {
    lines: lines.map(({ msg, decorated }) => [decorated, msg]),
    metrics: gateway.observed.map((one) => one.metric),
  };
}

describe('the timer', () => {
  it('measures a handler', async () => {
    const { lines, metrics } = await timed({ handler: { ...answer, timer: true } });
    expect(lines).toEqual([['gateway.still', expect.stringMatching(/^Elapsed time: \d+ ms$/)]]);
    expect(metrics).toEqual(['gw_timerdecorator_handler_elapsed_seconds']);
    expect(gateway.observed[0]!.labels).toEqual({
      decorator_name: 'timer',
      fully_qualified_name: 'gateway.still',
      name: 'still',
    });
    expect(gateway.observed[0]!.seconds).toBeGreaterThan(0);
    expect(gateway.observed[0]!.seconds).toBeLessThan(100);
  });

  it('measures a filter: total, internal and downstream time', async () => {
    const { lines, metrics } = await timed({
      handler: { type: 'Chain', config: { filters: [{ ...filter, timer: true }], handler: answer } },
    });
    const layout = /^Elapsed time: \d+ ms \(internal: \d+ ms, downstream: \d+ ms\)$/;
    expect(lines).toEqual([['gateway.adder', expect.stringMatching(layout)]]);
    expect(metrics).toEqual(
      ['elapsed', 'internal', 'downstream'].map((part) => `gw_timerdecorator_filter_${part}_seconds`),
    );
    const [elapsed, internal, downstream] = gateway.observed.map((one) => one.seconds);
    expect(internal! + downstream!).toBeCloseTo(elapsed!, 6);
  });

  it('measures the main handler of a document under a name of its own', async () => {
    const { lines } = await timed({ handler: answer, timer: true });
    expect(lines).toEqual([['gateway.top-level-handler', expect.any(String)]]);
  });

  it('measures in the configured unit', async () => {
    const micros = { name: 'micros', type: 'TimerDecorator', config: { timeUnit: 'microseconds' } };
    const { lines } = await timed({ heap: [micros], handler: { ...answer, micros: true } });
    expect(lines).toEqual([['gateway.still', expect.stringMatching(/^Elapsed time: \d+ microseconds$/)]]);
  });

  it('measures failures too', async () => {
    gateway = await startConfigured({
      handler: { type: 'Chain', timer: true, config: { filters: [], handler: { ...answer, baseURI: '${null}' } } },
    });
    expect((await ask(gateway.port, 'GET / HTTP/1.1\r\nHost: gw.test\r\n')).status).toBe(500);
    expect(gateway.observed).toHaveLength(1);
  });

  it('is switched off by false', async () => {
    const { lines, metrics } = await timed({ handler: { ...answer, timer: false } });
    expect([lines, metrics]).toEqual([[], []]);
  });
});

describe('a document with a timer', () => {
  it.each([
    [{ handler: answer, timer: 'sometimes' }, ['timer']],
    [{ handler: answer, timer: null }, ['timer']],
    [
      { handler: answer, heap: [{ name: 't', type: 'TimerDecorator', config: { timeUnit: 'lightyears' } }] },
      ['heap', 0, 'config', 'timeUnit'],
    ],
    [
      { handler: answer, heap: [{ name: 't', type: 'TimerDecorator', config: { timeUnit: 'ms, 2 s' } }] },
      ['heap', 0, 'config', 'timeUnit'],
    ],
  ])('%j is refused', (document, path) => {
    expect(checkConfigured(document)).toMatchObject([{ code: 'value', severity: 'error', path }]);
  });
});
