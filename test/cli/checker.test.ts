import { describe, expect, it } from 'vitest';
import { dataPlaneChecker } from '../../cli/checker.ts';
import type { JsonObject } from '../../contract/document/json-value.ts';
import { defaultConfiguration } from '../../controller/compile/default-configuration.ts';
import { operatorReach } from '../support/operator-reach.ts';

const checker = dataPlaneChecker(operatorReach({ WHO: 'me' }, {}, '/instance'));

function lines(problems: readonly { code: string; severity: string; path: readonly (string | number)[] }[]): string[] {
  return problems.map(({ code, severity, path }) => `${severity} ${code} ${path.join('.')}`);
}

describe('admin.json', () => {
  it('has defaults', () => {
    expect(checker.admin({})).toMatchObject({ settings: { prefix: 'openig', mode: 'PRODUCTION' }, problems: [] });
  });

  it('takes what it acts on', () => {
    const { settings, problems } = checker.admin({
      comment: 'ours',
      connectors: [{ port: 8081, vertx: { maxInitialLineLength: 4096, maxTotalHeadersSize: 24576 } }],
      gatewayUnits: '2',
      prefix: 'my/admin',
      mode: 'production',
      properties: { a: 1 },
      streamingEnabled: true,
      preserveOriginalQueryString: true,
      temporaryDirectory: '${env["WHO"]}/tmp',
      maxBodyLength: 1024,
    });
    expect(problems).toEqual([]);
    expect(settings).toMatchObject({ gatewayUnits: 2, prefix: 'my/admin', temporaryDirectory: 'me/tmp' });
    expect(settings?.connectors?.[0]).toMatchObject({ port: 8081, vertx: { maxTotalHeadersSize: 24576 } });
  });

  it.each<[string, JsonObject, string]>([
    ['an unknown field', { connector: [] }, 'error unknown-field connector'],
    ['a port out of range', { connectors: [{ port: 0 }] }, 'error value connectors.0.port'],
    ['no connector', { connectors: [] }, 'error value connectors'],
    ['two connectors', { connectors: [{ port: 1 }, { port: 2 }] }, 'error unavailable-field connectors.1'],
    ['TLS', { connectors: [{ port: 1, tls: 'x' }] }, 'error unavailable-field connectors.0.tls'],
    [
      'an unknown server option',
      { connectors: [{ port: 1, vertx: { maxHeaders: 1 } }] },
      'error unknown-field connectors.0.vertx.maxHeaders',
    ],
    [
      'a server option that nothing corresponds to',
      { connectors: [{ port: 1, vertx: { tcpNoDelay: true } }] },
      'warning no-effect connectors.0.vertx.tcpNoDelay',
    ],
    ['metrics', { vertx: { metricsEnabled: true } }, 'warning no-effect vertx.metricsEnabled'],
    ['a prefix with slashes around it', { prefix: '/openig/' }, 'error value prefix'],
    ['another mode', { mode: 'DEVELOPMENT' }, 'warning no-effect mode'],
    ['an unknown mode', { mode: 'TEST' }, 'error value mode'],
    ['no streaming', { streamingEnabled: false }, 'warning no-effect streamingEnabled'],
    ['queries encoded anew', { preserveOriginalQueryString: false }, 'warning no-effect preserveOriginalQueryString'],
    ['a PID file', { pidFileMode: 'override' }, 'warning no-effect pidFileMode'],
    ['a storage', { temporaryStorage: 'TemporaryStorage' }, 'warning no-effect temporaryStorage'],
    ['a limit of the admin port', { adminMaxBodyLength: 1 }, 'warning no-effect adminMaxBodyLength'],
    ...['session', 'secrets', 'adminConnector', 'openTelemetry', 'auditService', 'apiProtectionFilter'].map(
      (field): [string, JsonObject, string] => [field, { [field]: {} }, `error unavailable-field ${field}`],
    ),
    [
      'an object that nothing uses',
      { heap: [{ name: 'x', type: 'StaticResponseHandler', config: { status: 200 } }] },
      'warning no-effect heap.0',
    ],
    [
      'an object in front of the metrics',
      { heap: [{ name: 'MetricsProtectionFilter', type: 'HeaderFilter', config: { messageType: 'REQUEST' } }] },
      'error unavailable-field heap.0',
    ],
    ['an object that is not sound', { heap: [{ name: 'x', type: 'NoSuch' }] }, 'error unknown-type heap.0.type'],
  ])('%s', (_, document, line) => {
    const { settings, problems } = checker.admin(document);
    expect(lines(problems)).toContain(line);
    expect(settings === null).toBe(line.startsWith('error'));
  });
});

describe('config.json and routes', () => {
  it('are judged with the catalogue of the data plane', () => {
    const judgement = checker.base(defaultConfiguration);
    expect(judgement.problems).toEqual([]);
    expect(judgement.routers).toMatchObject([
      { name: 'gateway._router', directory: null, scanInterval: 10_000, hasDefaultHandler: true },
    ]);
  });

  it('show the routers that they declare, wherever those are', () => {
    const router = (name: string | null): JsonObject => ({
      ...(name === null ? {} : { name }),
      type: 'Router',
      config: { directory: `\${env['WHO']}/${name}`, scanInterval: 'disabled' },
    });
    const { routers } = checker.base({
      heap: [router('a'), { name: 'b', type: 'Chain', config: { filters: [], handler: router('c') } }],
      handler: { type: 'Chain', config: { filters: [], handler: router(null) } },
    });
    expect(routers.map(({ name, directory, scanInterval }) => [name, directory, scanInterval])).toEqual([
      ['gateway.a', 'me/a', 0],
      ['gateway.c', 'me/c', 0],
      ['gateway.{Router}/handler/config/handler', 'me/null', 0],
    ]);
  });

  it('see the objects and properties around them', () => {
    const base = {
      properties: { status: 418 },
      heap: [
        { name: '_router', type: 'Router' },
        { name: 'teapot', type: 'StaticResponseHandler', config: { status: '${status}' } },
      ],
    };
    const [router] = checker.base(base).routers;
    expect(router?.route({ handler: 'teapot' }, 'a')).toMatchObject({ sound: true, problems: [] });
    expect(router?.route({ handler: 'teapt' }, 'b')).toMatchObject({
      sound: false,
      conditionIsReadable: true,
      problems: [{ code: 'reference', hint: "did you mean 'teapot'?" }],
    });
    expect(router?.route({ handler: 'teapot', condition: '${' }, 'c')).toMatchObject({ conditionIsReadable: false });
  });

  it('may compute their properties', () => {
    const constants = new Map([['list', ['a', 'b']]]);
    expect(checker.evaluate('${list[1]}', constants)).toBe('b');
    expect(checker.evaluate('${env["WHO"]}', constants)).toBe('me');
    expect(checker.evaluate('${list}', constants)).toEqual(['a', 'b']);
    expect(() => checker.evaluate('${request.method}', constants)).toThrow(/before any request/);
    expect(() => checker.evaluate('${later}', constants)).toThrow("'later' is not known here");
  });
});
