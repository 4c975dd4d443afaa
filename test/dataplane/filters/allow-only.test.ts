import { describe, expect, it } from 'vitest';
import { checkConfigured } from '../../support/gateways/configured-gateway.ts';
import { type AskOptions, problemsOf, startFiltered } from '../../support/gateways/filtered-gateway.ts';

interface Asked extends AskOptions {
  readonly target?: string;
}

async function allows(rules: object[], asked: Asked = {}, more: object = {}): Promise<number> {
  const filter = JSON.parse(JSON.stringify({ type: 'AllowOnlyFilter', config: { rules, ...more } }));
  const { ask, seen } = await startFiltered([filter], undefined, { trustedProxies: ['127.0.0.1'] });
  const { status, body } = await ask(asked.target ?? '/orders/1?entity=x', asked);
  expect(seen).toHaveLength(status === 200 ? 1 : 0);
  if (status === 403) expect(body).toBe('');
  return status;
}

const from = (...list: string[]) => ({ from: [{ ip: { list } }] });
const to = (...destination: object[]) => ({ destination });

describe('AllowOnlyFilter', () => {
  it.each([
    [true, [from('127.0.0.1')]],
    [true, [from('10.0.0.0/8', '127.0.0.0/8')]],
    [true, [from('127.0.0.1-127.0.0.9')]],
    [true, [from('[126.0.0.0 - 127.0.0.1]')]],
    [true, [from('0.0.0.0/0')]],
    [false, [from('127.0.0.2')]],
    [false, [from('127.0.0.2-127.0.0.9')]],
    [false, [from('::1', '::/0')]],
    [true, [from('10.0.0.1'), from('127.0.0.1')]],
    [true, [{ from: [{ ip: { list: ['10.0.0.1'] } }, { ip: { list: ['127.0.0.1'] } }] }]],
  ])('%s for the client 127.0.0.1 and %j', async (allowed, rules) => {
    expect(await allows(rules)).toBe(allowed ? 200 : 403);
  });

  it.each([
    ['198.51.100.7', from('198.51.100.0/24'), 200],
    ['198.51.100.7', from('127.0.0.1'), 403],
    ['2001:db8::5', from('2001:db8::/32'), 200],
    ['2001:db8::5', from('2001:db8::1-2001:db8::4'), 403],
    ['::ffff:198.51.100.7', from('198.51.100.7'), 200],
    ['nobody', from('0.0.0.0/0', '::/0'), 403],
  ])('uses %s as the client if a trusted proxy reports it: %j', async (client, rule, status) => {
    expect(await allows([rule], { headers: [`X-Forwarded-For: ${client}`] })).toBe(status);
  });

  it.each<[boolean, object, Asked]>([
    [true, to({ methods: ['GET'] }), {}],
    [false, to({ methods: ['get', 'POST'] }), {}],
    [true, to({ paths: ['/orders/\\d+'] }), {}],
    [false, to({ paths: ['/orders'] }), {}],
    [false, to({ paths: ['rders/1'] }), {}],
    [true, to({ paths: ['/a b'] }), { target: '/a%20b' }],
    [true, to({ hosts: ['gw\\.test'] }), {}],
    [true, to({ hosts: ['gw\\.test'] }), { host: 'GW.Test' }],
    [true, to({ hosts: ['GW.Test'] }), { host: 'GW.Test' }],
    [false, to({ hosts: ['w.test'] }), {}],
    [true, to({ ports: [80] }), {}],
    [true, to({ ports: ['443', '8080-8090'] }), { host: 'gw.test:8090' }],
    [false, to({ ports: ['8080-8089'] }), { host: 'gw.test:8090' }],
    [false, to({ methods: ['GET'], paths: ['/x'] }), {}],
    [true, to({ methods: ['PUT'] }, { methods: ['GET'], paths: ['/orders/.*'] }), {}],
    [true, to({ when: '${request.method == "GET"}' }), {}],
    [false, to({ methods: ['GET'], when: '${nosuch}' }), {}],
    [true, { when: "${request.headers['X-Pass'][0] == 'yes'}" }, { headers: ['X-Pass: yes'] }],
    [false, { when: "${request.headers['X-Pass'][0] == 'yes'}" }, {}],
    [false, { when: '${nosuch}' }, {}],
    [false, { ...from('127.0.0.1'), ...to({ methods: ['POST'] }) }, {}],
    [false, { ...from('10.0.0.1'), ...to({ methods: ['GET'] }) }, {}],
    [false, { ...from('127.0.0.1'), ...to({ methods: ['GET'] }), when: false }, {}],
    [true, { ...from('127.0.0.1'), ...to({ methods: ['GET'] }), when: true }, {}],
  ])('%s for %j and %j', async (allowed, rule, asked) => {
    expect(await allows([rule], asked)).toBe(allowed ? 200 : 403);
  });

  it('sends rejected requests to the failure handler', async () => {
    const failureHandler = { type: 'StaticResponseHandler', config: { status: 418 } };
    expect(await allows([from('10.0.0.1')], {}, { failureHandler })).toBe(418);
  });

  it('logs the name of the rule that allows a request', async () => {
    const rules = [from('10.0.0.1'), { name: 'home', ...from('127.0.0.1') }];
    const { ask, logged } = await startFiltered([
      JSON.parse(JSON.stringify({ type: 'AllowOnlyFilter', config: { rules } })),
    ]);
    await ask('/');
    expect(logged.map(({ rule }) => rule)).toContain('home');
  });

  it.each([
    [{}, ['missing rules: is required']],
    [{ rules: [] }, ['value rules: must have at least 1 entry']],
    [{ rules: [{ name: 'x' }] }, ["missing rules[0]: one of 'from', 'destination' and 'when' is required"]],
    [{ rules: [{ from: [] }] }, ['value rules[0].from: must have at least 1 entry']],
    [{ rules: [{ from: [{}] }] }, ["missing rules[0].from[0]: one of 'ip' and 'certificate' is required"]],
    [
      { rules: [from('10.0.0.0/33')] },
      ["value rules[0].from[0].ip.list[0]: is not an IP address, a network or a range: '10.0.0.0/33'"],
    ],
    [
      { rules: [from('10.0.0.9-10.0.0.1')] },
      ["value rules[0].from[0].ip.list[0]: is not an IP address, a network or a range: '10.0.0.9-10.0.0.1'"],
    ],
    [
      { rules: [from('localhost')] },
      ["value rules[0].from[0].ip.list[0]: is not an IP address, a network or a range: 'localhost'"],
    ],
    [
      { rules: [{ from: [{ certificate: { subjectDNs: [] } }] }] },
      ['value rules[0].from[0].certificate.subjectDNs: must have at least 1 entry'],
    ],
    [
      { rules: [to({})] },
      ["missing rules[0].destination[0]: one of 'hosts', 'ports', 'methods', 'paths' and 'when' is required"],
    ],
    [
      { rules: [to({ ports: ['90-80'] })] },
      ["value rules[0].destination[0].ports[0]: is not a port or a range of ports: '90-80'"],
    ],
    [
      { rules: [to({ ports: [70_000] })] },
      ['value rules[0].destination[0].ports[0]: is not a port or a range of ports: 70000'],
    ],
    [{ rules: [to({ paths: ['('] })] }, [expect.stringMatching(/^pattern rules\[0\]\.destination\[0\]\.paths\[0\]: /)]],
  ])('refuses %j', (config, problems) => {
    expect(problemsOf('AllowOnlyFilter', JSON.parse(JSON.stringify(config)))).toEqual(problems);
  });

  it('ignores comments', () => {
    const rules = [{ comment: 'x', ...from('127.0.0.1') }];
    const filters = [{ type: 'AllowOnlyFilter', config: { rules } }];
    const handler = { type: 'Chain', config: { filters, handler: 'ReverseProxyHandler' } };
    expect(checkConfigured(JSON.parse(JSON.stringify({ handler })))).toEqual([]);
  });
});
