import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { pathText } from '../../../../contract/problem.ts';
import { noReach } from '../../../../contract/reach.ts';
import { topicSchemas } from '../../../../dataplane/audit/service/custom-topics.ts';
import { checkConfigured } from '../../../support/gateways/configured-gateway.ts';

beforeAll(async () => {
  await topicSchemas.load();
});

const syslog = (name: string, topics: readonly string[] = ['access']): JsonObject => ({
  class: 'SyslogAuditEventHandler',
  config: { name, topics, protocol: 'TLS', host: '127.0.0.1', port: 6514, facility: 'LOCAL0' },
});

function problemsOf(config: JsonObject, reach?: typeof noReach): string[] {
  const document = {
    handler: { type: 'StaticResponseHandler', config: { status: 200 } },
    auditService: { type: 'AuditService', config },
  };
  return checkConfigured(document, reach).map(({ path, message }) => `${pathText(path)}: ${message}`);
}

describe('the check of an AuditService', () => {
  it('accepts both spellings of the list, and classes with any package', () => {
    expect(
      problemsOf({ eventHandlers: [{ ...syslog('a'), class: 'org.forgerock.audit.SyslogAuditEventHandler' }] }),
    ).toEqual([]);
    expect(problemsOf({ 'event-handlers': [syslog('a')] })).toEqual([
      "auditService.config.event-handlers: is deprecated: use 'eventHandlers'",
    ]);
  });

  it('reports every problem at once, with its path', () => {
    const problems = problemsOf({
      config: { filterPolicies: { field: { excludeIf: ['/nosuch/a', '*'] } }, bogus: 1 },
      eventHandlers: [{ class: 'NoSuchHandler' }, { class: 'SyslogAuditEventHandler', config: { name: 'a', zz: 1 } }],
    }).join('\n');
    expect(problems).toContain('auditService.config.config.bogus: there is no field');
    expect(problems).toContain("auditService.config.eventHandlers[0].class: there is no event handler 'NoSuchHandler'");
    expect(problems).toContain("auditService.config.eventHandlers[1].config.zz: there is no field 'zz'");
    expect(problems).toContain('auditService.config.eventHandlers[1].config.topics: is required');
  });

  it('reports rules about several parts together with problems of single parts', () => {
    const problems = problemsOf({
      config: { filterPolicies: { field: { excludeIf: ['/nosuch/a'] } } },
      eventHandlers: [
        { ...syslog('a', ['nosuch']), bogus: 1 },
        { class: 'SyslogAuditEventHandler', config: { name: 'a', topics: ['other'], protocol: 'UDP', tls: {}, zz: 1 } },
        { class: 'NoSuchHandler', config: { name: 'a', topics: ['third'] } },
        {
          class: 'SplunkAuditEventHandler',
          config: { name: 'b', topics: ['access'], timeout: 1, authzToken: 't', authzTokenSecretId: 'i' },
        },
        {
          class: 'ElasticsearchAuditEventHandler',
          config: { name: 'c', topics: ['access'], zz: 1, connection: { username: 'u', passwordSecretId: 'p' } },
        },
        {
          class: 'JdbcAuditEventHandler',
          config: {
            ...{ name: 'd', topics: ['access'], databaseType: 'postgresql', zz: 1, tableMappings: [] },
            connectionPool: { jdbcUrl: 'jdbc:postgresql://db/audit', passwordSecretId: 'p' },
          },
        },
        {
          class: 'JmsAuditEventHandler',
          config: { name: 'e', topics: [], zz: 1, batch: { batchEnabled: true, capacity: 0 }, passwordSecretId: 'p' },
        },
        {
          class: 'CsvAuditEventHandler',
          config: {
            ...{ name: 'f', topics: [], logDirectory: '/tmp', zz: 1 },
            formatting: { quoteChar: ',', endOfLineSymbols: 1 },
            security: { enabled: true, zz: 1 },
          },
        },
      ],
    }).join('\n');
    for (const expected of [
      'config.filterPolicies.field.excludeIf[0]: begins with',
      "eventHandlers[0].bogus: there is no field 'bogus'",
      "eventHandlers[0].config.topics[0]: there is no topic 'nosuch'",
      "eventHandlers[1].config.zz: there is no field 'zz'",
      'eventHandlers[1].config.host: is required',
      'eventHandlers[1].config.name: is the name of another handler, number 1',
      "eventHandlers[1].config.topics[0]: there is no topic 'other'",
      "eventHandlers[2].class: there is no event handler 'NoSuchHandler'",
      'eventHandlers[2].config.name: is the name of another handler, number 2',
      "eventHandlers[2].config.topics[0]: there is no topic 'third'",
      'eventHandlers[3].config.timeout: must be a duration',
      "eventHandlers[3].config.authzTokenSecretId: 'authzToken' and 'authzTokenSecretId' cannot be given together",
      "eventHandlers[3].config.secretsProvider: is required: 'authzTokenSecretId' needs it",
      "eventHandlers[4].config.secretsProvider: is required: 'passwordSecretId' needs it",
      'eventHandlers[5].config.connectionPool.username: is required',
      "eventHandlers[5].config.secretsProvider: is required: 'passwordSecretId' needs it",
      "eventHandlers[5].config.tableMappings: has no table for the topic 'access'",
      'eventHandlers[6].config.batch.capacity: must be at least 1',
      'eventHandlers[6].config.secretsProvider: is required with a secret id',
      "eventHandlers[7].config.formatting.delimiterChar: must differ from 'quoteChar'",
      "eventHandlers[7].config.security.secretId: is required: 'enabled' needs it",
    ]) {
      expect(problems).toContain(expected);
    }
  });

  it('does not report a field as missing that is there with a problem', () => {
    const config = { name: 'a', topics: ['access'], authzTokenSecretId: 1, secretsProvider: 5 };
    const problems = problemsOf({ eventHandlers: [{ class: 'SplunkAuditEventHandler', config }] }).join('\n');
    expect(problems).toContain('authzTokenSecretId: must be');
    expect(problems).not.toContain('required');
  });

  it('rejects duplicate names, unknown topics, and pointers of unknown topics', () => {
    const problems = problemsOf({
      config: { filterPolicies: { field: { excludeIf: ['/nosuch/a', '/access/*'] } } },
      eventHandlers: [syslog('a'), syslog('a', ['access', 'nosuch'])],
    }).join('\n');
    expect(problems).toContain('auditService.config.config.filterPolicies.field.excludeIf[0]: begins with');
    expect(problems).toContain(
      'auditService.config.config.filterPolicies.field.excludeIf[1]: must not contain a wildcard',
    );
    expect(problems).toContain('auditService.config.eventHandlers[1].config.name: is the name of another handler');
    expect(problems).toContain("auditService.config.eventHandlers[1].config.topics[1]: there is no topic 'nosuch'");
  });

  it('rejects schemas that are invalid or expensive, with their path', () => {
    const topic = (schema: JsonObject): string =>
      problemsOf({ config: { topics: { orders: { schema } } }, eventHandlers: [syslog('a', ['orders'])] }).join('\n');
    const properties = { a: { type: 'string' } };
    expect(topic({ properties })).toBe('');
    expect(topic({})).toContain('topics.orders.schema.properties: is required');
    expect(topic({ properties: { a: { type: 'strin' } } })).toContain('topics.orders.schema.properties.a.type');
    expect(topic({ properties: { a: { pattern: '(a+)+\\1' } } })).toContain(
      'topics.orders.schema.properties.a.pattern',
    );
    expect(topic({ properties, $ref: 'http://other.test/' })).toContain("must begin with '#'");
    const definitions: Record<string, JsonObject> = { d0: { type: 'object' } };
    for (let at = 1; at <= 40; at++) {
      const inner = { $ref: `#/definitions/d${at - 1}` };
      definitions[`d${at}`] = { allOf: [inner, inner] };
    }
    expect(topic({ properties, definitions, allOf: [{ $ref: '#/definitions/d40' }] })).toContain('is too expensive');
  });

  it('shows what a handler class remarks about its configuration', () => {
    const handler = { name: 'a', topics: ['access'], protocol: 'UDP', host: 'logs.test', port: 514, facility: 'USER' };
    expect(problemsOf({ eventHandlers: [{ class: 'SyslogAuditEventHandler', config: handler }] })).toEqual([
      expect.stringMatching(/eventHandlers\[0\]\.config\.protocol: UDP has no encryption/),
    ]);
  });

  it('limits the size of a spool', () => {
    const spooled = (maxSize: number): string[] => {
      const { class: className, config } = syslog('a') as { class: string; config: JsonObject };
      return problemsOf({
        eventHandlers: [{ class: className, config: { ...config, spool: { directory: '/tmp/spool', maxSize } } }],
      });
    };
    expect(spooled(2 ** 40)).toEqual([]);
    expect(spooled(2 ** 40 + 1)).toEqual([
      'auditService.config.eventHandlers[0].config.spool.maxSize: must be at most 1099511627776, not 1099511627777',
    ]);
  });

  it('does not let a tenant write files of the data plane', () => {
    const handler = { class: 'JsonAuditEventHandler', config: { name: 'a', topics: ['access'], logDirectory: '/srv' } };
    expect(problemsOf({ eventHandlers: [handler] }, noReach).join()).toContain('is for operators only');
    expect(problemsOf({ eventHandlers: [handler] })).toEqual([]);
  });

  it('lets a tenant have eight handlers in a service, and operators more', () => {
    const handlers = (count: number): JsonObject => ({
      eventHandlers: Array.from({ length: count }, (_, at) => syslog(`h${at}`)),
    });
    expect(problemsOf(handlers(8), noReach)).toEqual([]);
    expect(problemsOf(handlers(9))).toEqual([]);
    expect(problemsOf(handlers(9), noReach)).toEqual([
      expect.stringContaining('auditService.config.eventHandlers: has 9 handlers: a tenant may have 8 in a service'),
    ]);
  });

  it('rejects a Kafka handler by name, with the reason', () => {
    const kafka = { class: 'org.vendor.audit.handlers.kafka.KafkaAuditEventHandler', config: {} };
    expect(problemsOf({ eventHandlers: [kafka] })).toEqual([
      'auditService.config.eventHandlers[0].class: KafkaAuditEventHandler is not supported: ' +
        'no maintained Kafka client lets the gateway check the addresses that it connects to',
    ]);
  });

  it('does not let a tenant name a directory of the data plane', () => {
    const problems = problemsOf({ config: { topicsSchemasDirectory: '/srv' }, eventHandlers: [syslog('a')] }, noReach);
    expect(problems.join('\n')).toContain('topicsSchemasDirectory: is for operators only');
  });
});
