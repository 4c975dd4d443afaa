import { appendFileSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readJsonPointer } from '../../../../../contract/crest/json-pointer.ts';
import { readQueryFilter } from '../../../../../contract/crest/query-filter.ts';
import type { JsonObject } from '../../../../../contract/document/json-value.ts';
import { type AuditQuery, QueryRefusal } from '../../../../../dataplane/audit/handlers/queries/audit-queries.ts';
import { type FileQueriesOptions, fileQueries } from '../../../../../dataplane/audit/handlers/queries/file-queries.ts';

const ROTATED = /^access\.audit\.json-\d+$/;

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'gatewarden-queries-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

const line = (id: number, more: JsonObject = {}): string => `${JSON.stringify({ n: id, ...more, _id: `e${id}` })}\n`;
const lines = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, at) => line(from + at, { odd: (from + at) % 2 === 1 })).join('');

function queriesOf(directory: string, limits: FileQueriesOptions['limits'] = {}) {
  return fileQueries({
    fileOf: (topic) => (topic === 'access' ? { path: join(directory, 'access.audit.json'), rotated: ROTATED } : null),
    limits,
  });
}

function query(filter: string, more: Partial<AuditQuery> & { sort?: string } = {}): AuditQuery {
  const { sort = '', ...rest } = more;
  const sortKeys = sort
    .split(',')
    .filter((key) => key !== '')
    .map((key) => ({ field: readJsonPointer(key.replace(/^[+-]/, '')), isDescending: key.startsWith('-') }));
  return {
    ...{ topic: 'access', filter: readQueryFilter(filter), sortKeys },
    ...{ pageSize: 0, offset: 0, counts: false },
    ...rest,
  };
}

const numbers = (events: readonly JsonObject[]): unknown[] => events.map(({ n }) => n);

