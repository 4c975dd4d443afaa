import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../contract/document/json-value.ts';
import { readJdbcUrl } from '../../../../../dataplane/audit/handlers/jdbc/jdbc-url.ts';
import { sqlName } from '../../../../../dataplane/audit/handlers/jdbc/sql-name.ts';
import { handlerProblems } from '../../../../support/audit/built-sink.ts';
import { openSink } from '../../../../support/audit/opened-sink.ts';

describe('readJdbcUrl', () => {
  it.each([
    ['jdbc:postgresql://db.test:6543/audit', { host: 'db.test', port: 6543, database: 'audit', useTls: false }],
    ['jdbc:postgresql://db.test/audit', { host: 'db.test', port: 5432 }],
    ['jdbc:postgresql:audit', { host: 'localhost', port: 5432, database: 'audit' }],
    ['jdbc:postgresql://[::1]:5432/a%20b', { host: '::1', database: 'a b' }],
    ['jdbc:postgresql://h/d?ssl=true', { useTls: true }],
    ['jdbc:postgresql://h/d?sslmode=verify-full', { useTls: true }],
    ['jdbc:postgresql://h/d?ssl=true&sslmode=disable', { useTls: false }],
    [
      'jdbc:postgresql://h/d?user=a%26b&currentSchema=s&ApplicationName=x',
      { user: 'a&b', schema: 's', applicationName: 'x' },
    ],
  ])('reads %s', (url, expected) => {
    expect(readJdbcUrl(url)).toMatchObject(expected);
  });

  it.each([
    ['jdbc:mysql://h/d', 'is not the JDBC URL of a PostgreSQL database'],
    ['postgresql://h/d', 'is not the JDBC URL'],
    ['jdbc:postgresql://h/', 'must name a database'],
    ['jdbc:postgresql://h:0/d', 'no valid host and port'],
    ['jdbc:postgresql://a:1,b:2/d', 'must name one host'],
    ['jdbc:postgresql://u:sesame@h/d', 'must hold no credentials'],
    ['jdbc:postgresql://h/d?password=sesame', "'password' must not be in the URL"],
    ['jdbc:postgresql://h/d?sslmode=prefer', 'sslmode=prefer is not supported'],
    ['jdbc:postgresql://h/d?sslrootcert=/etc/x', "use 'tls' with a trustManager"],
    ['jdbc:postgresql://h/d?other=1', "the parameter 'other' is not supported"],
  ])('refuses %s without showing a password', (url, message) => {
    const read = () => readJdbcUrl(url);
    expect(read).toThrow(message);
    expect(read).not.toThrow('sesame');
  });
});

describe('sqlName', () => {
  it.each([
    ['am_AuditAccess', 1, '"am_auditaccess"'],
    ['audit.Access', 2, '"audit"."access"'],
    ['"Audit"."a b"', 2, '"Audit"."a b"'],
    ['"a.b"', 1, '"a.b"'],
    ['"a""b; DROP TABLE x"', 1, '"a""b; DROP TABLE x"'],
  ])('quotes %s', (text, parts, expected) => {
    expect(sqlName(text, parts)).toBe(expected);
  });

  it.each(['', 'a b', 'a"b', 'a;b', '1a', 'a.b', '.', '"', '""', '"a"b"', `"${'x'.repeat(64)}"`, '"a\0"', 'a)--'])(
    'refuses %j as the name of a column',
    (text) => {
      expect(sqlName(text)).toBeNull();
    },
  );
});

describe('the configuration of a JdbcAuditEventHandler', () => {
  const sound: JsonObject = {
    databaseType: 'postgresql',
    tableMappings: [{ event: 'access', table: 'access', fieldToColumn: { _id: 'id' } }],
    connectionPool: { jdbcUrl: 'jdbc:postgresql://localhost/audit', username: 'gw', password: 'sesame' },
  };
  const found = (more: JsonObject) =>
    handlerProblems('JdbcAuditEventHandler', { ...sound, ...more }).problems.map(
      ({ path, severity, message }) => `${severity} ${path.join('.')}: ${message}`,
    );

  it('gives quoted names and pointers to the sink', async () => {
    const { options } = await openSink({ className: 'JdbcAuditEventHandler', config: sound });
    expect(options).toMatchObject({
      host: 'localhost',
      user: 'gw',
      password: 'sesame',
      maxBatchedEvents: 100,
      tables: [{ topic: 'access', table: '"access"', idColumn: '"id"', columns: [{ field: ['_id'], column: '"id"' }] }],
    });
  });

  it.each(['mysql', 'Oracle', 'h2'])('refuses %s by its name', (databaseType) => {
    expect(found({ databaseType })).toEqual([`error databaseType: '${databaseType}' is not supported`]);
  });

  it('warns of fields without effect', () => {
    const connectionPool = { ...(sound['connectionPool'] as JsonObject), autoCommit: true, minIdle: 1, maxPoolSize: 2 };
    expect(
      found({ connectionPool, buffering: { enabled: true, writerThreads: 2 } }).map((text) => text.split(':')[0]),
    ).toEqual([
      'warning connectionPool.autoCommit',
      'warning connectionPool.minIdle',
      'warning connectionPool.maxPoolSize',
      'warning buffering.enabled',
      'warning buffering.writerThreads',
    ]);
  });

  it('names topics without a table, tables given twice and columns given twice', () => {
    const mapping = { event: 'other', table: 'access', fieldToColumn: { _id: 'id', userId: 'ID', '/%zz': 'z' } };
    expect(found({ tableMappings: [mapping, { ...mapping, fieldToColumn: { _id: 'id' } }] })).toEqual([
      "error tableMappings.1.event: there are two tables for 'other'",
      "error tableMappings: has no table for the topic 'access'",
      "error tableMappings.0.fieldToColumn.userId: has the same column as '_id'",
      'error tableMappings.0.fieldToColumn./%zz: is not a JSON pointer to a field of the event',
    ]);
  });

  it('warns of a table that stores repeated events twice', () => {
    const tableMappings = [{ event: 'access', table: 'access', fieldToColumn: { userId: 'user_id' } }];
    const { remarks } = handlerProblems('JdbcAuditEventHandler', { ...sound, tableMappings });
    expect(remarks.map(({ at }) => at.join('.'))).toEqual(['connectionPool.password', 'tableMappings.0.fieldToColumn']);
  });
});
