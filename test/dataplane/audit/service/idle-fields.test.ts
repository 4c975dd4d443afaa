import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { pathText } from '../../../../contract/problem.ts';
import { topicSchemas } from '../../../../dataplane/audit/service/custom-topics.ts';
import { checkConfigured } from '../../../support/gateways/configured-gateway.ts';

beforeAll(async () => {
  await topicSchemas.load();
});

/** What is said about a service: code, path from its configuration on, and message. */
function problemsOf(config: JsonObject, handlers: readonly JsonObject[] = []): string[] {
  const document = {
    handler: { type: 'StaticResponseHandler', config: { status: 200 } },
    auditService: { type: 'AuditService', config: { config, eventHandlers: [...handlers] } },
  };
  return checkConfigured(document).map(
    ({ code, severity, path, message }) =>
      `${severity} ${code} ${pathText(path).replace('auditService.config.', '')}: ${message}`,
  );
}

/** The same about one handler, from its configuration on, without warnings of another kind. */
function handlerProblems(className: string, config: JsonObject): string[] {
  return problemsOf({}, [{ class: className, config: { name: 'a', topics: ['access'], ...config } }])
    .filter((text) => !text.includes(' insecure '))
    .map((text) => text.replace('eventHandlers[0].config.', ''));
}

const policies = (list: string, ...pointers: string[]) => ({ filterPolicies: { field: { [list]: pointers } } });
const orders = (schema: JsonObject, more: JsonObject = {}) => ({ topics: { orders: { schema, ...more } } });
const properties = {
  email: { type: 'string' },
  buyer: { type: 'object', properties: { phone: { type: 'string' } }, additionalProperties: false },
  open: { type: 'object', properties: { phone: { type: 'string' } } },
};

describe('a pointer of excludeIf to a field that no event has is an error', () => {
  it.each([
    ['/access/htp/request/cookies', "'htp' there; did you mean 'http'?"],
    ['/access/http/request/cookie', "'cookie' there; did you mean 'cookies'?"],
    ['access/userId/name', "'name' there"],
    ['/access/userid', "'userid' there; did you mean 'userId'?"],
  ])('%s', (pointer, why) => {
    expect(problemsOf(policies('excludeIf', '/access/userId', pointer))).toEqual([
      `error value config.filterPolicies.field.excludeIf[1]: protects nothing: events of the topic 'access' have no field ${why}`,
    ]);
  });

  it('also one of `value`, and of a custom topic', () => {
    const filterPolicies = { value: { excludeIf: ['/access/nothing', '/orders/emial', '/orders/buyer/fone'] } };
    expect(problemsOf({ ...orders({ properties }), filterPolicies }).map((text) => text.split(': ')[0])).toEqual([
      'error value config.filterPolicies.value.excludeIf[0]',
      'error value config.filterPolicies.value.excludeIf[1]',
      'error value config.filterPolicies.value.excludeIf[2]',
    ]);
  });

  it('also one in the policies of a custom topic', () => {
    const filterPolicies = { field: { excludeIf: ['emial', '/email', '*'] } };
    expect(problemsOf(orders({ properties }, { filterPolicies })).map((text) => text.split(': ')[0])).toEqual([
      'error value config.topics.orders.filterPolicies.field.excludeIf[2]',
      'error value config.topics.orders.filterPolicies.field.excludeIf[0]',
    ]);
  });

  it('but for fields that the schema does not name and policies include', () => {
    const own = { field: { includeIf: ['other'], excludeIf: ['other/secret', 'open/other'] } };
    const filterPolicies = { field: { includeIf: ['/orders/third'], excludeIf: ['/orders/third/secret'] } };
    expect(problemsOf({ ...orders({ properties }, { filterPolicies: own }), filterPolicies })).toEqual([]);
  });

  it.each([
    '/access/http/request/cookies/any',
    '/access/http/request/headers/Any/0',
    '/access/response/detail/any',
    '/access/decision/verdicts',
    '/access/ig/routeId',
    '/access/trackingIds/0',
    '/access/_id',
  ])('but not %s', (pointer) => {
    expect(problemsOf(policies('excludeIf', pointer))).toEqual([]);
  });

  it('but not in other capitals where caseInsensitiveFields has the object around it', () => {
    const caseInsensitiveFields = ['/access/http'];
    expect(problemsOf({ ...policies('excludeIf', '/access/http/Request/method'), caseInsensitiveFields })).toEqual([]);
    expect(problemsOf({ ...policies('excludeIf', '/access/Http/request'), caseInsensitiveFields })).toHaveLength(1);
  });
});

