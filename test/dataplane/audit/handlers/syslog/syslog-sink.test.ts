import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../../../../contract/document/json-value.ts';
import { Undelivered } from '../../../../../dataplane/audit/writer/audit-sink.ts';
import { handlerProblems, type SinkWish } from '../../../../support/audit/built-sink.ts';
import { clientTlsOf } from '../../../../support/audit/client-tls.ts';
import { openSink } from '../../../../support/audit/opened-sink.ts';
import { accessEvent, sinkEvent } from '../../../../support/audit/sink-events.ts';
import { startDatagramSyslog, startStreamSyslog } from '../../../../support/audit/syslog-server.ts';
import { certificateAuthority } from '../../../../support/identity/certificates.ts';

const ca = certificateAuthority('the authority');

function config(port: number, more: JsonObject = {}): JsonObject {
  return { protocol: 'TCP', host: '127.0.0.1', port, facility: 'local0', ...more };
}

const open = (port: number, more: JsonObject = {}, wish: Partial<SinkWish> = {}) =>
  openSink({ className: 'SyslogAuditEventHandler', config: config(port, more), ...wish });

const ids = (messages: readonly string[]) => messages.map((text) => /transactionId="([^"]*)"/.exec(text)?.[1]);

async function failure(delivering: Promise<unknown>): Promise<Undelivered> {
  const error: unknown = await delivering.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Undelivered);
  return error as Undelivered;
}

describe('the syslog sink', () => {
  it.each(['TCP', 'TLS'])('sends each event of a batch in order over %s, with octet counting', async (protocol) => {
    const server = await startStreamSyslog(protocol === 'TLS' ? ca.issue({ names: ['127.0.0.1'] }) : null);
    const objects = { tlsOptions: clientTlsOf(ca) };
    const tls = protocol === 'TLS' ? { tls: 'mine' } : {};
    const { sink } = await open(server.port, { protocol, ...tls }, { objects });
    const batch = Array.from({ length: 300 }, (_, at) => accessEvent(`${at}-ä`));
    expect(await sink.deliver(batch)).toEqual([]);
    await vi.waitFor(() => expect(server.messages).toHaveLength(300));
    expect(ids(server.messages)).toEqual(batch.map(({ id }) => `tx-${id}`));
    expect(server.rests).toEqual(['']);
    expect(server.messages[0]).toMatch(
      /^<134>1 2026-01-02T03:04:05\.678Z \S+ gatewarden \d+ GW-HTTP-ACCESS \[access\.gatewarden@36733 /,
    );
  });

  it('refuses to send over TLS to a server whose certificate is not trusted', async () => {
    const server = await startStreamSyslog(ca.issue({ names: ['127.0.0.1'] }));
    const { sink } = await open(server.port, { protocol: 'TLS' });
    const error = await failure(sink.deliver([accessEvent('1')]));
    expect(error).toMatchObject({ delivered: 0 });
    expect(error.message).toContain('its issuer is not trusted');
    expect(server.messages).toEqual([]);
  });

  it('sends datagrams without a count', async () => {
    const server = await startDatagramSyslog();
    const { sink } = await open(server.port, { protocol: 'udp' });
    expect(await sink.deliver([accessEvent('1'), accessEvent('2')])).toEqual([]);
    await vi.waitFor(() => expect(server.messages).toHaveLength(2));
    expect(server.messages[0]).toMatch(/^<134>1 /);
    expect(ids(server.messages)).toEqual(['tx-1', 'tx-2']);
  });

  it('keeps a datagram of a huge request within its limit', async () => {
    const server = await startDatagramSyslog();
    const { sink } = await open(server.port, { protocol: 'UDP' });
    await sink.deliver([accessEvent('1', { userId: 'x'.repeat(200_000) })]);
    await vi.waitFor(() => expect(server.messages).toHaveLength(1));
    expect(Buffer.byteLength(server.messages[0]!)).toBeLessThanOrEqual(8192);
    expect(server.messages[0]).toContain('truncated="true"');
  });

  it('refuses for good what cannot be cut to the limit, and sends the others', async () => {
    const server = await startStreamSyslog();
    const { sink } = await open(server.port, { maxMessageSize: 1024 });
    const fields = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`field-${at}-${'x'.repeat(20)}`, 1]));
    const refused = await sink.deliver([accessEvent('1'), sinkEvent(fields), accessEvent('2')]);
    expect(refused).toEqual([{ at: 1, reason: 'the message cannot be cut to maxMessageSize (1024 bytes)' }]);
    await vi.waitFor(() => expect(ids(server.messages)).toEqual(['tx-1', 'tx-2']));
  });

  it('notices before it writes that the server closed the connection, and connects again', async () => {
    const server = await startStreamSyslog();
    const { sink } = await open(server.port);
    await sink.deliver([accessEvent('1')]);
    await vi.waitFor(() => expect(server.messages).toHaveLength(1));
    for (const socket of server.connections) socket.end();
    await vi.waitFor(() => expect(server.connections.size).toBe(0));
    expect(await sink.deliver([accessEvent('2')])).toEqual([]);
    await vi.waitFor(() => expect(ids(server.messages)).toEqual(['tx-1', 'tx-2']));
  });

  it('delivers again after the server was away', async () => {
    const server = await startStreamSyslog();
    const { sink } = await open(server.port);
    await sink.deliver([accessEvent('1')]);
    await vi.waitFor(() => expect(server.messages).toHaveLength(1));
    await server.stop();
    const error = await failure(sink.deliver([accessEvent('2')]));
    expect(error).toMatchObject({ delivered: 0 });
    expect(error.message).toContain(`connecting to 127.0.0.1:${server.port} failed`);
    const again = await startStreamSyslog(null, server.port);
    expect(await sink.deliver([accessEvent('2')])).toEqual([]);
    await vi.waitFor(() => expect(ids(again.messages)).toEqual(['tx-2']));
  });

  it('gives up a server that reads nothing', async () => {
    const server = createServer((socket) => {
      socket.pause();
      socket.on('error', () => undefined);
      onTestFinished(() => void socket.destroy());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const { sink } = await open(port, { maxMessageSize: 1024 ** 2 }, { options: { writeTimeout: 200 } });
    const batch = Array.from({ length: 40 }, (_, at) => accessEvent(`${at}`, { userId: 'x'.repeat(500_000) }));
    const error = await failure(sink.deliver(batch));
    expect(error.message).toBe(`127.0.0.1:${port} has read nothing for 200 ms`);
    expect(error.delivered).toBeGreaterThanOrEqual(0);
    expect(error.delivered).toBeLessThan(40);
  });

  it('fails when the machine answers that nobody listens for datagrams', async () => {
    const server = await startDatagramSyslog();
    const { sink } = await open(server.port, { protocol: 'UDP' });
    await server.stop();
    await vi.waitFor(async () => {
      const error = await failure(sink.deliver([accessEvent('1')]));
      expect(error.message).toContain('ECONNREFUSED');
    });
  });

  it.each(['TCP', 'UDP'])('connects only where the egress rule allows over %s', async (protocol) => {
    const server = protocol === 'UDP' ? await startDatagramSyslog() : await startStreamSyslog();
    const { sink } = await open(server.port, { protocol, host: 'localhost' }, { context: { mayReach: () => false } });
    const error = await failure(sink.deliver([accessEvent('1')]));
    expect(error.message).toContain('is not allowed (egress rule)');
  });
});

