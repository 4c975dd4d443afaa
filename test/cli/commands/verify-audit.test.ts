import { appendFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { AuditFolder } from '../../support/audit/audit-folder.ts';
import { oneSecret } from '../../support/audit/one-secret.ts';
import { openSink } from '../../support/audit/opened-sink.ts';
import { accessEvent } from '../../support/audit/sink-events.ts';
import { gatewarden, runProgram } from '../../support/programs/run-program.ts';

const FILE = 'tamper-evident-access.csv';

it('verifies a tamper-evident file, and reports the line of a row that was added', async () => {
  const folder = new AuditFolder();
  writeFileSync(folder.of('key'), 'a secret of many bytes');
  const security = { enabled: true, secretsProvider: 'secrets', secretId: 'audit.key' };
  const { sink } = await openSink({
    className: 'CsvAuditEventHandler',
    config: { logDirectory: folder.path, security },
    objects: { secretsProvider: oneSecret('a secret of many bytes') },
  });
  await sink.deliver([accessEvent('1'), accessEvent('2')]);
  await sink.close();
  const words = ['verify-audit', '--key-file', folder.of('key'), folder.of(FILE)];

  expect(await runProgram(gatewarden, words)).toMatchObject({ code: 0, stdout: '2 events verified in 1 file\n' });
  appendFileSync(folder.of(FILE), `${folder.lines(FILE)[2]}\n`);
  const { code, stderr } = await runProgram(gatewarden, words);
  expect(code).toBe(1);
  expect(stderr).toContain(`${FILE}, line 6 does not follow the row before it`);
});
