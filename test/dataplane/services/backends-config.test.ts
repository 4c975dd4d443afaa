import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { endpointsAt, inTurn, sendingTo } from '../../support/backends/endpoint-apps.ts';
import { checkConfigured } from '../../support/gateways/configured-gateway.ts';
import { problemsOf } from '../../support/gateways/served.ts';
import { startTenants, TENANT } from '../../support/gateways/tenant-gateway.ts';

describe('configurations', () => {
  const of = (config: JsonObject): string[] => problemsOf(sendingTo({ type: 'Backends', config }));
  const where = 'handler.config.backends.config';

  it('show all their problems at once', () => {
    const endpoints = [
      { uri: 'ftp://a' },
      { uri: 'http://a:1/path' },
      { uri: 'http://user:secret@a:1' },
      { uri: 'http://a:1', weight: -1 },
      { uri: 'a' },
      {},
    ];
    expect(
      of({
        endpoints,
        balancing: 'random',
        slowStart: 'soon',
        serverName: 'a b',
        affinityCookie: { sameSite: 'NONE' },
      }),
    ).toMatchInlineSnapshot(`
      [
        "value handler.config.backends.config.endpoints[0].uri: must have the scheme http or https, not ftp",
        "value handler.config.backends.config.endpoints[1].uri: must end after the host and port: the path and query of requests stay as they are",
        "value handler.config.backends.config.endpoints[2].uri: must not have credentials",
        "value handler.config.backends.config.endpoints[3].weight: must be at least 0, not -1",
        "value handler.config.backends.config.endpoints[4].uri: is not an absolute URL: 'a'",
        "missing handler.config.backends.config.endpoints[5].uri: is required",
        "value handler.config.backends.config.serverName: is not a host name",
        "value handler.config.backends.config.balancing: must be one of leastRequests, roundRobin, hash, not 'random'",
        "value handler.config.backends.config.affinityCookie.secure: must be true where 'sameSite' is NONE: browsers drop the cookie otherwise",
        "duration handler.config.backends.config.slowStart: must have a number before 'soon'",
      ]
    `);
  });

  it.each([
    ['maglev', /^'hash' sends requests with the same 'hashKey'/],
    ['RING_HASH', /^'hash' /],
    ['ip_hash', /^'hash' /],
    ['random', /^'leastRequests' /],
    ['LEAST_REQUEST', /^'leastRequests' /],
    ['least_conn', /^'leastRequests' /],
    ['ROUND_ROBIN', /^write 'roundRobin'$/],
    ['wrr', /^'roundRobin' heeds weights$/],
    ['cookie', /^'affinityCookie' keeps clients/],
  ])('name what comes closest to the method %s of another gateway', (balancing, hint) => {
    const config = { endpoints: endpointsAt(1), balancing };
    const problems = checkConfigured({ handler: sendingTo({ type: 'Backends', config }) });
    expect(problems).toMatchObject([{ severity: 'error', hint: expect.stringMatching(hint) }]);
  });

  it('have no hint for a method that nobody knows', () => {
    const config = { endpoints: endpointsAt(1), balancing: 'best' };
    expect(checkConfigured({ handler: sendingTo({ type: 'Backends', config }) })[0]).not.toHaveProperty('hint');
  });

  it.each([
    [{}, [`missing ${where}: one of 'endpoints', 'dns' and 'service' is required`]],
    [{ endpoints: [] }, [`value ${where}.endpoints: must have at least 1 entry`]],
    [
      { endpoints: endpointsAt(1), dns: { uri: 'http://a' } },
      [`exclusive ${where}.dns: 'endpoints' and 'dns' cannot be given together`],
    ],
    [
      { endpoints: endpointsAt(1), balancing: 'hash', hashKey: 'X-User' },
      [`value ${where}.hashKey: is the same text for every request, so that all of them would go to one place`],
    ],
    [{ endpoints: endpointsAt(1), balancing: 'hash' }, [`missing ${where}.hashKey: is required: 'hash' needs it`]],
    [{ endpoints: endpointsAt(1), hashKey: 'x' }, [`value ${where}.hashKey: has no effect with 'leastRequests'`]],
    [
      { endpoints: endpointsAt(1), balancing: 'hash', hashKey: '${request.method}', slowStart: '1 s' },
      [`value ${where}.slowStart: has no effect with 'hash'`],
    ],
    [
      { endpoints: endpointsAt(1), balancing: 'hash', hashKey: '${request.method}', affinityCookie: {} },
      [`exclusive ${where}.affinityCookie: 'hashKey' and 'affinityCookie' cannot be given together`],
    ],
    [
      { endpoints: [{ uri: 'http://A:80' }, { uri: 'http://a' }] },
      [`value ${where}.endpoints[1].uri: is there twice: a:80`],
    ],
    [
      {
        endpoints: [
          { uri: 'http://a', name: 'x' },
          { uri: 'http://b', name: 'x' },
        ],
        affinityCookie: {},
      },
      [`value ${where}.endpoints[1].name: is there twice: x`],
    ],
    [
      { endpoints: [{ uri: 'http://a', name: 'x' }] },
      [`value ${where}.endpoints[0].name: has no effect without 'affinityCookie'`],
    ],
    [
      { endpoints: [{ uri: 'http://a', weight: 0 }] },
      [`value ${where}.endpoints: must have an endpoint of a weight over 0`],
    ],
    [
      { endpoints: endpointsAt(1), passiveHealth: { consecutiveFailures: 0, maxEjected: 101, failureStatuses: [200] } },
      [
        `value ${where}.passiveHealth.consecutiveFailures: must be at least 1, not 0`,
        `value ${where}.passiveHealth.failureStatuses[0]: must be at least 400, not 200`,
        `value ${where}.passiveHealth.maxEjected: must be at most 100, not 101`,
      ],
    ],
    [
      { endpoints: endpointsAt(1), panicThreshold: 40, passiveHealth: { enabled: false } },
      [`value ${where}.panicThreshold: has no effect: 'passiveHealth' is switched off, and there is no 'activeHealth'`],
    ],
    [{ endpoints: endpointsAt(1), panicThreshold: 0 }, [`value ${where}.panicThreshold: must be at least 1, not 0`]],
    [
      { endpoints: endpointsAt(1), activeHealth: { protocol: 'tcp', path: '/', service: 'a', interval: '10 ms' } },
      [
        `duration ${where}.activeHealth.interval: must be at least 100 ms`,
        `value ${where}.activeHealth.path: has no effect with 'tcp'`,
        `value ${where}.activeHealth.service: has no effect with 'tcp'`,
      ],
    ],
    [
      { endpoints: endpointsAt(1), activeHealth: { path: 'ready', host: 'a b', expectedStatuses: [] } },
      [
        `value ${where}.activeHealth.path: is not a path`,
        `value ${where}.activeHealth.host: is not a host`,
        `value ${where}.activeHealth.expectedStatuses: must have at least 1 entry`,
      ],
    ],
    [
      { endpoints: endpointsAt(1), passiveHealth: { ejectionTime: '10 minutes' } },
      [
        `duration ${where}.passiveHealth.maxEjectionTime: must be at least as long as 'ejectionTime', which would have no effect`,
      ],
    ],
    [
      { endpoints: endpointsAt(1), serverName: 'shop', activeHealth: { tls: { type: 'ClientTlsOptions' } } },
      [
        `value ${where}.serverName: has no effect: there is no 'https' endpoint`,
        `value ${where}.activeHealth.tls: has no effect: there is no 'https' endpoint`,
      ],
    ],
    [
      { dns: { uri: 'http://a' }, serverName: 'shop' },
      [`value ${where}.serverName: has no effect: there is no 'https' endpoint`],
    ],
    [
      {
        endpoints: [{ uri: 'https://a' }],
        activeHealth: { protocol: 'tcp', tls: { type: 'ClientTlsOptions' } },
      },
      [`value ${where}.activeHealth.tls: has no effect with 'tcp'`],
    ],
    [
      { endpoints: [{ uri: 'http://[fe80::1%25eth0]:80' }] },
      [`value ${where}.endpoints[0].uri: is not an absolute URL: 'http://[fe80::1%25eth0]:80'`],
    ],
    [{ dns: { uri: 'http://a', interval: '2 hours' } }, [`duration ${where}.dns.interval: must be at most 1 hour`]],
  ])('%j', (config, problems) => {
    expect(of(config)).toEqual(problems);
  });

  const both = "a baseURI and 'backends' of the ReverseProxyHandler cannot be given together";

  it('with a baseURI on the handler are rejected', () => {
    const handler = { ...sendingTo(inTurn(endpointsAt(1))), baseURI: 'http://a' };
    expect(problemsOf(handler)).toEqual([`exclusive handler: ${both}`]);
  });

  it('with a baseURI on the binding of the handler are rejected', () => {
    const bindings = [{ handler: sendingTo(inTurn(endpointsAt(1))), baseURI: 'http://a' }];
    expect(problemsOf({ type: 'DispatchHandler', config: { bindings } })).toEqual([
      `exclusive handler.config.bindings[0].handler: ${both}`,
    ]);
  });

  it('with a baseURI on a chain before the handler are accepted, because other handlers may need it', () => {
    const chain = {
      type: 'Chain',
      config: { filters: [], handler: sendingTo(inTurn(endpointsAt(1))) },
      baseURI: 'http://a',
    };
    expect(problemsOf(chain)).toEqual([]);
  });

  it('with forwardProxy are rejected', () => {
    expect(problemsOf(sendingTo(inTurn(endpointsAt(1)), { forwardProxy: true }))).toEqual([
      "exclusive handler.config.forwardProxy: cannot be true: 'backends' says where requests go",
    ]);
  });

  it('need no baseURI', async () => {
    const document = { handler: sendingTo(inTurn(endpointsAt(1))) };
    const gateway = await startTenants({ shop: { tenant: TENANT, document } });
    expect(gateway.problems).toEqual([]);
  });
});