describe('the configuration of a SyslogAuditEventHandler', () => {
  const problems = (more: JsonObject) => handlerProblems('SyslogAuditEventHandler', config(514, more));

  it('takes names of facilities and severities in any case', async () => {
    const mapping = { topic: 'access', field: 'response.status', valueMappings: { FAILED: 'warning' } };
    const { options } = await open(514, { facility: 'Local7', severityFieldMappings: [mapping] });
    expect(options).toMatchObject({
      facility: 23,
      mappings: [{ topic: 'access', field: ['response', 'status'], severities: [['FAILED', 4]] }],
    });
  });

  it.each(['response/status', '/response/status', 'response.status'])(
    'maps severities by the field %s',
    async (field) => {
      const server = await startStreamSyslog();
      const severityFieldMappings = [{ topic: 'access', field, valueMappings: { FAILED: 'ERROR' } }];
      const { sink } = await open(server.port, { severityFieldMappings });
      await sink.deliver([accessEvent('1', { response: { status: 'FAILED' } }), accessEvent('2')]);
      await vi.waitFor(() => expect(server.messages.map((text) => text.slice(0, 6))).toEqual(['<131>1', '<134>1']));
    },
  );

  it('warns that buffering has no effect', () => {
    const { problems: found } = problems({ buffering: { enabled: true, maxSize: 5000 } });
    expect(found.map(({ code, severity, path }) => [code, severity, path.join('.')])).toEqual([
      ['no-effect', 'warning', 'buffering.enabled'],
      ['no-effect', 'warning', 'buffering.maxSize'],
    ]);
  });

  it('warns of a transport without encryption', () => {
    expect(problems({}).remarks).toMatchObject([{ at: ['protocol'], code: 'insecure' }]);
    expect(problems({ protocol: 'TLS' }).remarks).toEqual([]);
  });

  it('refuses TLS options for a transport without TLS', () => {
    expect(problems({ tls: 'mine' }).problems).toMatchObject([{ severity: 'error', path: ['tls'] }]);
  });

  it('names every field that is wrong', () => {
    const wrong = { protocol: 'SCTP', port: 0, facility: 'local8', connectTimeout: 0, maxMessageSize: 1, host: '' };
    const { problems: found } = handlerProblems('SyslogAuditEventHandler', wrong);
    expect(found.map(({ path }) => path.join('.')).toSorted()).toEqual(Object.keys(wrong).toSorted());
  });

  it('refuses datagrams that no network carries', () => {
    const { problems: found } = problems({ protocol: 'UDP', maxMessageSize: 65_508 });
    expect(found).toMatchObject([{ severity: 'error', path: ['maxMessageSize'] }]);
  });
});
