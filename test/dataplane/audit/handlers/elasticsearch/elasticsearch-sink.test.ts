import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../contract/document/json-value.ts';
import { handlerProblems, type SinkWish } from '../../../../support/audit/built-sink.ts';
import { clientTlsOf } from '../../../../support/audit/client-tls.ts';
import { oneSecret } from '../../../../support/audit/one-secret.ts';
import { openSink } from '../../../../support/audit/opened-sink.ts';
import { startSearch } from '../../../../support/audit/search-server.ts';
import { accessEvent, sinkEvent } from '../../../../support/audit/sink-events.ts';
import { undelivered } from '../../../../support/audit/undelivered.ts';
import { certificateAuthority } from '../../../../support/identity/certificates.ts';

const PASSWORD = 'pass-word-of-search';

const open = (port: number, more: JsonObject = {}, wish: Partial<SinkWish> = {}) =>
  openSink({
    className: 'ElasticsearchAuditEventHandler',
    config: { connection: { host: '127.0.0.1', port }, ...more },
    ...wish,
  });

describe('the Elasticsearch sink', () => {
  it('stores a batch with one bulk request, under the ids of the events', async () => {
    const server = await startSearch();
    const { sink } = await open(server.port, { indexMapping: { indexName: 'audit-gw' } });
    expect(await sink.deliver([accessEvent('1'), accessEvent('2')])).toEqual([]);
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]!.path).toBe('/_bulk?filter_path=errors,items.*.status,items.*.error.type');
    expect(server.requests[0]!.body.split('\n')[0]).toBe('{"create":{"_index":"audit-gw","_id":"1"}}');
    expect([...server.documents.keys()]).toEqual(['1', '2']);
    expect(server.documents.get('1')).toMatchObject({ transactionId: 'tx-1', _eventId: '1', _topic: 'access' });
    expect(server.documents.get('1')).not.toHaveProperty('_id');
  });

  it('stores an event once that is delivered twice', async () => {
    const server = await startSearch();
    const { sink } = await open(server.port);
    server.script.push('cut');
    expect((await undelivered(sink.deliver([accessEvent('1')]))).delivered).toBe(0);
    await sink.deliver([accessEvent('1'), accessEvent('2')]);
    expect(await sink.deliver([accessEvent('1'), accessEvent('2')])).toEqual([]);
    expect([...server.documents.keys()]).toEqual(['1', '2']);
  });

  it('signs in with a password of a secret store over TLS', async () => {
    const ca = certificateAuthority('the authority');
    const server = await startSearch(ca.issue({ names: ['127.0.0.1'] }));
    const connection = { host: '127.0.0.1', port: server.port, useSSL: true, username: 'gw', passwordSecretId: 'a.b' };
    const { sink } = await openSink({
      className: 'ElasticsearchAuditEventHandler',
      config: { connection, tls: 'mine', secretsProvider: 'secrets' },
      objects: { tlsOptions: clientTlsOf(ca), secretsProvider: oneSecret(PASSWORD) },
    });
    await sink.deliver([accessEvent('1')]);
    const expected = Buffer.from(`gw:${PASSWORD}`).toString('base64');
    expect(server.requests[0]!.headers.authorization).toBe(`Basic ${expected}`);
  });

  it.each([429, 503, 403, 404])(
    'delivers events again that get the status %i, and those after them',
    async (status) => {
      const server = await startSearch();
      const { sink } = await open(server.port);
      server.statuses.set('2', [status]);
      const batch = ['1', '2', '3'].map((id) => accessEvent(id));
      expect(await undelivered(sink.deliver(batch))).toMatchObject({
        delivered: 1,
        refused: [],
        message: `127.0.0.1:${server.port}: 1 events were rejected for now`,
      });
      expect(await sink.deliver(batch.slice(1))).toEqual([]);
      expect([...server.documents.keys()].toSorted()).toEqual(['1', '2', '3']);
    },
  );

  it('stores an event as text that the mapping of the index rejects', async () => {
    const server = await startSearch();
    const { sink } = await open(server.port);
    const odd = accessEvent('2', { userId: { not: 'a text' } });
    expect(await sink.deliver([accessEvent('1'), odd, accessEvent('3')])).toEqual([]);
    expect(server.documents.get('2')).toEqual({
      timestamp: '2026-01-02T03:04:05.678Z',
      eventName: 'GW-HTTP-ACCESS',
      transactionId: 'tx-2',
      _eventId: '2',
      _topic: 'access',
      _unmapped: odd.json,
    });
  });

  it('refuses for good what the index rejects even as text', async () => {
    const server = await startSearch();
    const { sink } = await open(server.port);
    server.statuses.set('2', [400, 400]);
    const refused = await sink.deliver(['1', '2', '3'].map((id) => accessEvent(id)));
    expect(refused).toEqual([{ at: 1, reason: 'the mapping of the index rejects the event' }]);
    expect([...server.documents.keys()]).toEqual(['1', '3']);
  });

  it('splits a request that is too large down to the event that is', async () => {
    const server = await startSearch();
    const { sink } = await open(server.port);
    const tooLarge = { status: 413, body: '' };
    server.script.push(tooLarge, tooLarge);
    expect(await sink.deliver([accessEvent('1'), accessEvent('2')])).toEqual([
      { at: 0, reason: 'the event is too large for a bulk request' },
    ]);
    expect([...server.documents.keys()]).toEqual(['2']);
  });

  it.each([
    ['too many requests', { status: 429, body: '' } as const, /answered 429$/],
    ['no master', { status: 503, body: '{}' } as const, /answered 503$/],
    ['a wrong password', { status: 401, body: '{}' } as const, /answered 401: check user name and password/],
    ['garbage', { status: 200, body: 'garbage' } as const, /not one to a bulk request/],
    ['too few items', { status: 200, body: '{"items":[]}' } as const, /not one to a bulk request/],
    ['an answer that is cut off', 'cut' as const, /127\.0\.0\.1/],
  ])('lets all events wait after %s', async (_, answer, message) => {
    const server = await startSearch();
    const { sink } = await open(server.port);
    server.script.push(answer);
    const error = await undelivered(sink.deliver([accessEvent('1')]));
    expect(error.delivered).toBe(0);
    expect(error.message).toMatch(message);
    expect(await sink.deliver([accessEvent('1')])).toEqual([]);
  });

  it('lets no value add lines to a bulk request', async () => {
    const server = await startSearch();
    const { sink } = await open(server.port);
    const attack = '"}\n{"delete":{"_index":"audit","_id":"0"}}\n\u2028\r\n';
    const event = sinkEvent({ userId: attack, [attack]: 1, _id: 'id' }, 'topic\n{"x":1}');
    expect(await sink.deliver([event])).toEqual([]);
    expect(server.requests[0]!.body.split('\n')).toHaveLength(3);
    expect(server.documents.get('id')).toEqual({
      userId: attack,
      [attack]: 1,
      _eventId: 'id',
      _topic: 'topic\n{"x":1}',
    });
  });

  it('never shows the password', async () => {
    const server = await startSearch();
    const connection = { host: '127.0.0.1', port: server.port, username: 'gw', password: PASSWORD };
    const { sink, logged } = await open(server.port, { connection });
    server.script.push({ status: 401, body: PASSWORD });
    const { message, stack } = await undelivered(sink.deliver([accessEvent('1')]));
    await server.stop();
    const second = await undelivered(sink.deliver([accessEvent('1')]));
    const encoded = Buffer.from(`gw:${PASSWORD}`).toString('base64');
    for (const secret of [PASSWORD, encoded]) {
      expect(JSON.stringify([message, stack, second.message, second.stack, logged])).not.toContain(secret);
    }
  });
});

