import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { SinkWish } from '../../support/audit/built-sink.ts';
import { clientTlsOf } from '../../support/audit/client-tls.ts';
import { oneSecret } from '../../support/audit/one-secret.ts';
import { openSink } from '../../support/audit/opened-sink.ts';
import { PostgresServer } from '../../support/audit/postgres-server.ts';
import { accessEvent, sinkEvent } from '../../support/audit/sink-events.ts';
import { undelivered } from '../../support/audit/undelivered.ts';
import { certificateAuthority } from '../../support/identity/certificates.ts';
import { INSTALLATION, installPrograms } from '../../support/programs/debian-program.ts';

const ca = certificateAuthority('the authority');
let server: PostgresServer;

beforeAll(async () => {
  await installPrograms(['pg_lsclusters', 'setpriv']);
  server = await PostgresServer.start(ca.issue({ names: ['localhost'] }));
}, INSTALLATION);
afterAll(() => server.stop());

const COLUMNS = {
  _id: 'id',
  timestamp: 'timestamp_',
  transactionId: 'TransactionId',
  userId: 'user_id',
  'client/port': 'port',
  'http/request/secure': 'secure',
  'http/request/headers': 'headers',
  'http/request/path': '"Path; DROP TABLE access"',
};

beforeEach(async () => {
  await server.sql('DROP TABLE IF EXISTS access');
  await server.sql(
    `CREATE TABLE access (id text PRIMARY KEY, timestamp_ timestamptz, transactionid text, user_id varchar(20),
      port integer, secure boolean, headers jsonb, "Path; DROP TABLE access" text)`,
  );
});

function open(more: JsonObject = {}, pool: JsonObject = {}, wish: Partial<SinkWish> = {}) {
  return openSink({
    className: 'JdbcAuditEventHandler',
    config: {
      databaseType: 'postgres',
      tableMappings: [{ event: 'access', table: 'public.ACCESS', fieldToColumn: COLUMNS }],
      connectionPool: {
        jdbcUrl: `jdbc:postgresql://127.0.0.1:${server.port}/postgres`,
        username: server.user,
        password: server.password,
        ...pool,
      },
      ...more,
    },
    ...wish,
  });
}

const rows = (columns = '*') => server.sql(`SELECT ${columns} FROM access ORDER BY id`);
const ids = async () => (await rows('id')).map(({ id }) => id);

