import { execFile } from 'node:child_process';
import { renameSync, rmSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../contract/document/json-value.ts';
import { AuditFolder } from '../../../../support/audit/audit-folder.ts';
import { handlerProblems } from '../../../../support/audit/built-sink.ts';
import { openSink } from '../../../../support/audit/opened-sink.ts';
import { accessEvent, sinkEvent } from '../../../../support/audit/sink-events.ts';

const LIMITED = fileURLToPath(new URL('../../../../support/audit/limited-process.ts', import.meta.url));
const FILE = 'access.audit.json';

const files = (folder: AuditFolder, config: JsonObject = {}, now?: () => number) =>
  openSink({
    className: 'JsonAuditEventHandler',
    config: { logDirectory: folder.path, ...config },
    ...(now === undefined ? {} : { context: { now } }),
  });

const ids = (lines: readonly string[]): string[] =>
  lines.filter((line) => line !== '').map((line) => (JSON.parse(line) as { _id: string })._id);

describe('JsonAuditEventHandler', () => {
  it('appends each event as one line to the file of its topic, readable by the data plane only', async () => {
    const folder = new AuditFolder();
    const { sink } = await files(folder);
    const order = sinkEvent({ item: 'ü', _id: 'o' }, 'orders');
    await sink.deliver([accessEvent('a'), order, accessEvent('b')]);

    expect(folder.names).toEqual([FILE, 'orders.audit.json']);
    expect(folder.lines(FILE)).toEqual([accessEvent('a').json, accessEvent('b').json, '']);
    expect(folder.lines('orders.audit.json')).toEqual(['{"item":"ü","_id":"o"}', '']);
    expect(statSync(folder.of(FILE)).mode & 0o777).toBe(0o600);
  });

  it('writes the id as _eventId for Elasticsearch', async () => {
    const folder = new AuditFolder();
    const { sink } = await files(folder, { elasticsearchCompatible: true });
    await sink.deliver([sinkEvent({ a: 1, _id: 'x' })]);
    expect(folder.lines(FILE)).toEqual(['{"a":1,"_eventId":"x"}', '']);
  });

  it('makes one line of an event whatever characters a client put into it', async () => {
    const folder = new AuditFolder();
    const { sink } = await files(folder);
    const evil = 'a\nb\r\n\u2028c\u2029d\u0085e\u001b[31m\u0000\u007f\u202e{"_id":"forged"}';
    const event = sinkEvent({ path: evil, headers: { [evil]: [evil] }, userId: evil, _id: 'x' });
    await sink.deliver([event]);

    const [line, ...rest] = folder.lines(FILE);
    expect(rest).toEqual(['']);
    expect(line).toMatch(/^[\x20-\x7e]*$/);
    expect(JSON.parse(line!)).toEqual(event.fields);
  });

  it('makes a directory that is missing, also when it goes away later', async () => {
    const folder = new AuditFolder();
    const logDirectory = folder.of('a/b');
    const { sink } = await openSink({ className: 'JsonAuditEventHandler', config: { logDirectory } });
    await sink.deliver([accessEvent('1')]);
    expect(statSync(logDirectory).mode & 0o777).toBe(0o700);
    rmSync(folder.of('a'), { recursive: true });
    await sink.deliver([accessEvent('2')]);
    expect(ids(folder.lines(`a/b/${FILE}`))).toEqual(['2']);
  });

  it('begins the file anew when logrotate renamed it', async () => {
    const folder = new AuditFolder();
    const { sink } = await files(folder);
    await sink.deliver([accessEvent('1')]);
    renameSync(folder.of(FILE), folder.of('access.old'));
    await sink.deliver([accessEvent('2')]);
    expect([folder.lines('access.old'), folder.lines(FILE)].map(ids)).toEqual([['1'], ['2']]);
  });

  it('closes off a line that a killed process left unfinished', async () => {
    const folder = new AuditFolder();
    writeFileSync(folder.of(FILE), '{"_id":"0"}\n{"_id":"torn');
    const { sink } = await files(folder);
    await sink.deliver([accessEvent('1')]);
    expect(folder.lines(FILE)).toEqual(['{"_id":"0"}', '{"_id":"torn', accessEvent('1').json, '']);
  });

  it('rejects a batch while the disk is full, and writes it once there is room', async () => {
    const folder = new AuditFolder();
    symlinkSync('/dev/full', folder.of(FILE));
    const { sink } = await files(folder);
    await expect(sink.deliver([accessEvent('1')])).rejects.toMatchObject({
      name: 'Undelivered',
      delivered: 0,
      message: expect.stringMatching(/access\.audit\.json cannot be written: .*ENOSPC/),
    });
    unlinkSync(folder.of(FILE));
    await sink.deliver([accessEvent('1')]);
    expect(ids(folder.lines(FILE))).toEqual(['1']);
  });

  it('leaves no part of a line in a file that the system cuts short, and says how many events are safe', async () => {
    const folder = new AuditFolder();
    const script = `ulimit -f 8; exec "$0" "$1" "$2"`; // blocks of 512 or 1024 bytes
    const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' }; // its files are longer
    const { stdout } = await promisify(execFile)('sh', ['-c', script, process.execPath, LIMITED, folder.path], { env });

    const { delivered, message } = JSON.parse(stdout) as { delivered: number; message: string };
    const lines = folder.lines(FILE);
    expect(message).toMatch(/EFBIG/);
    expect(lines.at(-1)).toBe('');
    expect(ids(lines)).toHaveLength(delivered);
  });

  it('waits between writes, but not when it is about to stop', async () => {
    const folder = new AuditFolder();
    const { sink } = await files(folder, { buffering: { maxSize: 7, writeInterval: '1 minute' } });
    expect(sink.batch.events).toBe(7);
    await sink.deliver([accessEvent('1')]);
    const second = sink.deliver([accessEvent('2')]);
    sink.hurry!();
    await second;
    expect(ids(folder.lines(FILE))).toEqual(['1', '2']);
  });

  it('shares a file with another handler of the data plane', async () => {
    const folder = new AuditFolder();
    const fileRotation = { rotationEnabled: true, maxFileSize: 2000 };
    const [first, second] = await Promise.all([files(folder, { fileRotation }), files(folder, { fileRotation })]);
    for (let n = 0; n < 10; n++) {
      await Promise.all([first.sink.deliver([accessEvent(`a${n}`)]), second.sink.deliver([accessEvent(`b${n}`)])]);
    }
    expect(folder.names.flatMap((name) => ids(folder.lines(name)))).toHaveLength(20);
  });
});

describe('rotation of audit files', () => {
  it('rotates before a file exceeds its size, and overwrites no file', async () => {
    const folder = new AuditFolder();
    const moment = new Date(2026, 0, 2, 3, 4, 5).getTime();
    const size = accessEvent('1').bytes.length + 1;
    const { sink } = await files(
      folder,
      { fileRotation: { rotationEnabled: true, maxFileSize: 2 * size, rotationFilePrefix: 'old-' } },
      () => moment,
    );
    await sink.deliver(['1', '2', '3', '4', '5', '6', '7'].map((id) => accessEvent(id)));

    const rotated = `old-${FILE}-2026.01.02-03.04.05`;
    expect(folder.names).toEqual([FILE, rotated, `${rotated}.1`, `${rotated}.2`].sort());
    const inOrder = [rotated, `${rotated}.1`, `${rotated}.2`, FILE];
    expect(inOrder.map((name) => ids(folder.lines(name)))).toEqual([['1', '2'], ['3', '4'], ['5', '6'], ['7']]);
  });

  it.each<[string, JsonObject, number]>([
    ['of an age', { rotationInterval: '1 hour' }, 3_600_000],
    ['at a time of the day', { rotationTimes: ['4 hours', '12 hours'] }, 3_600_000],
  ])('rotates a file %s', async (_what, fileRotation, later) => {
    const folder = new AuditFolder();
    let now = new Date(new Date().getFullYear() + 1, 0, 2, 3, 30, 0).getTime();
    const config = { fileRotation: { rotationEnabled: true, rotationFileSuffix: "-'n'HHmm", ...fileRotation } };
    const { sink } = await files(folder, config, () => now);
    await sink.deliver([accessEvent('1')]);
    await sink.deliver([accessEvent('2')]);
    now += later;
    await sink.deliver([accessEvent('3')]);

    expect(folder.names).toEqual([FILE, `${FILE}-n0430`]);
    expect(ids(folder.lines(`${FILE}-n0430`))).toEqual(['1', '2']);
  });

  it('keeps so many rotated files, or so many bytes, and never deletes other files', async () => {
    for (const fileRetention of [{ maxNumberOfHistoryFiles: 2 }, { maxDiskSpaceToUse: 1200 }]) {
      const folder = new AuditFolder();
      writeFileSync(folder.of(`${FILE}-mine`), 'x'.repeat(5000));
      const fileRotation = { rotationEnabled: true, maxFileSize: 10, rotationFileSuffix: '-yyyy' };
      const { sink } = await files(folder, { fileRotation, fileRetention });
      for (let n = 1; n <= 9; n++) await sink.deliver([accessEvent(`${n}`)]);

      const kept = folder.names.filter((name) => name !== FILE && !name.endsWith('-mine'));
      expect(folder.names).toContain(`${FILE}-mine`);
      expect(kept).toHaveLength(2);
      expect(kept.flatMap((name) => ids(folder.lines(name))).sort()).toEqual(['7', '8']);
    }
  });

  it('deletes rotated files when the file system has too little room, and reports what is missing', async () => {
    const folder = new AuditFolder();
    const fileRotation = { rotationEnabled: true, maxFileSize: 10 };
    const fileRetention = { minFreeSpaceRequired: Number.MAX_SAFE_INTEGER };
    const { sink, logged } = await files(folder, { fileRotation, fileRetention });
    for (const id of ['1', '2', '3']) await sink.deliver([accessEvent(id)]);

    expect(folder.names).toEqual([FILE]);
    expect(logged.join('')).toContain('too little free space');
  });

  it('checks idle files at an interval', async () => {
    const folder = new AuditFolder();
    let now = Date.now();
    const config = {
      fileRotation: { rotationEnabled: true, rotationInterval: '1 hour' },
      rotationRetentionCheckInterval: '10 ms',
    };
    const { sink } = await files(folder, config, () => now);
    await sink.deliver([accessEvent('1')]);
    now += 3_600_000;
    await expect.poll(() => folder.names.length).toBe(2);
  });
});

describe('the check of a JsonAuditEventHandler', () => {
  it('rejects suffixes and prefixes that are no dates or lead elsewhere', () => {
    const said = (fileRotation: JsonObject): string =>
      handlerProblems('JsonAuditEventHandler', { logDirectory: '/x', fileRotation })
        .problems.map(({ message }) => message)
        .join();
    expect(said({ rotationFileSuffix: '-yyyy.gz' })).toContain("must not use the letter 'g'");
    expect(said({ rotationFileSuffix: "-'a/b'" })).toContain("must not contain '/'");
    expect(said({ rotationFileSuffix: "-'a" })).toContain('not closed');
    expect(said({ rotationFilePrefix: '../' })).toContain("must not contain '/'");
    expect(said({ rotationTimes: ['2 days'] })).toContain('at most 1 day');
    expect(said({ rotationFileSuffix: "-yyyy'.log'" })).toBe('');
  });

  it('warns about rotation and retention that have nothing to act on', () => {
    const remarks = (config: JsonObject): string[] =>
      handlerProblems('JsonAuditEventHandler', { logDirectory: '/x', ...config }).remarks.map(({ at }) => at.join('.'));
    expect(remarks({ fileRetention: { maxNumberOfHistoryFiles: 3 } })).toEqual(['fileRetention']);
    expect(remarks({ fileRotation: { rotationEnabled: true } })).toEqual(['fileRotation.rotationEnabled']);
    expect(remarks({ fileRotation: { rotationEnabled: true, maxFileSize: 1 } })).toEqual([]);
  });
});