describe('the configuration of an ElasticsearchAuditEventHandler', () => {
  const problems = (config: JsonObject) => handlerProblems('ElasticsearchAuditEventHandler', config);

  it('has the defaults of the reference product', async () => {
    const { options } = await openSink({ className: 'ElasticsearchAuditEventHandler', config: {} });
    expect(options).toMatchObject({ host: 'localhost', port: 9200, tls: null, credentials: null, indexName: 'audit' });
  });

  it.each(['Audit', '_audit', 'a b', 'a,b', '..', 'a/../b', 'a?x', 'a*'])('refuses the index name %j', (indexName) => {
    expect(problems({ indexMapping: { indexName } }).problems).toMatchObject([{ severity: 'error' }]);
  });

  it('refuses passwords without a user, in two places or without a provider', () => {
    const found = (connection: JsonObject) =>
      problems({ connection }).problems.map(({ path, message }) => `${path.join('.')}: ${message}`);
    expect(found({ password: 'x' })).toEqual(["connection.username: is required: 'password' needs it"]);
    expect(found({ username: 'a', password: 'x', passwordSecretId: 'y' })[0]).toContain('cannot be given together');
    expect(found({ username: 'a', passwordSecretId: 'y' })).toEqual([
      "secretsProvider: is required: 'passwordSecretId' needs it",
    ]);
  });

  it('warns of a password in the document', () => {
    const { remarks } = problems({ connection: { username: 'a', password: PASSWORD } });
    expect(remarks).toMatchObject([{ at: ['connection', 'password'], code: 'insecure' }]);
  });
});
