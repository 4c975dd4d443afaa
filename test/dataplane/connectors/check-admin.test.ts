import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { type Problem, pathText } from '../../../contract/problem.ts';
import { catalogue } from '../../../dataplane/catalogue/catalogue.ts';
import { type AdminVerdict, checkAdmin } from '../../../dataplane/connectors/check-admin.ts';
import { checkDefaultObjects } from '../../../dataplane/heap/default-objects.ts';
import { documentReading } from '../../../dataplane/routes/document-reading.ts';
import { operatorReach } from '../../support/gateways/operator-reach.ts';

const reach = operatorReach({ WHO: 'me' }, {}, '/instance');

function check(document: JsonObject): AdminVerdict {
  const options = { catalogue, reading: documentReading(reach, [document], () => {}), report: (): void => {} };
  return checkAdmin(document, checkDefaultObjects(options), options);
}

function lines(problems: readonly Problem[]): string[] {
  return problems.map(({ code, severity, path }) => `${severity} ${code} ${pathText(path)}`);
}

const storage = (name: string, config: JsonObject = {}): JsonObject => ({ name, type: 'TemporaryStorage', config });

describe('admin.json', () => {
  it('has defaults', () => {
    expect(check({})).toMatchObject({
      admin: {
        settings: {
          prefix: 'openig',
          mode: 'PRODUCTION',
          streamingEnabled: false,
          preserveOriginalQueryString: false,
          pidFileMode: 'fail',
        },
        tls: [],
        storage: null,
      },
      problems: [],
    });
  });

  it('accepts every supported field', () => {
    const { admin, problems } = check({
      comment: 'ours',
      connectors: [
        { port: 8081, vertx: { maxInitialLineLength: 4096, maxTotalHeadersSize: 24576 } },
        { port: '8082', vertx: { idleTimeout: 2, idleTimeoutUnit: 'minutes', acceptBacklog: 100 } },
      ],
      gatewayUnits: '2',
      prefix: 'my/admin',
      mode: 'production',
      properties: { a: 1 },
      streamingEnabled: true,
      preserveOriginalQueryString: true,
      temporaryDirectory: '${env["WHO"]}/tmp',
      temporaryStorage: 'own',
      pidFileMode: 'OVERRIDE',
      maxBodyLength: 1024,
      heap: [storage('own', { memoryLimit: '${a}' })],
    });
    expect(problems).toEqual([]);
    expect(admin?.settings).toMatchObject({
      gatewayUnits: 2,
      prefix: 'my/admin',
      temporaryDirectory: 'me/tmp',
      pidFileMode: 'override',
      connectors: [{ port: 8081 }, { port: 8082, vertx: { idleTimeout: 2, idleTimeoutUnit: 'MINUTES' } }],
    });
    expect(admin?.storage).toMatchObject({ name: 'own', config: { memoryLimit: 1 } });
  });

  it.each<[string, JsonObject, string]>([
    ['an unknown field', { connector: [] }, 'error unknown-field connector'],
    ['a port out of range', { connectors: [{ port: 0 }] }, 'error value connectors[0].port'],
    ['no port', { connectors: [{}] }, 'error missing connectors[0].port'],
    ['no connector', { connectors: [] }, 'error value connectors'],
    ['a port twice', { connectors: [{ port: 1 }, { port: 2 }, { port: '1' }] }, 'error value connectors[2].port'],
    ['TLS that is nowhere', { connectors: [{ port: 1, tls: 'x' }] }, 'error reference connectors[0].tls'],
    ['TLS that is none', { connectors: [{ port: 1, tls: 'Clock' }] }, 'error kind connectors[0].tls'],
    ['TLS that is no reference', { connectors: [{ port: 1, tls: 1 }] }, 'error value connectors[0].tls'],
    [
      'TLS declared in place that is not sound',
      { connectors: [{ port: 1, tls: { type: 'ServerTlsOptons' } }] },
      'error unknown-type connectors[0].tls.type',
    ],
    [
      'an unknown server option',
      { connectors: [{ port: 1, vertx: { maxHeaders: 1 } }] },
      'error unknown-field connectors[0].vertx.maxHeaders',
    ],
    [
      'a server option that nothing corresponds to',
      { connectors: [{ port: 1, vertx: { tcpNoDelay: true } }] },
      'warning no-effect connectors[0].vertx.tcpNoDelay',
    ],
    ...['ssl', 'port', 'host', 'keyStoreOptions', 'trafficShapingOptions'].map((name): [string, JsonObject, string] => [
      `the server option ${name}, which something else decides on`,
      { connectors: [{ port: 1, vertx: { [name]: {} } }] },
      `error unavailable-field connectors[0].vertx.${name}`,
    ]),
    [
      'an unknown unit of time',
      { connectors: [{ port: 1, vertx: { idleTimeoutUnit: 'FORTNIGHTS' } }] },
      'error value connectors[0].vertx.idleTimeoutUnit',
    ],
    [
      'no HTTP/1.1',
      { connectors: [{ port: 1, vertx: { alpnVersions: ['HTTP_2'] } }] },
      'error value connectors[0].vertx.alpnVersions',
    ],
    [
      'an unknown setting of HTTP/2',
      { connectors: [{ port: 1, vertx: { initialSettings: { maxStreams: 1 } } }] },
      'error unknown-field connectors[0].vertx.initialSettings.maxStreams',
    ],
    ['metrics', { vertx: { metricsEnabled: true } }, 'warning no-effect vertx.metricsEnabled'],
    ['a prefix with slashes around it', { prefix: '/openig/' }, 'error value prefix'],
    ['an unknown mode', { mode: 'TEST' }, 'error value mode'],
    ['an unknown way with PID files', { pidFileMode: 'ignore' }, 'error value pidFileMode'],
    ['a protection that is no filter', { apiProtectionFilter: 'Clock' }, 'error kind apiProtectionFilter'],
    [
      'an unknown protection of metrics',
      { metricsProtectionFilter: 'none' },
      'error reference metricsProtectionFilter',
    ],
    ['an unknown protection', { apiProtectionFilter: 'none' }, 'error reference apiProtectionFilter'],
    [
      'an object with the name of a protection that is no filter',
      { heap: [{ name: 'ApiProtectionFilter', type: 'TemporaryStorage' }] },
      'error kind apiProtectionFilter',
    ],
    ['a storage that is none', { temporaryStorage: 'Clock' }, 'error kind temporaryStorage'],
    ['no length of bodies', { maxBodyLength: 0 }, 'error value maxBodyLength'],
    ['no length of bodies for the admin port', { adminMaxBodyLength: 0 }, 'error value adminMaxBodyLength'],
    ...['session', 'secrets', 'adminConnector', 'openTelemetry', 'auditService'].map(
      (field): [string, JsonObject, string] => [field, { [field]: {} }, `error unavailable-field ${field}`],
    ),
    ['an object that nothing uses', { heap: [storage('x')] }, 'warning no-effect heap[0]'],
    [
      'an object in front of the metrics that is no filter',
      { heap: [{ name: 'MetricsProtectionFilter', type: 'TemporaryStorage' }] },
      'error kind metricsProtectionFilter',
    ],
    ['an object that is not sound', { heap: [{ name: 'x', type: 'NoSuch' }] }, 'error unknown-type heap[0].type'],
    ['a heap that is none', { heap: {} }, 'error value heap'],
    ['a prototype', JSON.parse('{"heap": [{"__proto__": {}}]}') as JsonObject, 'error unknown-field heap[0].__proto__'],
  ])('is reported with %s', (_, document, line) => {
    const { admin, problems } = check(document);
    expect(lines(problems)).toContain(line);
    expect(admin === null).toBe(line.startsWith('error'));
  });

  it('has all its problems reported at once, without consequential ones', () => {
    const { problems } = check({
      prefx: 'x',
      gatewayUnits: 0,
      connectors: [{ port: 1, tls: 'kyes' }, { port: 70_000, tls: { type: 'Clock' } }, { port: 1 }],
      heap: [{ name: 'keys', type: 'TemporaryStorage', config: { memoryLimit: 0 } }],
    });
    expect(lines(problems).toSorted()).toEqual([
      'error kind connectors[1].tls',
      'error reference connectors[0].tls',
      'error unknown-field prefx',
      'error value connectors[1].port',
      'error value connectors[2].port',
      'error value gatewayUnits',
      'error value heap[0].config.memoryLimit',
    ]);
    expect(problems.map(({ hint }) => hint)).toContain("did you mean 'keys'?");
  });

  it('does not report objects as unused because of a misspelt name', () => {
    expect(lines(check({ temporaryStorage: 'onw', heap: [storage('own')] }).problems)).toEqual([
      'error reference temporaryStorage',
    ]);
  });
});