describe('a warning says that it has no effect', () => {
  it('to include or compare a field that no event has', () => {
    expect(
      problemsOf({ ...policies('includeIf', '/access/nothing/here'), caseInsensitiveFields: ['/access/htp'] }),
    ).toEqual([
      "warning no-effect config.filterPolicies.field.includeIf[0]: has no effect: events of the topic 'access' have no field 'nothing' there",
      "warning no-effect config.caseInsensitiveFields[0]: has no effect: events of the topic 'access' have no field 'htp' there; did you mean 'http'?",
    ]);
  });

  it('to name a topic that the gateway does not emit', () => {
    expect(problemsOf(policies('excludeIf', '/activity/before'))).toEqual([
      "warning no-effect config.filterPolicies.field.excludeIf[0]: has no effect: the gateway emits no events of the topic 'activity'",
    ]);
  });

  it('to give a secret to CSV files that are not tamper-evident', () => {
    const secretsProvider = { type: 'SystemAndEnvSecretStore', config: { format: 'PLAIN' } };
    const security = { secretId: 'audit.key', secretsProvider };
    const message = "has no effect: 'enabled' is not true, so the files are not tamper-evident";
    expect(handlerProblems('CsvAuditEventHandler', { logDirectory: '/var/log/gw', security })).toEqual([
      `warning no-effect security.secretId: ${message}`,
      `warning no-effect security.secretsProvider: ${message}`,
    ]);
    expect(
      handlerProblems('CsvAuditEventHandler', {
        logDirectory: '/var/log/gw',
        security: { ...security, enabled: true },
      }),
    ).toEqual([]);
  });

  const tls = { type: 'ClientTlsOptions', config: {} };
  const database = (jdbcUrl: string, mapping: JsonObject = {}) => ({
    databaseType: 'postgresql',
    tableMappings: [{ event: 'access', table: 'access', fieldToColumn: { _id: 'id' }, ...mapping }],
    connectionPool: { jdbcUrl, username: 'gw' },
  });

  it('to give TLS options for a server without TLS', () => {
    const noSsl = ["warning no-effect tls: has no effect: 'connection.useSSL' is not true"];
    const search = 'ElasticsearchAuditEventHandler';
    expect(handlerProblems('SplunkAuditEventHandler', { tls, authzToken: 't' })).toEqual(noSsl);
    expect(handlerProblems(search, { tls })).toEqual(noSsl);
    expect(handlerProblems('SplunkAuditEventHandler', { tls, authzToken: 't', connection: { useSSL: true } })).toEqual(
      [],
    );
    expect(handlerProblems(search, { tls, connection: { useSSL: true } })).toEqual([]);
    const url = 'jdbc:postgresql://db.test/audit';
    expect(handlerProblems('JdbcAuditEventHandler', { tls, ...database(url) })).toEqual([
      "warning no-effect tls: has no effect: the URL has neither 'ssl=true' nor an 'sslmode' with TLS",
    ]);
    expect(handlerProblems('JdbcAuditEventHandler', { tls, ...database(`${url}?sslmode=require`) })).toEqual([]);
  });

  it('to give a provider of secrets without the id of one', () => {
    const secretsProvider = { type: 'SystemAndEnvSecretStore', config: { format: 'PLAIN' } };
    const message = ['warning no-effect secretsProvider: has no effect without a secret id'];
    expect(handlerProblems('SplunkAuditEventHandler', { secretsProvider, authzToken: 't' })).toEqual(message);
    expect(handlerProblems('ElasticsearchAuditEventHandler', { secretsProvider })).toEqual(message);
    const url = 'jdbc:postgresql://db.test/audit?sslmode=require';
    expect(handlerProblems('JdbcAuditEventHandler', { secretsProvider, ...database(url) })).toEqual(message);
  });

  it('to map topics that the handler does not get, and fields that no event has', () => {
    const severities = { valueMappings: { FAILED: 'WARNING' } };
    const severityFieldMappings = [
      { topic: 'acess', field: '/response/status', ...severities },
      { topic: 'access', field: 'respons.status', ...severities },
      { topic: 'access', field: 'response.status', ...severities },
    ];
    const server = { protocol: 'TLS', host: 'logs.test', port: 6514, facility: 'LOCAL0' };
    expect(handlerProblems('SyslogAuditEventHandler', { ...server, severityFieldMappings })).toEqual([
      "warning no-effect severityFieldMappings[0].topic: has no effect: 'acess' is not in the 'topics' of the handler",
      "warning no-effect severityFieldMappings[1].field: has no effect: events of the topic 'access' have no field 'respons' there; did you mean 'response'?",
    ]);
    const { tableMappings, ...rest } = database('jdbc:postgresql://db.test/audit?sslmode=require', {
      fieldToColumn: { _id: 'id', 'respons/status': 'status', 'http/request/headers/host': 'host' },
    });
    const other = { event: 'orders', table: 'orders', fieldToColumn: { _id: 'id', any: 'any' } };
    expect(handlerProblems('JdbcAuditEventHandler', { ...rest, tableMappings: [...tableMappings, other] })).toEqual([
      'warning no-effect tableMappings[0].fieldToColumn["respons/status"]: has no effect: events of the topic ' +
        "'access' have no field 'respons' there; did you mean 'response'?",
      "warning no-effect tableMappings[1].event: has no effect: 'orders' is not in the 'topics' of the handler",
    ]);
  });
});

describe('the host of a server', () => {
  const message = 'must be a host name or an address, without a scheme, a path and a port';
  const syslog = { protocol: 'TLS', port: 6514, facility: 'LOCAL0' };

  it.each(['https://splunk.test', 'splunk.test/services', 'splunk.test:8088', 'ada@splunk.test'])(
    'cannot be %s',
    (host) => {
      const found = [
        ...handlerProblems('SplunkAuditEventHandler', { authzToken: 't', connection: { host } }),
        ...handlerProblems('ElasticsearchAuditEventHandler', { connection: { host } }),
        ...handlerProblems('SyslogAuditEventHandler', { ...syslog, host }),
      ];
      expect(found).toHaveLength(3);
      for (const problem of found) expect(problem).toContain(message);
    },
  );

  it.each(['splunk.test', '192.0.2.1', '2001:db8::1', '::1', 'localhost'])('can be %s', (host) => {
    expect(handlerProblems('SyslogAuditEventHandler', { ...syslog, host })).toEqual([]);
  });
});
