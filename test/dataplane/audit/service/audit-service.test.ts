import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { pathText } from '../../../../contract/problem.ts';
import { noReach } from '../../../../contract/reach.ts';
import { checkConfigured } from '../../../support/gateways/configured-gateway.ts';

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

  it('does not let a tenant write files of the data plane', () => {
    const handler = { class: 'JsonAuditEventHandler', config: { name: 'a', topics: ['access'], logDirectory: '/srv' } };
    expect(problemsOf({ eventHandlers: [handler] }, noReach).join()).toContain('is for operators only');
    expect(problemsOf({ eventHandlers: [handler] })).toEqual([]);
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
