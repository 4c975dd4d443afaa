import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../contract/document/json-value.ts';
import { handlerProblems, type SinkWish } from '../../../../support/audit/built-sink.ts';
import { clientTlsOf } from '../../../../support/audit/client-tls.ts';
import { oneSecret } from '../../../../support/audit/one-secret.ts';
import { openSink } from '../../../../support/audit/opened-sink.ts';
import { accessEvent } from '../../../../support/audit/sink-events.ts';
import { startSplunk } from '../../../../support/audit/splunk-server.ts';
import { undelivered } from '../../../../support/audit/undelivered.ts';
import { certificateAuthority } from '../../../../support/identity/certificates.ts';

const TOKEN = '0a1b2c3d-token-of-splunk';

const open = (port: number, more: JsonObject = {}, wish: Partial<SinkWish> = {}) =>
  openSink({
    className: 'SplunkAuditEventHandler',
    config: { connection: { host: '127.0.0.1', port }, authzToken: TOKEN, ...more },
    ...wish,
  });

const idsOf = (events: readonly Record<string, unknown>[]) =>
  events.map(({ event }) => (event as Record<string, unknown>)['_id']);

describe('the Splunk sink', () => {
  it('sends a batch in one request, each event with time, source and topic', async () => {
    const server = await startSplunk(TOKEN);
    const { sink } = await open(server.port, { index: 'main' });
    expect(await sink.deliver([accessEvent('1'), accessEvent('2')])).toEqual([]);
    expect(server.requests).toHaveLength(1);
    expect(server.accepted).toMatchObject([
      {
        time: 1_767_323_045.678,
        source: 'gatewarden',
        sourcetype: '_json',
        index: 'main',
        fields: { topic: 'access' },
        event: { transactionId: 'tx-1', _id: '1' },
      },
      { event: { _id: '2' } },
    ]);
  });

  it('takes the token from a secret store and speaks TLS', async () => {
    const ca = certificateAuthority('the authority');
    const server = await startSplunk(TOKEN, ca.issue({ names: ['127.0.0.1'] }));
    const { sink } = await openSink({
      className: 'SplunkAuditEventHandler',
      config: {
        connection: { host: '127.0.0.1', port: server.port, useSSL: true },
        tls: 'mine',
        authzTokenSecretId: 'splunk.token',
        secretsProvider: 'secrets',
      },
      objects: { tlsOptions: clientTlsOf(ca), secretsProvider: oneSecret(TOKEN) },
    });
    expect(await sink.deliver([accessEvent('1')])).toEqual([]);
    expect(idsOf(server.accepted)).toEqual(['1']);
  });

  it('refuses for good the event that the collector blames, and loses none of the others', async () => {
    const server = await startSplunk(TOKEN);
    const { sink } = await open(server.port);
    const batch = ['1', '2', '3', '4', '5'].map((id) => accessEvent(id, id === '3' ? { userId: 'bad' } : {}));
    const refused = await sink.deliver(batch);
    expect(refused).toEqual([{ at: 2, reason: 'the collector answered code 6 (invalid data format)' }]);
    expect([...new Set(idsOf(server.accepted))]).toEqual(['1', '2', '4', '5']);
  });

  it('splits a batch that is too large, and refuses one event that is too large alone', async () => {
    const server = await startSplunk(TOKEN);
    const { sink } = await open(server.port);
    const tooLarge = { status: 413, body: '' };
    server.script.push(tooLarge, tooLarge, tooLarge);
    const refused = await sink.deliver(['1', '2', '3', '4'].map((id) => accessEvent(id)));
    expect(refused).toEqual([{ at: 0, reason: 'the event is too large for the collector' }]);
    expect(idsOf(server.accepted)).toEqual(['2', '3', '4']);
  });

  it('says how many events of a split batch are safe when the server fails in between', async () => {
    const server = await startSplunk(TOKEN);
    const { sink } = await open(server.port);
    const batch = ['1', '2', '3', '4'].map((id) => accessEvent(id, id === '2' ? { userId: 'bad' } : {}));
    const busy = { status: 503, body: '{"text":"Server is busy","code":9}' };
    const say400 = { status: 400, body: '{"code":6,"invalid-event-number":1}' };
    server.script.push(say400, { status: 200, body: '{"code":0}' }, say400, busy);
    expect(await undelivered(sink.deliver(batch))).toMatchObject({
      delivered: 2,
      refused: [{ at: 1 }],
      message: `127.0.0.1:${server.port}: answered 503, code 9 (server is busy)`,
    });
  });

  it.each([
    [
      'a busy indexer',
      { status: 503, body: '{"text":"Server is busy","code":9}' } as const,
      /503, code 9 \(server is busy\)/,
    ],
    ['an internal error', { status: 500, body: '{"code":8}' } as const, /500, code 8/],
    [
      'an index that the token does not allow',
      { status: 400, body: '{"code":7}' } as const,
      /code 7 \(the token does not allow/,
    ],
    ['another service', { status: 200, body: '<html>' } as const, /not one of an HTTP Event Collector/],
    ['a redirect', { status: 302, body: '' } as const, /answered 302/],
    ['an answer that is cut off', 'cut' as const, /127\.0\.0\.1/],
  ])('lets events wait for %s', async (_, answer, message) => {
    const server = await startSplunk(TOKEN);
    const { sink } = await open(server.port);
    server.script.push(answer);
    const error = await undelivered(sink.deliver([accessEvent('1')]));
    expect(error.delivered).toBe(0);
    expect(error.message).toMatch(message);
    expect(await sink.deliver([accessEvent('1')])).toEqual([]);
    expect(idsOf(server.accepted)).toEqual(['1']);
  });

  it('gives up a collector that does not answer', async () => {
    const server = await startSplunk(TOKEN);
    const { sink } = await open(server.port, {}, { options: { timeout: 200 } });
    server.script.push('silent');
    expect((await undelivered(sink.deliver([accessEvent('1')]))).message).toContain('Timeout');
  });

  it('names a rejected token as the cause and never shows it', async () => {
    const server = await startSplunk(TOKEN);
    const { sink, logged } = await open(server.port, { authzToken: 'wrong-token-value' });
    const { message, stack, cause } = await undelivered(sink.deliver([accessEvent('1')]));
    expect(message).toContain('403, code 4 (invalid token); the token is invalid or disabled');
    expect(JSON.stringify([message, stack, String(cause), logged])).not.toContain('wrong-token-value');
  });

  it('shows no token when the connection fails', async () => {
    const server = await startSplunk(TOKEN);
    await server.stop();
    const { sink } = await open(server.port);
    const { message } = await undelivered(sink.deliver([accessEvent('1')]));
    expect(message).toContain(`connecting to 127.0.0.1:${server.port} failed`);
    expect(message).not.toContain(TOKEN);
  });

  it('connects only where the egress rule allows', async () => {
    const server = await startSplunk(TOKEN);
    const { sink } = await open(server.port, {}, { context: { mayReach: () => false } });
    expect((await undelivered(sink.deliver([accessEvent('1')]))).message).toContain('not allowed (egress rule)');
    expect(server.requests).toEqual([]);
  });
});

describe('the configuration of a SplunkAuditEventHandler', () => {
  const problems = (config: JsonObject) => handlerProblems('SplunkAuditEventHandler', config);

  it('warns of a token in the document and of a server without TLS', () => {
    const { remarks } = problems({ authzToken: TOKEN, connection: { host: 'splunk.test' } });
    expect(remarks.map(({ at, code }) => [at.join('.'), code])).toEqual([
      ['connection.useSSL', 'insecure'],
      ['authzToken', 'insecure'],
    ]);
    expect(JSON.stringify(remarks)).not.toContain(TOKEN);
  });

  it.each([
    [{}, 'one of'],
    [{ authzToken: 'a', authzTokenSecretId: 'b', secretsProvider: 'c' }, 'cannot be given together'],
    [{ authzTokenSecretId: 'b' }, "'authzTokenSecretId' needs it"],
  ])('refuses %j', (config, message) => {
    expect(problems(config).problems).toMatchObject([{ severity: 'error', message: expect.stringContaining(message) }]);
  });

  it('uses maxBatchedEvents, and warns that the other fields of buffering have no effect', async () => {
    const buffering = { maxBatchedEvents: 7, maxSize: 10, writeInterval: '100 ms' };
    const { sink } = await open(8088, { buffering });
    expect(sink.batch.events).toBe(7);
    const found = problems({ authzToken: TOKEN, buffering }).problems;
    expect(found.map(({ path, severity }) => [path.join('.'), severity])).toEqual([
      ['buffering.maxSize', 'warning'],
      ['buffering.writeInterval', 'warning'],
    ]);
  });

  it('refuses a token that would break a header, and does not show it', async () => {
    const opening = openSink({
      className: 'SplunkAuditEventHandler',
      config: { authzTokenSecretId: 'splunk.token', secretsProvider: 'secrets' },
      objects: { secretsProvider: oneSecret('abc\r\nX-Evil: 1') },
    });
    await expect(opening).rejects.toThrow('the token of the collector holds other characters than printable ASCII');
  });
});
