import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../contract/document/json-value.ts';
import { AuditFolder } from '../../../../support/audit/audit-folder.ts';
import { handlerProblems } from '../../../../support/audit/built-sink.ts';
import { openSink } from '../../../../support/audit/opened-sink.ts';
import { accessEvent, sinkEvent } from '../../../../support/audit/sink-events.ts';

const FILE = 'access.csv';
const HEADER =
  '"_id","timestamp","eventName","transactionId","userId","trackingIds","server.ip","server.port","client.ip",' +
  '"client.port","request.protocol","request.operation","request.detail","http.request.secure","http.request.method",' +
  '"http.request.path","http.request.queryParameters","http.request.headers","http.request.cookies",' +
  '"http.response.headers","response.status","response.statusCode","response.detail","response.elapsedTime",' +
  '"response.elapsedTimeUnits","ig","decision"';

const files = (folder: AuditFolder, config: JsonObject = {}) =>
  openSink({ className: 'CsvAuditEventHandler', config: { logDirectory: folder.path, ...config } });

/** Column of a row whose values hold no quotes. */
const columnOf = (row: string, name: string): string =>
  row.split(',')[HEADER.replaceAll('"', '').split(',').indexOf(name)]!;

describe('CsvAuditEventHandler', () => {
  it('writes the columns of OpenIG, all values in quotes, and nothing for none', async () => {
    const folder = new AuditFolder();
    const { sink } = await files(folder);
    await sink.deliver([accessEvent('a1', { trackingIds: ['t1'], userId: '' })]);

    expect(folder.lines(FILE)).toEqual([
      HEADER,
      '"a1","2026-01-02T03:04:05.678Z","GW-HTTP-ACCESS","tx-a1",,"[""t1""]","192.0.2.2","443","192.0.2.1","54321",,,,' +
        '"true","GET","https://gw.test/a","{}","{}","{}","{}","SUCCESSFUL","200",,"12","MILLISECONDS",,',
      '',
    ]);
    expect(statSync(folder.of(FILE)).mode & 0o777).toBe(0o600);
  });

  it('uses the characters of its configuration', async () => {
    const folder = new AuditFolder();
    const formatting = { quoteChar: "'", delimiterChar: ';', endOfLineSymbols: '\r\n' };
    const { sink } = await files(folder, { formatting });
    await sink.deliver([accessEvent('a1', { userId: "it's;" })]);
    const text = readFileSync(folder.of(FILE), 'utf8');
    expect(text).toContain("'_id';'timestamp';");
    expect(text).toContain(";'it''s;';");
    expect(text.split('\r\n')).toHaveLength(3);
  });

  it('makes one row of an event whatever characters a client put into it', async () => {
    const folder = new AuditFolder();
    const { sink } = await files(folder);
    const evil = 'a\nb\r\n\u2028c\u2029d\u0085e\u001b[31m\u0000\u007f';
    const headers = { [evil]: [evil] };
    await sink.deliver([accessEvent('1', { userId: evil, http: { request: { path: evil, headers } } })]);
    const [, row, ...rest] = folder.lines(FILE);
    expect(rest).toEqual(['']);
    expect(row).toMatch(/^[\x20-\x7e]*$/);
    expect(row).toContain('"a\\u000ab\\u000d\\u000a\\u2028c');
  });

  it.each(['=1+1', '+1', '-1', '@sum'])('does not let a spreadsheet run %s as a formula', async (userId) => {
    const folder = new AuditFolder();
    const { sink } = await files(folder);
    await sink.deliver([accessEvent('1', { userId })]);
    expect(columnOf(folder.lines(FILE)[1]!, 'userId')).toBe(`"'${userId}"`);
  });

  it('writes the fields of a custom topic, and others in a column of their own', async () => {
    const folder = new AuditFolder();
    const { sink } = await openSink({
      className: 'CsvAuditEventHandler',
      config: { logDirectory: folder.path, topics: ['orders'] },
      fields: { orders: ['_id', 'item'] },
    });
    await sink.deliver([sinkEvent({ item: 'book', extra: 1, _id: 'x' }, 'orders')]);
    expect(folder.lines('orders.csv')).toEqual(['"_id","item","_other"', '"x","book","{""extra"":1}"', '']);
  });

  it('goes on with a file, cuts off an unfinished row, and puts a file with other columns aside', async () => {
    const folder = new AuditFolder();
    writeFileSync(folder.of(FILE), `${HEADER}\n"old"\n"to`);
    const { sink } = await files(folder);
    await sink.deliver([accessEvent('1')]);
    await sink.close();
    expect(folder.lines(FILE).map((line) => line.split(',')[0])).toEqual(['"_id"', '"old"', '"1"', '']);

    writeFileSync(folder.of(FILE), '"other"\n');
    const again = await files(folder);
    await again.sink.deliver([accessEvent('2')]);
    expect(folder.lines(FILE).map((line) => line.split(',')[0])).toEqual(['"_id"', '"2"', '']);
    expect(folder.names).toHaveLength(2);
  });

  it('begins each rotated file with the names of the columns', async () => {
    const folder = new AuditFolder();
    const { sink } = await files(folder, { fileRotation: { rotationEnabled: true, maxFileSize: 700 } });
    await sink.deliver([accessEvent('1'), accessEvent('2')]);
    expect(folder.names).toHaveLength(2);
    for (const name of folder.names) expect(folder.lines(name)).toEqual([HEADER, expect.any(String), '']);
  });
});

describe('the check of a CsvAuditEventHandler', () => {
  const said = (config: JsonObject): string =>
    handlerProblems('CsvAuditEventHandler', { logDirectory: '/x', ...config })
      .problems.map(({ path, message }) => `${path.join('.')} ${message}`)
      .join('\n');

  it('rejects characters that would make files ambiguous', () => {
    expect(said({ formatting: { quoteChar: 'a' } })).toContain('formatting.quoteChar must be one ASCII character');
    expect(said({ formatting: { delimiterChar: '"' } })).toContain("delimiterChar must differ from 'quoteChar'");
    expect(said({ formatting: { endOfLineSymbols: '|' } })).toContain('endOfLineSymbols must be a line feed');
    expect(said({ formatting: { delimiterChar: '\t' } })).toBe('');
  });

  it('rejects the keystore fields of OpenIG and names what replaces them', () => {
    const problems = said({ security: { enabled: true, filename: 'k', password: 'p', signatureInterval: '1 s' } });
    expect(problems).toContain(
      "security.filename cannot be given here: keystores of OpenIG are not used; give 'secretsProvider'",
    );
    expect(problems).toContain('security.password cannot be given here');
    expect(said({ security: { enabled: true } })).toContain('security.secretId is required');
    expect(said({ security: { enabled: false } })).toBe('');
  });
});
