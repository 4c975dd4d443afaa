import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { DryRun } from '../../../contract/shown/dry-run.ts';
import { describedExchange, type RequestDescription } from '../../../dataplane/dry-run/described-exchange.ts';
import { dryRun } from '../../../dataplane/dry-run/dry-run.ts';
import { KnownTexts } from '../../../dataplane/dry-run/known-texts.ts';
import { type ConfiguredGateway, startConfigured } from '../../support/gateways/configured-gateway.ts';

let gateway: ConfiguredGateway;
afterEach(() => gateway?.close());

/** An expression whose value is in no document: `s3cr3t`. */
const SECRET = "${join(split('s3,cr3t', ','), '')}";
const assigned = (target: string, value: string): JsonObject => ({
  type: 'AssignmentFilter',
  config: { onRequest: [{ target, value }] },
});
const seen = (condition: string): JsonObject => ({ type: 'ConditionEnforcementFilter', config: { condition } });

async function start(
  front: readonly JsonObject[],
  filters: readonly JsonObject[],
  route: JsonObject = {},
): Promise<void> {
  gateway = await startConfigured(
    {
      heap: [
        { name: '_router', type: 'Router' },
        { name: 'lent', type: 'HeaderFilter', config: { messageType: 'REQUEST', add: { 'X-Lent': ['lent-value'] } } },
      ],
      handler: { type: 'Chain', config: { filters: front, handler: '_router' } },
    },
    {
      routes: {
        orders: {
          condition: "${find(request.uri.path, '^/orders')}",
          baseURI: 'http://orders.internal:8080',
          handler: { type: 'Chain', config: { filters, handler: { name: 'proxy', type: 'ReverseProxyHandler' } } },
          ...route,
        },
        other: { condition: "${find(request.uri.path, '^/other')}", handler: { type: 'WelcomeHandler' } },
      },
    },
  );
}

function run(shownRoute: string | null, request: RequestDescription = { uri: '/orders/7' }): Promise<DryRun> {
  return dryRun(gateway.configuration.served!, request, 0, shownRoute);
}

const HIDDEN = {
  ...{ type: '', name: '', object: '', milliseconds: 0, values: [], facts: {}, changes: [], hidden: true },
};

describe('a dry run for somebody who may see one route', () => {
  it('tells only the outcome of objects of others', async () => {
    await start(
      [{ name: 'operators', type: 'HeaderFilter', config: { messageType: 'REQUEST', add: { 'X-Op': ['op-value'] } } }],
      ['lent' as unknown as JsonObject, { name: 'mine', ...seen("${request.headers['X-Op'][0] == 'op-value'}") }],
    );
    const result = await run('orders');
    expect(result.steps).toMatchObject([
      { kind: 'filter', outcome: 'passed', ...HIDDEN },
      { kind: 'route', type: 'Route', name: 'orders', outcome: 'passed' },
      { kind: 'filter', outcome: 'passed', ...HIDDEN },
      { kind: 'filter', type: 'ConditionEnforcementFilter', name: 'mine', outcome: 'passed' },
      { kind: 'handler', type: 'ReverseProxyHandler', backend: 'http://orders.internal:8080/orders/7' },
    ]);
    expect(JSON.stringify(result)).not.toMatch(/op-value|operators|lent|X-Op"|HeaderFilter/);
    const all = await run(null);
    expect(all.steps.map(({ type, name, hidden }) => [type, hidden, name.startsWith('{') ? '' : name])).toEqual([
      ['HeaderFilter', undefined, 'operators'],
      ['Route', undefined, 'orders'],
      ['HeaderFilter', undefined, 'lent'],
      ['ConditionEnforcementFilter', undefined, 'mine'],
      ['ReverseProxyHandler', undefined, 'proxy'],
    ]);
  });

  it('tells the status of a refusal before the route, and not its reason', async () => {
    await start([{ name: 'gate', ...seen("${request.method == 'PUT'}") }], []);
    const { steps, status } = await run('orders');
    expect([steps, status]).toEqual([[{ kind: 'filter', depth: 0, outcome: 'answered', status: 403, ...HIDDEN }], 403]);
  });

  it('hides a route that takes the request instead', async () => {
    await start([], []);
    const { steps } = await run('orders', { uri: '/other' });
    expect(steps).toMatchObject([
      { kind: 'route', ...HIDDEN },
      { kind: 'handler', ...HIDDEN },
    ]);
  });

  it('hides texts of the base configuration that filters in front put into the URI', async () => {
    await start(
      [assigned('${request.uri.path}', '/orders/operators-path')],
      [seen("${find(request.uri.path, 'x') or find(toString(request.uri), 'x') or true}")],
    );
    const result = await run('orders');
    expect(result.steps.find(({ type }) => type === 'ConditionEnforcementFilter')?.values).toEqual([
      { expression: 'request.uri.path', value: '/orders/********' },
      { expression: 'request.uri', value: 'http://orders.internal:8080/orders/********' },
    ]);
    expect(JSON.stringify(result)).not.toMatch(/operators/);
    expect(JSON.stringify(await run(null))).toContain('/orders/operators-path');
  });
});

describe('a text that a filter makes of something that is not in the configuration', () => {
  it.each([
    ['the path', '${request.uri.path}', `/orders/${SECRET}`, 'target /orders/********'],
    ['the host', '${request.uri.host}', `${SECRET}.internal`, 'sent to http://********.internal:8080'],
    ['the name of a header', `\${request.headers[${SECRET.slice(2, -1)}]}`, 'x', 'request header ******** added'],
  ])('is hidden in %s', async (_, target, value, change) => {
    await start([], [assigned(target, value), seen('${find(toString(request.uri), "x") or true}')]);
    const result = await run(null);
    expect(result.steps.find(({ type }) => type === 'AssignmentFilter')?.changes).toEqual([change]);
    expect(JSON.stringify(result)).not.toContain('s3cr3t');
  });

  it('is hidden in the address of the backend', async () => {
    await start([], [], { baseURI: `http://${SECRET}.internal:8080` });
    const { steps } = await run(null);
    expect(steps.at(-1)).toMatchObject({ backend: 'http://********.internal:8080/orders/7' });
  });

  it.each([
    ['host', '${request.uri.host}'],
    ['method', '${request.method}'],
    ['header name', '${request.headers[attributes.key]}'],
  ])('is hidden in the text of an error about a %s', async (what, target) => {
    await start([], [assigned('${attributes.key}', `${SECRET} x`), assigned(target, `${SECRET} x`)]);
    const result = await run(null);
    const failed = result.steps.findLast(({ outcome }) => outcome === 'failed');
    expect(failed?.reason).toMatch(new RegExp(`not a ${what}: "\\*{8}"$`));
    expect(JSON.stringify(result)).not.toContain('s3cr3t');
  });

  it('is hidden in an error that does not quote it', async () => {
    const known = new KnownTexts({ uri: '/orders/7', headers: { 'X-Mine': 'mine' } });
    const exchange = describedExchange({ uri: '/orders/7', headers: { 'X-Mine': 'mine', 'X-Key': 'Key s3cr3t' } });
    exchange.attributes.set('deep', { list: ['t0ps3cret'] });
    expect(known.error('no Key s3cr3t for mine, s3cr3t or t0ps3cret in /orders/7', exchange)).toBe(
      'no ******** for mine, ******** or ******** in /orders/7',
    );
  });
});