describe('queries over files of events', () => {
  it('reads rotated files first, the oldest at the beginning, then the current one', async () => {
    const directory = folder();
    writeFileSync(join(directory, 'access.audit.json-2'), lines(4, 6));
    writeFileSync(join(directory, 'access.audit.json-1'), lines(1, 3));
    utimesSync(join(directory, 'access.audit.json-1'), 1000, 1000);
    utimesSync(join(directory, 'access.audit.json-2'), 2000, 2000);
    writeFileSync(join(directory, 'access.audit.json'), lines(7, 9));
    writeFileSync(join(directory, 'other.audit.json'), lines(100, 110));
    const { results, next, total } = await queriesOf(directory).query(query('true', { counts: true }));
    expect(numbers(results)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect([next, total]).toEqual([null, 9]);
  });

  it('filters, sorts and pages, and every event is on one page', async () => {
    const directory = folder();
    writeFileSync(join(directory, 'access.audit.json'), lines(1, 1000));
    const queries = queriesOf(directory);
    for (const sort of ['', 'n', '-n', 'odd,-n', '-missing,n']) {
      const all = numbers((await queries.query(query('odd eq true and n gt 10', { sort }))).results);
      expect(all).toHaveLength(495);
      const paged: unknown[] = [];
      for (let offset: number | null = 0; offset !== null; ) {
        const page = await queries.query(query('odd eq true and n gt 10', { sort, pageSize: 100, offset }));
        paged.push(...numbers(page.results));
        offset = page.next;
      }
      expect(paged).toEqual(all);
    }
    const last = await queries.query(query('true', { sort: '-n', pageSize: 3, offset: 2 }));
    expect(numbers(last.results)).toEqual([998, 997, 996]);
  });

  it('goes on behind the last event of a page, whatever is written and removed meanwhile', async () => {
    for (const sort of ['', 'odd', '-odd,n', '-n']) {
      const directory = folder();
      const at = (name: string): string => join(directory, name);
      writeFileSync(at('access.audit.json-1'), lines(1, 10));
      utimesSync(at('access.audit.json-1'), 1000, 1000);
      writeFileSync(at('access.audit.json'), lines(11, 20));
      const queries = queriesOf(directory);
      const seen: unknown[] = [];
      let after: AuditQuery['after'] = null;
      for (let round = 0; ; round++) {
        const page = await queries.query(query('n le 20', { sort, pageSize: 4, after }));
        seen.push(...numbers(page.results));
        if (page.last === undefined) break;
        after = page.last;
        if (round === 0) rmSync(at('access.audit.json-1'));
        appendFileSync(at('access.audit.json'), line(100 + round));
      }
      expect(new Set(seen).size).toBe(seen.length);
      for (let n = 11; n <= 20; n++) expect(seen).toContain(n);
    }
  });

  it('sorts as Common REST does: texts without regard to case, missing values last', async () => {
    const directory = folder();
    const users = ['bob', 'Alice', null, 'carol', 7, 'ALICE'];
    const events = users.map((user, at) => line(at, { user }));
    writeFileSync(join(directory, 'access.audit.json'), events.join(''));
    const sorted = async (sort: string) => numbers((await queriesOf(directory).query(query('true', { sort }))).results);
    expect(await sorted('user')).toEqual([4, 1, 5, 0, 3, 2]);
    expect(await sorted('-user')).toEqual([3, 0, 1, 5, 4, 2]);
  });

  it('reads an event by its id, also under the name for Elasticsearch', async () => {
    const directory = folder();
    writeFileSync(join(directory, 'access.audit.json'), `${lines(1, 3)}{"n":4,"_eventId":"es"}\n`);
    const queries = queriesOf(directory);
    expect(await queries.read('access', 'e2')).toEqual({ n: 2, odd: false, _id: 'e2' });
    expect(await queries.read('access', 'es')).toEqual({ n: 4, _id: 'es' });
    expect(await queries.read('access', 'none')).toBeNull();
    expect((await queries.query(query('_id eq "es"'))).results).toHaveLength(1);
  });

  it('leaves out lines that are unfinished, broken or too long, and no others', async () => {
    const directory = folder();
    const path = join(directory, 'access.audit.json');
    writeFileSync(path, `${line(1)}not json\n[1]\n${'x'.repeat(5 << 20)}\n${line(2)}\n{"n":3,"_id"`);
    const queries = queriesOf(directory);
    expect(numbers((await queries.query(query('true'))).results)).toEqual([1, 2]);
    appendFileSync(path, ':"e3"}\n');
    expect(numbers((await queries.query(query('true'))).results)).toEqual([1, 2, 3]);
  });

  it('finds lines across the borders of reads', async () => {
    const directory = folder();
    const long = (id: number): string => line(id, { text: 'é"\\n'.repeat(id * 997) });
    writeFileSync(join(directory, 'access.audit.json'), Array.from({ length: 60 }, (_, at) => long(at)).join(''));
    const { results } = await queriesOf(directory).query(query('true'));
    expect(results.map(({ text }) => String(text).length)).toEqual(Array.from({ length: 60 }, (_, at) => at * 997 * 4));
  });

  it('shows a file once that is rotated while it is read', async () => {
    const directory = folder();
    const path = join(directory, 'access.audit.json');
    writeFileSync(path, lines(1, 5000));
    const asked = queriesOf(directory).query(query('true', { counts: true, pageSize: 1 }));
    renameSync(path, `${path}-1`);
    writeFileSync(path, lines(5001, 5002));
    // the new file may be seen or not, but the renamed one is read exactly once
    expect([5000, 5002]).toContain((await asked).total);
  });

  it('has no events where there is no file yet', async () => {
    const { results, total } = await queriesOf(folder()).query(query('true', { counts: true }));
    expect([results, total]).toEqual([[], 0]);
  });

  it.each<[string, Partial<AuditQuery>, FileQueriesOptions['limits'], number, string]>([
    ['an unknown topic', { topic: 'nosuch' }, {}, 404, "no topic 'nosuch'"],
    ['a page that is too large', { pageSize: 10_001 }, {}, 400, 'at most 10000'],
    ['results that are too large', {}, { mostBytes: 1000 }, 400, 'too large'],
    ['a query that takes too long', {}, { longest: -1 }, 503, 'too long'],
    ['too many queries at once', {}, { mostAtOnce: 0 }, 503, 'at once'],
  ])('refuses %s', async (_, more, limits, status, message) => {
    const directory = folder();
    writeFileSync(join(directory, 'access.audit.json'), lines(1, 100));
    const refused: unknown = await queriesOf(directory, limits)
      .query(query('true', more))
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(QueryRefusal);
    expect(refused).toMatchObject({ status, message: expect.stringContaining(message) });
  });

  it('holds only the page of a sorted query, however many events there are', async () => {
    const directory = folder();
    writeFileSync(join(directory, 'access.audit.json'), lines(1, 20_000));
    const mostBytes = 2000; // a page of ten, twice, and not all 20,000
    const { results } = await queriesOf(directory, { mostBytes }).query(query('true', { sort: '-n', pageSize: 10 }));
    expect(numbers(results)).toEqual([20_000, 19_999, 19_998, 19_997, 19_996, 19_995, 19_994, 19_993, 19_992, 19_991]);
  });

  it('lets other work of the thread go on meanwhile', async () => {
    const directory = folder();
    writeFileSync(join(directory, 'access.audit.json'), lines(1, 50_000));
    let turns = 0;
    let isRunning = true;
    const asked = queriesOf(directory).query(query('n eq 50000'));
    void asked.finally(() => (isRunning = false));
    while (isRunning) {
      turns++;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(numbers((await asked).results)).toEqual([50_000]);
    expect(turns).toBeGreaterThan(10);
  });
});
