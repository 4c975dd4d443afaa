import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../contract/document/json-value.ts';
import { verifyCsv } from '../../../../../dataplane/audit/handlers/csv/verify-csv.ts';
import { AuditFolder } from '../../../../support/audit/audit-folder.ts';
import { oneSecret } from '../../../../support/audit/one-secret.ts';
import { openSink } from '../../../../support/audit/opened-sink.ts';
import { accessEvent } from '../../../../support/audit/sink-events.ts';

const SECRET = 'a secret of many bytes';
const FILE = 'tamper-evident-access.csv';

async function files(folder: AuditFolder, more: JsonObject = {}, text = SECRET) {
  return openSink({
    className: 'CsvAuditEventHandler',
    config: {
      logDirectory: folder.path,
      security: { enabled: true, secretsProvider: 'secrets', secretId: 'audit.key', signatureInterval: '1 hour' },
      ...more,
    },
    objects: { secretsProvider: oneSecret(text) },
  });
}

/** A file with five events that was closed. */
async function closedFile(): Promise<AuditFolder> {
  const folder = new AuditFolder();
  const { sink } = await files(folder);
  await sink.deliver(['1', '2', '3'].map((id) => accessEvent(id)));
  await sink.deliver(['4', '5'].map((id) => accessEvent(id)));
  await sink.close();
  return folder;
}

async function faultsOf(folder: AuditFolder, names = [FILE], secret = SECRET): Promise<string[]> {
  const { faults } = await verifyCsv(
    names.map((name) => folder.of(name)),
    [Buffer.from(secret)],
  );
  return faults.map(({ line, message }) => `${line ?? '-'}: ${message}`);
}

/** Changes the lines of the file. Line 0 has the names, line 1 begins the series, lines 2 to 6 are the events. */
function change(folder: AuditFolder, edit: (lines: string[]) => string[]): void {
  const lines = readFileSync(folder.of(FILE), 'utf8').split('\n');
  writeFileSync(folder.of(FILE), edit(lines).join('\n'));
}

describe('a tamper-evident file', () => {
  it('is verified when nothing was changed', async () => {
    const folder = await closedFile();
    const { events, faults } = await verifyCsv([folder.of(FILE)], [Buffer.from(SECRET)]);
    expect([events, faults]).toEqual([5, []]);
  });

  it.each<[string, (lines: string[]) => string[], RegExp]>([
    ['a changed value', (lines) => lines.with(3, lines[3]!.replace('"2"', '"9"')), /^4: .*changed/],
    ['a removed row', (lines) => lines.toSpliced(3, 1), /^4: .*removed/],
    ['swapped rows', (lines) => lines.with(3, lines[4]!).with(4, lines[3]!), /^4: .*moved/],
    ['a repeated row', (lines) => lines.toSpliced(4, 0, lines[3]!), /^5: .*added/],
    ['rows that were cut off', (lines) => [...lines.slice(0, 5), ''], /^-: rows at the end are missing/],
    ['half a row at the end', (lines) => [...lines.slice(0, 7), lines[7]!.slice(0, 30)], /^8: .*cut off/],
    ['a changed code', (lines) => lines.with(3, lines[3]!.replace(/"[^"]{43}=",$/, `"${'A'.repeat(43)}=",`)), /^4: /],
    ['a removed beginning', (lines) => lines.toSpliced(1, 2), /^2: does not begin a series/],
    ['other names of columns', (lines) => lines.with(0, '"x"'), /^1: is not the first line/],
    ['other ends of lines', (lines) => lines.with(3, `${lines[3]}\r`), /^4: .*changed/],
  ])('shows %s', async (_what, edit, expected) => {
    const folder = await closedFile();
    change(folder, edit);
    expect((await faultsOf(folder))[0]).toMatch(expected);
  });

  it('shows rows that were cut off although the state file was removed with them', async () => {
    const folder = await closedFile();
    change(folder, (lines) => [...lines.slice(0, 5), '']);
    rmSync(folder.of(`${FILE}.state`));
    expect(await faultsOf(folder)).toEqual([expect.stringContaining('has no end')]);
  });

  it('shows that it was written with another secret', async () => {
    const folder = await closedFile();
    expect((await faultsOf(folder, [FILE], 'another secret of many bytes'))[0]).toContain('another secret');
  });

  it('is signed at an interval while it is written, and shows rows cut off before that', async () => {
    const folder = new AuditFolder();
    const security = {
      enabled: true,
      secretsProvider: 'secrets',
      secretId: 'audit.key',
      signatureInterval: '20 ms',
    };
    const { sink } = await files(folder, { security });
    await sink.deliver([accessEvent('1')]);
    await expect.poll(() => folder.lines(FILE).some((line) => line.includes('"signed:'))).toBe(true);
    const stateOf = (): string => readFileSync(folder.of(`${FILE}.state`), 'utf8').slice(0, 44);
    await expect
      .poll(() => folder.lines(FILE).some((line) => line.includes('signed:') && line.includes(stateOf())))
      .toBe(true);
    expect(await faultsOf(folder)).toEqual([]);

    const copy = new AuditFolder();
    for (const name of folder.names) copyFileSync(folder.of(name), copy.of(name));
    change(copy, (lines) => [...lines.slice(0, 2), '']);
    expect(await faultsOf(copy)).toEqual([expect.stringContaining('rows at the end are missing')]);
  });

  it('goes on after a stop, and after a kill that left half a row', async () => {
    const folder = await closedFile();
    change(folder, (lines) => [...lines.slice(0, -1), '"half']);
    const { sink } = await files(folder);
    await sink.deliver([accessEvent('6')]);
    await sink.close();
    expect(await faultsOf(folder)).toEqual([]);
  });

  it('shows for ever that rows were cut off while the data plane was stopped', async () => {
    const folder = await closedFile();
    change(folder, (lines) => [...lines.slice(0, 5), '']);
    const { sink, logged } = await files(folder);
    await sink.deliver([accessEvent('6')]);
    await sink.close();
    expect(logged.join('')).toContain('rows are missing at the end');
    expect(await faultsOf(folder)).toEqual([expect.stringMatching(/^6: .*rows or files are missing/)]);
  });

  it('is followed by the next one after a rotation, and shows a file that is missing between two', async () => {
    const folder = new AuditFolder();
    const { sink } = await files(folder, {
      fileRotation: { rotationEnabled: true, maxFileSize: 1100, rotationFileSuffix: '-yyyy' },
    });
    for (const id of ['1', '2', '3', '4', '5', '6']) await sink.deliver([accessEvent(id)]);
    await sink.close();
    const rotated = folder.names
      .filter((name) => /-\d{4}(?:\.\d+)?$/.test(name))
      .sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
    expect(rotated.length).toBeGreaterThanOrEqual(2);
    expect(await faultsOf(folder, [...rotated, FILE])).toEqual([]);
    expect((await faultsOf(folder, [rotated[0]!, FILE])).join()).toContain('rows or files are missing');
  });

  it('is verified with the secrets of before and after a rotation of the secret', async () => {
    const folder = await closedFile();
    const next = 'the next secret of many bytes';
    const { sink } = await files(folder, {}, next);
    await sink.deliver([accessEvent('6')]);
    await sink.close();
    const { faults } = await verifyCsv([folder.of(FILE)], [Buffer.from(SECRET), Buffer.from(next)]);
    expect(faults).toEqual([]);
  });

  it('needs a secret of 16 bytes', async () => {
    await expect(files(new AuditFolder(), {}, 'short')).rejects.toThrow(/shorter than 16 bytes/);
  });
});
