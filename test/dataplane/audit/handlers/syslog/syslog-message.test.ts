import { describe, expect, it } from 'vitest';
import { type MessageFormat, syslogMessage } from '../../../../../dataplane/audit/handlers/syslog/syslog-message.ts';
import { accessEvent, sinkEvent } from '../../../../support/audit/sink-events.ts';

const FORMAT: MessageFormat = {
  facility: 16,
  mappings: [],
  hostname: 'gw.test',
  appName: 'observed',
  processId: 42,
  maxSize: 65_536,
};

const HEAD = '<134>1 2026-01-02T03:04:05.678Z gw.test observed 42 GW-HTTP-ACCESS [access.observed@36733 ';

function message(event = accessEvent('1'), format: Partial<MessageFormat> = {}): string {
  return syslogMessage(event, { ...FORMAT, ...format }, 0)!.toString('utf8');
}

describe('syslogMessage', () => {
  it('is byte for byte the message that the reference framework sends', () => {
    const event = sinkEvent({
      eventName: 'GW-HTTP-ACCESS',
      timestamp: '2026-01-02T03:04:05.678Z',
      transactionId: 'tx-1',
      userId: 'q"u]o\\te',
      trackingIds: ['t1'],
      server: { ip: '192.0.2.2', port: 443 },
      client: { ip: '192.0.2.1', port: 54321 },
      http: {
        request: {
          secure: true,
          method: 'GET',
          path: 'https://gw.test/a',
          queryParameters: { x: ['1'] },
          headers: { host: ['gw.test'], authorization: ['Bearer abc'], 'X-Mixed': ['1'] },
          cookies: { sid: 's3cret' },
        },
        response: { headers: { 'content-type': ['text/plain'] } },
      },
      response: { status: 'SUCCESSFUL', statusCode: '200', elapsedTime: 12, elapsedTimeUnits: 'MILLISECONDS' },
      _id: 'id-1',
    });
    const expected = String.raw`<134>1 2026-01-02T03:04:05.678Z gw.test observed 42 GW-HTTP-ACCESS [access.observed@36733 transactionId="tx-1" userId="q\"u\]o\\te" trackingIds="[\"t1\"\]" server.ip="192.0.2.2" server.port="443" client.ip="192.0.2.1" client.port="54321" request.protocol="" request.operation="" request.detail="" http.request.secure="true" http.request.method="GET" http.request.path="https://gw.test/a" http.request.queryParameters="{\"x\":[\"1\"\]}" http.request.headers="{\"host\":[\"gw.test\"\],\"authorization\":[\"Bearer abc\"\],\"X-Mixed\":[\"1\"\]}" http.request.cookies="{\"sid\":\"s3cret\"}" http.response.headers="{\"content-type\":[\"text/plain\"\]}" response.status="SUCCESSFUL" response.statusCode="200" response.detail="" response.elapsedTime="12" response.elapsedTimeUnits="MILLISECONDS"] `;
    expect(message(event)).toBe(expected);
  });

  it('carries members beyond the schema after those of the schema', () => {
    const text = message(accessEvent('1', { ig: { routeId: 'shop' }, decision: { filter: 'a', scopes: ['x'] } }));
    expect(text.endsWith(String.raw` ig.routeId="shop" decision.filter="a" decision.scopes="[\"x\"\]"] `)).toBe(true);
  });

  it('lets no value leave its quotes, its line or its structured data', () => {
    const attack = 'x"] <0>1 - - - - - [fake@1 a="b\n\r\u0000\u001b[2J\u0085\u2028';
    const text = message(accessEvent('1', { userId: attack }));
    expect(text).toContain(
      String.raw`userId="x\"\] <0>1 - - - - - [fake@1 a=\"b\\u000a\\u000d\\u0000\\u001b[2J\\u0085\\u2028"`,
    );
    expect(text).not.toMatch(/\p{Cc}/u);
    expect(text.replaceAll(/\\./g, '').match(/\]/g)).toHaveLength(1);
  });

  it('lets no name of a member break out of the structured data', () => {
    const text = message(sinkEvent({ eventName: 'E', 'a="b" ]\n@': 1, ['n'.repeat(50)]: 2, _id: '1' }, 'custom'));
    expect(text).toBe(
      `<134>1 1970-01-01T00:00:00.000Z gw.test observed 42 E [custom.observed@36733 a__b_____="1" ${'n'.repeat(32)}="2"] `,
    );
  });

  it('keeps header fields in printable ASCII and within their length', () => {
    const event = sinkEvent(
      { eventName: `ä b\n${'x'.repeat(50)}`, timestamp: 'yesterday\n', _id: '1' },
      'ob]consent topic',
    );
    const text = message(event, { hostname: 'a host\n', appName: 'ünd o' });
    expect(text).toBe(
      `<134>1 1970-01-01T00:00:00.000Z a_host_ _nd_o 42 __b_${'x'.repeat(28)} [ob_consent_topic._nd_o@36733] `,
    );
  });

  it('writes - for an event without a name', () => {
    expect(message(sinkEvent({ _id: '1' }, 't'))).toBe(
      '<134>1 1970-01-01T00:00:00.000Z gw.test observed 42 - [t.observed@36733] ',
    );
  });

  it.each([
    ['FAILED', 132],
    ['SUCCESSFUL', 134],
    ['OTHER', 134],
  ])('gives an event with the status %s the priority %i', (status, priority) => {
    const mappings = [
      { topic: 'other', field: ['response', 'status'], severities: [['FAILED', 0]] as const },
      { topic: 'access', field: ['response', 'status'], severities: [['FAILED', 4]] as const },
    ];
    const text = message(accessEvent('1', { response: { status } }), { mappings });
    expect(text.startsWith(`<${priority}>1 `)).toBe(true);
  });

  it('maps numbers and booleans to severities as well', () => {
    const mappings = [{ topic: 'access', field: ['server', 'port'], severities: [['443', 1]] as const }];
    expect(message(accessEvent('1'), { mappings }).startsWith('<129>1 ')).toBe(true);
  });

  it('cuts the longest values of a message that is too long, and says so', () => {
    const path = `https://gw.test/${'💥"'.repeat(3_000)}`;
    const event = accessEvent('1', { http: { request: { method: 'GET', path } }, userId: 'alice' });
    const bytes = syslogMessage(event, { ...FORMAT, maxSize: 2048 }, 0)!;
    const text = bytes.toString('utf8');
    expect(bytes.length).toBeLessThanOrEqual(2048);
    expect(bytes.length).toBeGreaterThan(2000);
    expect(text.startsWith(`${HEAD}truncated="true" transactionId="tx-1" userId="alice"`)).toBe(true);
    expect(text).toMatch(/http\.request\.path="https:\/\/gw\.test\/(?:💥\\")+(?:💥)?…"/u);
    expect(text.endsWith('] ')).toBe(true);
  });

  it('gives up an event whose names alone do not fit', () => {
    const fields = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`field-${at}-${'x'.repeat(20)}`, 1]));
    expect(syslogMessage(sinkEvent(fields, 'custom'), { ...FORMAT, maxSize: 1024 }, 0)).toBeNull();
  });
});
