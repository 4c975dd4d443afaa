import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { clientTlsOf } from '../../support/audit/client-tls.ts';
import { openSink } from '../../support/audit/opened-sink.ts';
import { type RsyslogMessage, RsyslogServer } from '../../support/audit/rsyslog-server.ts';
import { accessEvent } from '../../support/audit/sink-events.ts';
import { certificateAuthority } from '../../support/identity/certificates.ts';
import { INSTALLATION, installPrograms } from '../../support/programs/debian-program.ts';

const ca = certificateAuthority('the authority');
let server: RsyslogServer;

beforeAll(async () => {
  await installPrograms(['rsyslogd']);
  server = await RsyslogServer.start(ca.issue({ names: ['127.0.0.1'] }), ca.certificate);
}, INSTALLATION);
afterAll(() => server.stop());

/** Parameters of structured data, without their escapes. */
function parametersOf({ structuredData }: RsyslogMessage): Record<string, string> {
  const found = structuredData.matchAll(/ ([^ =]+)="((?:[^"\\\]]|\\.)*)"/gs);
  return Object.fromEntries([...found].map(([, name, value]) => [name!, value!.replaceAll(/\\(["\\\]])/g, '$1')]));
}

describe('the syslog sink with a real rsyslog', () => {
  it.each(['UDP', 'TCP', 'TLS'] as const)(
    'sends messages over %s that rsyslog reads field by field',
    async (protocol) => {
      const port = { UDP: server.udp, TCP: server.tcp, TLS: server.tls }[protocol];
      const tls: JsonObject = protocol === 'TLS' ? { tls: 'mine' } : {};
      const mapping = { topic: 'access', field: '/response/status', valueMappings: { FAILED: 'WARNING' } };
      const { sink } = await openSink({
        className: 'SyslogAuditEventHandler',
        config: {
          ...{ protocol, host: '127.0.0.1', port, facility: 'LOCAL0', severityFieldMappings: [mapping], ...tls },
        },
        objects: { tlsOptions: clientTlsOf(ca) },
      });
      const attack = `${protocol} "]\\ <0>1 - - - - - [x@1 a="b"]\n\u2028é 💥`;
      const events = [
        accessEvent(`${protocol}-1`, { userId: attack, trackingIds: ['a"]', '\\'] }),
        accessEvent(`${protocol}-2`, { response: { status: 'FAILED', statusCode: '404' } }),
      ];
      expect(await sink.deliver(events)).toEqual([]);
      const own = (): RsyslogMessage[] =>
        server.messages.filter((one) => parametersOf(one)['transactionId']?.startsWith(`tx-${protocol}-`));
      await expect.poll(() => own().length).toBe(2);
      const [first, second] = own() as [RsyslogMessage, RsyslogMessage];
      expect(first).toMatchObject({
        ...{ pri: '134', timestamp: '2026-01-02T03:04:05.678Z', appName: 'gatewarden', msgId: 'GW-HTTP-ACCESS' },
        ...{ procId: String(process.pid) },
      });
      expect(first.msg.trim()).toBe('');
      expect(first.structuredData).toMatch(/^\[access\.gatewarden@36733 /);
      expect(parametersOf(first)).toMatchObject({
        ...{
          transactionId: `tx-${protocol}-1`,
          'server.ip': '192.0.2.2',
          'server.port': '443',
          'client.port': '54321',
        },
        ...{ 'http.request.secure': 'true', 'http.request.path': 'https://gw.test/a', 'response.elapsedTime': '12' },
        trackingIds: '["a\\"]","\\\\"]',
        // ends of lines stay visible, and nothing of the value leaves it
        userId: attack.replace('\n', '\\u000a').replace('\u2028', '\\u2028'),
      });
      expect(second.pri).toBe('132');
      expect(parametersOf(second)).toMatchObject({ 'response.status': 'FAILED', 'response.statusCode': '404' });
    },
  );
});
