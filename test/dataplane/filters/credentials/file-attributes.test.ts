import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { problemsOf, startFiltered } from '../../../support/gateways/filtered-gateway.ts';
import { startTenants, TENANT } from '../../../support/gateways/tenant-gateway.ts';
import { secretFolder } from '../../../support/identity/secret-folder.ts';

const TYPE = 'FileAttributesFilter';
const FOUND = "${attributes.found.user}|${attributes.found.password}|${attributes.found['e mail']}";
const fields = { key: 'user', value: "${request.headers['X-User'][0]}", target: '${attributes.found}' };
const says = {
  type: 'StaticResponseHandler',
  config: { status: 200, headers: { 'Content-Type': ['text/plain'] }, entity: FOUND },
};
const as = (user: string): { headers: string[] } => ({ headers: [`X-User: ${user}`] });

function start(content: string | Uint8Array, config: JsonObject = {}) {
  const file = join(secretFolder({ 'users.csv': content }), 'users.csv');
  return { file, started: startFiltered([{ type: TYPE, config: { file, ...fields, ...config } }], says) };
}

describe(TYPE, () => {
  it('finds the first line with the value, by the names of the first line', async () => {
    const { started } = start('user,password,e mail\nada,"p,1",ada@example.com\nbob,p2\nada,other,x\n');
    const { ask } = await started;
    expect((await ask('/', as('ada'))).body).toBe('ada|p,1|ada@example.com');
    expect((await ask('/', as('bob'))).body).toBe('bob|p2|');
    for (const user of ['ADA', 'eve', 'user']) expect((await ask('/', as(user))).body).toBe('||');
    expect((await ask('/')).body).toBe('||');
  });

  it.each<[string, string | Uint8Array, JsonObject]>([
    [
      'given names in place of a first line',
      'ada:p\\:1',
      { separator: 'COLON', header: false, fields: ['user', 'password'] },
    ],
    ['given names over those of the first line', 'a\tb\nada\tp:1', { separator: 'TAB', fields: ['user', 'password'] }],
    ['another charset', Buffer.from('user,password\nada,p:1\n', 'utf16le'), { charset: 'UTF-16LE' }],
  ])('reads a file with %s', async (_, content, config) => {
    const { ask } = await start(content, config).started;
    expect((await ask('/', as('ada'))).body).toBe('ada|p:1|');
  });

  it('uses a changed file at once, and keeps the former content of one that cannot be used', async () => {
    const { file, started } = start('user,password\nada,one\n');
    const { ask, logged } = await started;
    expect((await ask('/', as('ada'))).body).toBe('ada|one|');
    writeFileSync(`${file}.new`, 'user,password\nada,two\n');
    renameSync(`${file}.new`, file);
    await expect.poll(async () => (await ask('/', as('ada'))).body).toBe('ada|two|');
    writeFileSync(`${file}.new`, 'user,password\nada,"secret-value\n');
    renameSync(`${file}.new`, file);
    await expect.poll(() => JSON.stringify(logged)).toContain('using its former content');
    expect((await ask('/', as('ada'))).body).toBe('ada|two|');
    expect(JSON.stringify(logged)).not.toContain('secret-value');
  });

  it.each([
    ['a key that the first line does not have', 'name,password\n', "has no field 'user'"],
    ['an empty file', '', "has no field 'user'"],
    ['bytes that are no UTF-8', Buffer.from([0xff]), 'cannot be used'],
    ['a file that is too large', 'x'.repeat((16 << 20) + 1), 'more than 16777216 bytes'],
  ])('cannot be built with %s', async (_, content, message) => {
    await expect(start(content).started).rejects.toThrow(message);
  });

  it('cannot be built without the file', async () => {
    const config = { file: '/no/such/file.csv', ...fields };
    await expect(startFiltered([{ type: TYPE, config }])).rejects.toThrow('cannot be read');
  });

  it('reads no file for a tenant', async () => {
    const chain = {
      filters: [{ type: TYPE, config: { file: '/etc/passwd', separator: 'COLON', ...fields } }],
      handler: says,
    };
    const document = { handler: { type: 'Chain', config: chain } };
    const gateway = await startTenants({ shop: { tenant: TENANT, document } });
    expect(JSON.stringify(gateway.problems)).toContain('is for operators only');
  });

  it.each<[string, JsonObject, string[]]>([
    [
      'nothing',
      {},
      [
        'missing file: is required',
        'missing key: is required',
        'missing value: is required',
        'missing target: is required',
      ],
    ],
    [
      'no names',
      { file: '/a', ...fields, header: false },
      ["missing fields: is required: the file has no first line with names ('header' is false)"],
    ],
    [
      'a key that is no field, a name twice',
      { file: '/a', ...fields, fields: ['a', 'a'] },
      ["value key: must be one of the names in 'fields'", 'value fields: must not contain a name twice'],
    ],
    ['no such charset', { file: '/a', ...fields, charset: 'UTF-9' }, ["value charset: there is no charset 'UTF-9'"]],
  ])('reports %s', (_, config, problems) => {
    expect(problemsOf(TYPE, config)).toEqual(expect.arrayContaining(problems));
    expect(problemsOf(TYPE, config)).toHaveLength(problems.length);
  });
});
