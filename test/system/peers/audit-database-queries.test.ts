import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { PagePlace } from '../../../contract/crest/page-cookie.ts';
import { readQueryFilter } from '../../../contract/crest/query-filter.ts';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import {
  type AuditQueries,
  type AuditQuery,
  type AuditQueryPage,
  QueryRefusal,
} from '../../../dataplane/audit/handlers/queries/audit-queries.ts';
import { openSink } from '../../support/audit/opened-sink.ts';
import { PostgresServer } from '../../support/audit/postgres-server.ts';
import { accessEvent } from '../../support/audit/sink-events.ts';
import { certificateAuthority } from '../../support/identity/certificates.ts';
import { INSTALLATION, installPrograms } from '../../support/programs/debian-program.ts';

let server: PostgresServer;

beforeAll(async () => {
  await installPrograms(['pg_lsclusters', 'setpriv']);
  server = await PostgresServer.start(certificateAuthority('the authority').issue({ names: ['localhost'] }));
  await server.sql(
    'CREATE TABLE access (id text PRIMARY KEY, at timestamptz, user_id text, port integer, secure boolean, headers jsonb)',
  );
}, INSTALLATION);
afterAll(() => server.stop());

const EVENTS = [
  accessEvent('a', {
    userId: 'Alice',
    client: { port: 1 },
    http: { request: { secure: true, headers: { x: ['1'] } } },
  }),
  accessEvent('b', { userId: 'bob', client: { port: 22 }, http: { request: { secure: false } } }),
  accessEvent('c', { userId: "x'); DROP TABLE access; --", client: { port: 3 } }),
  accessEvent('d', { client: { port: 4 } }),
];

/** The queries of a sink that has delivered the events. */
async function queries(): Promise<AuditQueries> {
  const { sink } = await openSink({
    className: 'JdbcAuditEventHandler',
    config: {
      databaseType: 'postgresql',
      tableMappings: [
        {
          event: 'access',
          table: 'access',
          fieldToColumn: {
            _id: 'id',
            timestamp: 'at',
            userId: 'user_id',
            'client/port': 'port',
            'http/request/secure': 'secure',
            'http/request/headers': 'headers',
          },
        },
      ],
      connectionPool: {
        jdbcUrl: `jdbc:postgresql://127.0.0.1:${server.port}/postgres`,
        username: server.user,
        password: server.password,
      },
    },
  });
  await sink.deliver(EVENTS);
  return sink.queries!;
}

function query(filter: string, more: Partial<AuditQuery> = {}): AuditQuery {
  return {
    topic: 'access',
    filter: readQueryFilter(filter),
    sortKeys: [],
    pageSize: 0,
    offset: 0,
    counts: false,
    ...more,
  };
}

const idsOf = (results: readonly JsonObject[]) => results.map(({ _id }) => _id);

describe('queries of a JDBC handler with a real PostgreSQL', () => {
  it.each([
    ['true', ['a', 'b', 'c', 'd']],
    ['false', []],
    ['userId eq "ALICE"', ['a']],
    ['!(userId eq "ALICE")', ['b', 'c', 'd']],
    ['userId pr', ['a', 'b', 'c']],
    ['userId co "LIC" or userId sw "BO"', ['a', 'b']],
    ['/client/port ge 3 and /client/port lt 22', ['c', 'd']],
    ['/client/port eq "3"', []],
    ['userId eq 3', []],
    ['http/request/secure eq true', ['a', 'c', 'd']],
    ['timestamp ge "2026-01-02T03:04:05" and timestamp lt "2026-01-03"', ['a', 'b', 'c', 'd']],
    ['userId eq "x\'); DROP TABLE access; --"', ['c']],
    ['userId eq "\\u0000"', []],
  ])('selects by %s', async (filter, ids) => {
    const { results } = await (await queries()).query(query(filter));
    expect(idsOf(results)).toEqual(ids);
  });

  it('sorts by a field in both directions, missing values last', async () => {
    const sorted = async (isDescending: boolean) =>
      idsOf(
        (await (await queries()).query(query('true', { sortKeys: [{ field: ['userId'], isDescending }] }))).results,
      );
    expect((await sorted(false)).at(-1)).toBe('d');
    expect(await sorted(true)).toEqual(['c', 'b', 'a', 'd']);
  });

  it('pages, and counts', async () => {
    const side = await queries();
    const first = await side.query(query('true', { pageSize: 3, counts: true }));
    expect([idsOf(first.results), first.total]).toEqual([['a', 'b', 'c'], 4]);
    const second = await side.query(query('true', { pageSize: 3, offset: first.next ?? 0 }));
    expect([idsOf(second.results), second.next, second.total]).toEqual([['d'], null, -1]);
    const { results } = await side.query(query('true', { pageSize: 2, offset: 1 }));
    expect(idsOf(results)).toEqual(['b', 'c']);
  });

  it.each([
    ['in the order of time', []],
    ['sorted by texts, of which some are missing', [{ field: ['userId'], isDescending: false }]],
    ['sorted backwards', [{ field: ['userId'], isDescending: true }]],
    [
      'sorted by several fields',
      [
        { field: ['http', 'request', 'secure'], isDescending: true },
        { field: ['client', 'port'], isDescending: false },
      ],
    ],
  ])('goes through all events %s, each once, while others are written', async (_, sortKeys) => {
    onTestFinished(async () => void (await server.sql("DELETE FROM access WHERE id LIKE 'late%'")));
    const side = await queries();
    const all = idsOf((await side.query(query('true', { sortKeys }))).results);
    const seen: unknown[] = [];
    for (let [at, after]: [number, PagePlace | null] = [0, null]; at < 20; at++) {
      const page: AuditQueryPage = await side.query(query('true', { sortKeys, pageSize: 1, after }));
      seen.push(...idsOf(page.results));
      if (page.next === null) break;
      after = page.last!;
      if (at < 3) await server.sql(`INSERT INTO access VALUES ('late${at}', '2020-01-01', 'Aaron', 0, true, null)`);
    }
    expect(seen.filter((id) => !String(id).startsWith('late'))).toEqual(all);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('goes on behind an event that is gone', async () => {
    const side = await queries();
    await server.sql("INSERT INTO access VALUES ('aa', '2026-01-02T03:04:05.678Z', null, 1, true, null)");
    const first = await side.query(query('true', { pageSize: 2 }));
    await server.sql("DELETE FROM access WHERE id = 'aa'");
    const second = await side.query(query('true', { pageSize: 2, after: first.last! }));
    expect([idsOf(first.results), idsOf(second.results)]).toEqual([
      ['a', 'aa'],
      ['b', 'c'],
    ]);
  });

  it('reads an event by its id, with its fields where they were', async () => {
    const side = await queries();
    expect(await side.read('access', 'a')).toEqual({
      _id: 'a',
      timestamp: '2026-01-02T03:04:05.678+00:00',
      userId: 'Alice',
      client: { port: 1 },
      http: { request: { secure: true, headers: { x: ['1'] } } },
    });
    expect(await side.read('access', "a' OR 'a' = 'a")).toBeNull();
  });

  it.each([
    ['a field without a column', query('other eq 1'), 400],
    ['an operator that it does not know', query('userId near "x"'), 400],
    ['a topic without a table', query('true', { topic: 'other' }), 404],
    ['a page that is too large', query('true', { pageSize: 10_001 }), 400],
  ])('refuses %s', async (_, wrong, status) => {
    const refused = (await queries()).query(wrong);
    await expect(refused).rejects.toBeInstanceOf(QueryRefusal);
    await expect(refused).rejects.toMatchObject({ status });
  });
});