describe('the JDBC sink with a real PostgreSQL', () => {
  it('writes each field into a column of its own type', async () => {
    const { sink } = await open();
    const request = { secure: true, path: 'https://gw.test/ä', headers: { host: ['gw.test'] } };
    expect(
      await sink.deliver([accessEvent('1', { userId: 'alice', http: { request } }), sinkEvent({ _id: '2' })]),
    ).toEqual([]);
    expect(await rows()).toEqual([
      {
        id: '1',
        timestamp_: new Date('2026-01-02T03:04:05.678Z'),
        transactionid: 'tx-1',
        user_id: 'alice',
        port: 54321,
        secure: true,
        headers: { host: ['gw.test'] },
        'Path; DROP TABLE access': 'https://gw.test/ä',
      },
      expect.objectContaining({ id: '2', timestamp_: null, headers: null }),
    ]);
  });

  it('stores an event once that is delivered twice', async () => {
    const { sink } = await open();
    await sink.deliver([accessEvent('1'), accessEvent('2')]);
    expect(await sink.deliver([accessEvent('2'), accessEvent('3'), accessEvent('3')])).toEqual([]);
    expect(await ids()).toEqual(['1', '2', '3']);
  });

  it('refuses for good only the events whose values do not fit', async () => {
    const { sink } = await open();
    const batch = [
      accessEvent('1'),
      accessEvent('2', { userId: 'x'.repeat(21) }),
      accessEvent('3'),
      accessEvent('4', { client: { port: 'no number secret-value' } }),
      sinkEvent({ transactionId: 'no id' }),
      accessEvent('6', { timestamp: 'no date' }),
      accessEvent('7'),
    ];
    const refused = await sink.deliver(batch);
    expect(refused.map(({ at, reason }) => [at, reason])).toEqual([
      [1, 'PostgreSQL answered 22001: a value is too long for its column'],
      [3, 'PostgreSQL answered 22P02: a value does not have the type of its column'],
      [4, 'PostgreSQL answered 23502: a column must not be null (column id)'],
      [5, 'PostgreSQL answered 22007: a value is no date or time'],
    ]);
    expect(await ids()).toEqual(['1', '3', '7']);
  });

  it('stores values that are attacks as they are', async () => {
    const { sink } = await open();
    const attack = `'); DROP TABLE access; --`;
    const path = `${attack} $1 \\ " \u0000 \ud800`;
    const request = { path, headers: { [`${attack}\u0000`]: ['\u0000', '\ud800', '\\u0000'] } };
    const batch = [accessEvent(attack, { http: { request } }), sinkEvent({ _id: '2' })];
    expect(await sink.deliver(batch)).toEqual([]);
    const [stored] = await server.sql(`SELECT * FROM access WHERE id LIKE '%DROP%'`);
    expect(stored).toMatchObject({
      id: attack,
      'Path; DROP TABLE access': `${attack} $1 \\ " \ufffd \ufffd`,
      headers: { [`${attack}\ufffd`]: ['\ufffd', '\ufffd', '\\u0000'] },
    });
  });

  it('writes more values than one statement takes', async () => {
    const { sink } = await open({ buffering: { maxBatchedEvents: 10_000 } });
    const batch = Array.from({ length: 8_000 }, (_, at) => accessEvent(`${at}`));
    expect(await sink.deliver(batch)).toEqual([]);
    expect(await server.sql('SELECT count(*)::int AS count FROM access')).toEqual([{ count: 8_000 }]);
  });

  it('writes nothing of a batch that fails, and all of it when the table is there', async () => {
    const { sink } = await open();
    await server.sql('ALTER TABLE access RENAME TO other');
    const error = await undelivered(sink.deliver([accessEvent('1')]));
    expect(error.message).toBe(
      `127.0.0.1:${server.port}: PostgreSQL answered 42P01: there is no such table: check tableMappings`,
    );
    await server.sql('ALTER TABLE other RENAME TO access');
    expect(await sink.deliver([accessEvent('1')])).toEqual([]);
  });

  it('asks for a unique index where there is none', async () => {
    await server.sql('ALTER TABLE access DROP CONSTRAINT access_pkey');
    const { sink } = await open();
    const { message } = await undelivered(sink.deliver([accessEvent('1')]));
    expect(message).toContain('42P10: the column of _id has no unique index');
  });

  it('connects over TLS with a password of a secret store', async () => {
    const { sink } = await openSink({
      className: 'JdbcAuditEventHandler',
      config: {
        databaseType: 'postgresql',
        tableMappings: [{ event: 'access', table: 'access', fieldToColumn: COLUMNS }],
        connectionPool: {
          jdbcUrl: `jdbc:postgresql://localhost:${server.port}/postgres?sslmode=verify-full&user=${server.user}`,
          passwordSecretId: 'database.password',
        },
        tls: 'mine',
        secretsProvider: 'secrets',
      },
      objects: { tlsOptions: clientTlsOf(ca), secretsProvider: oneSecret(server.password) },
    });
    expect(await sink.deliver([accessEvent('1')])).toEqual([]);
  });

  it.each([
    ['a certificate that is not trusted', 'localhost', false, /self-signed certificate|unable to verify|issuer/i],
    ['a certificate for another host', '127.0.0.1', true, /not valid for '127\.0\.0\.1'/],
  ])('refuses %s', async (_, host, isTrusted, message) => {
    const jdbcUrl = `jdbc:postgresql://${host}:${server.port}/postgres?ssl=true`;
    const tls = isTrusted ? { tls: 'mine' } : {};
    const { sink } = await open(tls, { jdbcUrl }, { objects: { tlsOptions: clientTlsOf(ca) } });
    expect((await undelivered(sink.deliver([accessEvent('1')]))).message).toMatch(message);
  });

  it('says that the password is wrong and never shows it', async () => {
    const { sink, logged } = await open({}, { password: 'wrong-pass-word' });
    const { message, stack } = await undelivered(sink.deliver([accessEvent('1')]));
    expect(message).toContain('28P01: user name or password is wrong');
    expect(JSON.stringify([message, stack, logged])).not.toContain('wrong-pass-word');
  });

  it('connects only where the egress rule allows', async () => {
    const { sink } = await open({}, {}, { context: { mayReach: () => false } });
    expect((await undelivered(sink.deliver([accessEvent('1')]))).message).toContain('not allowed (egress rule)');
  });

  it('delivers again after the database was away', async () => {
    const { sink } = await open();
    await sink.deliver([accessEvent('1')]);
    await server.end();
    expect((await undelivered(sink.deliver([accessEvent('2')]))).delivered).toBe(0);
    await server.begin();
    expect(await sink.deliver([accessEvent('2')])).toEqual([]);
    expect(await ids()).toEqual(['1', '2']);
  });
});
