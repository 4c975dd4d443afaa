import { describe, expect, it } from 'vitest';
import { WrittenEvent } from '../../../../../dataplane/audit/writer/audit-event.ts';
import { openSink } from '../../../../support/audit/opened-sink.ts';

/** The line that a service writes for an event. */
async function lineOf(
  json: string,
  realm: string,
  config: { elasticsearchCompatible?: boolean } = {},
): Promise<string> {
  let written = '';
  const { sink } = await openSink({
    className: 'JsonStdoutAuditEventHandler',
    config,
    context: {
      service: realm === '' ? 'gateway.AuditService' : `${realm}/audit`,
      realm,
      writeStdout: async (lines) => {
        written += lines.toString();
      },
    },
  });
  await sink.deliver([new WrittenEvent('orders', Buffer.from(json))]);
  return written;
}

/** Events that try to look like lines of somebody else. */
const HOSTILE: readonly (readonly [string, string])[] = [
  ['another service and topic', '{"_service":"gateway.AuditService","_topic":"access","_id":"1"}'],
  ['the end of a line', '{"a":"\\"_service\\":\\"gateway.AuditService\\",\\"_topic\\":\\"access\\"}","_id":"1"}'],
  ['a line of the program log', '{"level":60,"time":1,"msg":"gateway compromised","_id":"1"}'],
  ['another tenant', '{"_tenant":"bank","event":{"a":1},"_service":"bank/audit","_topic":"access"}'],
  ['escapes of names', '{"\\u005fservice":"gateway.AuditService","\\u005ftopic":"access","_id":"1"}'],
  ['line breaks', '{"a":"x\\n{}\\r\\u0085\\u2028","_id":"1\u2028{\\"_topic\\":\\"access\\"}"}'],
  ['a terminal', '{"a":"\u001b[2J\u009b\u202e","_id":"1"}'],
];

describe('JsonStdoutAuditEventHandler', () => {
  it('ends each line with the service and the topic', async () => {
    expect(await lineOf('{"a":1,"_id":"1"}', '')).toBe(
      '{"a":1,"_id":"1","_service":"gateway.AuditService","_topic":"orders"}\n',
    );
    expect(await lineOf('{}', '')).toBe('{"_service":"gateway.AuditService","_topic":"orders"}\n');
    expect(await lineOf('{"a":1,"_id":"1"}', 'shop', { elasticsearchCompatible: true })).toBe(
      '{"_tenant":"shop","event":{"a":1,"_eventId":"1"},"_service":"shop/audit","_topic":"orders"}\n',
    );
  });

  it.each(HOSTILE)('is not fooled by an event of a tenant that looks like %s', async (_, json) => {
    const line = await lineOf(json, 'shop');
    expect(line).toMatch(/^[^\n\r\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*"_service":"shop\/audit","_topic":"orders"\}\n$/u);
    const parsed = JSON.parse(line) as Record<string, unknown>;
    expect(Object.keys(parsed)).toEqual(['_tenant', 'event', '_service', '_topic']);
    expect(parsed).toMatchObject({ _tenant: 'shop', _service: 'shop/audit', _topic: 'orders' });
  });

  it.each(HOSTILE)('is not fooled by an event of an operator that looks like %s', async (_, json) => {
    const line = await lineOf(json, '');
    expect(line).toMatch(/^[^\n\r\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*"_service":"gateway.AuditService","_topic":"orders"\}\n$/u);
    expect(JSON.parse(line)).toMatchObject({ _service: 'gateway.AuditService', _topic: 'orders' });
    expect(line.match(/"_topic":"/g)).toHaveLength(1);
  });
});
