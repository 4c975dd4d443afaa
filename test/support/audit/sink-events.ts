import type { JsonObject } from '../../../contract/document/json-value.ts';
import { type AuditEvent, WrittenEvent } from '../../../dataplane/audit/writer/audit-event.ts';

/** An event as a sink gets it. */
export function sinkEvent(fields: JsonObject, topic = 'access'): AuditEvent {
  return new WrittenEvent(topic, Buffer.from(JSON.stringify(fields)));
}

/** An access event like those of the gateway; its id is its last member. */
export function accessEvent(id: string, more: JsonObject = {}): AuditEvent {
  return sinkEvent({
    eventName: 'GW-HTTP-ACCESS',
    timestamp: '2026-01-02T03:04:05.678Z',
    transactionId: `tx-${id}`,
    server: { ip: '192.0.2.2', port: 443 },
    client: { ip: '192.0.2.1', port: 54321 },
    http: {
      request: {
        secure: true,
        method: 'GET',
        path: 'https://gw.test/a',
        queryParameters: {},
        headers: {},
        cookies: {},
      },
      response: { headers: {} },
    },
    response: { status: 'SUCCESSFUL', statusCode: '200', elapsedTime: 12, elapsedTimeUnits: 'MILLISECONDS' },
    ...more,
    _id: id,
  });
}