describe('connectors', () => {
  it.each([8443, '8443', '${8443}', '${8000 + 443}'])('cannot share a port, which the second writes as %j', (port) => {
    const { admin, problems } = check({ connectors: [{ port: 8443 }, { port }] });
    expect(admin).toBeNull();
    expect(problems.map(({ message }) => message).join()).toMatch(/is the port of connectors\[0\] already/);
  });

  it.each<[string, JsonObject, readonly string[]]>([
    [
      'without TLS',
      { useAlpn: false, alpnVersions: ['HTTP_1_1'], sslHandshakeTimeout: 5, http2ClearTextEnabled: false },
      ['useAlpn', 'alpnVersions', 'sslHandshakeTimeout'],
    ],
    [
      'with several sizes',
      { maxHeaderSize: 300, maxTotalHeadersSize: 400, initialSettings: { maxHeaderListSize: 500 } },
      ['maxHeaderSize', 'initialSettings.maxHeaderListSize'],
    ],
    ['with one size', { maxHeaderSize: 300 }, []],
  ])('%s get a warning for options without effect', (_case, vertx, names) => {
    const { problems } = check({ connectors: [{ port: 8080, vertx }] });
    expect(lines(problems)).toEqual(names.map((name) => `warning no-effect connectors[0].vertx.${name}`));
  });

  it('with TLS get a warning that cleartext HTTP/2 has no effect', () => {
    const keyManager = { type: 'SecretsKeyManager', config: { signingSecretId: 'a', secretsProvider: 'store' } };
    const { problems } = check({
      connectors: [{ port: 8443, tls: 'keys', vertx: { http2ClearTextEnabled: false, useAlpn: false } }],
      heap: [
        { name: 'keys', type: 'ServerTlsOptions', config: { keyManager } },
        { name: 'store', type: 'SystemAndEnvSecretStore' },
      ],
    });
    expect(lines(problems)).toEqual(['warning no-effect connectors[0].vertx.http2ClearTextEnabled']);
  });
});
