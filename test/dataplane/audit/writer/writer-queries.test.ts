import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readQueryFilter } from '../../../../contract/crest/query-filter.ts';
import type { AuditRequest } from '../../../../dataplane/audit/writer/audit-request.ts';
import { SupervisedAuditWriter } from '../../../../dataplane/supervisor/audit-writer.ts';
import { AuditUnit, handlerSettings } from '../../../support/audit/audit-unit.ts';

function supervised(): SupervisedAuditWriter {
  const writer = new SupervisedAuditWriter({
    log: pino({ level: 'silent' }),
    logLevel: 'info',
    reach: () => ({ listeners: [], egress: [], forbidden: [], appPorts: [] }),
    writeLog: () => undefined,
    writeStdout: async () => undefined,
  });
  onTestFinished(() => writer.drain(0));
  return writer;
}

/** A service that writes files in a folder of its own and a line for each event to the standard output. */
function openService(writer: SupervisedAuditWriter, queryHandler: string | null): AuditUnit {
  const directory = mkdtempSync(join(tmpdir(), 'gatewarden-asked-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const options = {
    ...{ directory, topics: ['access'], elasticsearchCompatible: false, mostEvents: 100, writeInterval: 0 },
    rotation: { maxFileSize: 500, prefix: 'old-', suffix: '-yyyy.MM.dd-HH.mm.ss', interval: null, times: [] },
    ...{ retention: { maxFiles: null, maxBytes: null, minFreeBytes: null }, checkInterval: 5000 },
  };
  const files = handlerSettings({ name: 'files', className: 'JsonAuditEventHandler', options });
  const unit = new AuditUnit();
  writer.heard(unit, unit.open([files, handlerSettings({ name: 'stdout' })], 'main', 1, queryHandler));
  return unit;
}

const request = (filter: string, pageSize = 0): AuditRequest => ({
  kind: 'query',
  query: {
    ...{ topic: 'access', filter: readQueryFilter(filter), sortKeys: [], pageSize, offset: 0 },
    counts: true,
  },
});

describe('queries to the audit writer', () => {
  it('are answered from the files of the handler for queries, rotated ones too', async () => {
    const writer = supervised();
    const unit = openService(writer, 'files');
    for (let n = 1; n <= 100; n++) unit.emit({ n });
    expect(writer.services).toEqual(['main']);

    await expect
      .poll(async () => {
        const answer = await writer.ask('main', '', request('n gt 90', 3));
        return answer.kind === 'page' ? answer.page : answer;
      })
      .toMatchObject({ total: 10, results: [{ n: 91, _id: '91' }, { n: 92 }, { n: 93 }] });
    expect(await writer.ask('main', '', { kind: 'read', topic: 'access', id: '42' })).toEqual({
      kind: 'event',
      event: { n: 42, _id: '42' },
    });
    expect(await writer.ask('main', '', { kind: 'read', topic: 'access', id: '101' })).toEqual({
      kind: 'event',
      event: null,
    });
  });

  it.each([
    [null, 501, "has no handler for queries: set 'handlerForQueries'"],
    ['stdout', 501, "'stdout' is a JsonStdoutAuditEventHandler, which does not support queries"],
    ['nosuch', 501, "has no enabled handler 'nosuch'"],
  ])('are refused where the handler for queries is %s', async (queryHandler, status, message) => {
    const writer = supervised();
    openService(writer, queryHandler);
    const answer = await writer.ask('main', '', request('true'));
    expect(answer).toMatchObject({ kind: 'refused', status, message: expect.stringContaining(message) });
  });

  it('are refused for an unknown service, and for a service of another tenant', async () => {
    const writer = supervised();
    openService(writer, 'files');
    for (const [service, realm] of [
      ['nosuch', ''],
      ['main', 'other'],
    ] as const) {
      expect(await writer.ask(service, realm, request('true'))).toMatchObject({ kind: 'refused', status: 404 });
    }
  });

  it('are all answered when the writer ends', async () => {
    const writer = supervised();
    openService(writer, 'files');
    const asked = Array.from({ length: 40 }, () => writer.ask('main', '', request('true')));
    writer.replace();
    const answers = await Promise.all(asked);
    const refused = answers.filter(({ kind }) => kind === 'refused');
    expect(refused.length).toBeGreaterThanOrEqual(8); // more than may wait at once
    expect(refused.every((answer) => answer.kind === 'refused' && answer.status === 503)).toBe(true);
  });
});
