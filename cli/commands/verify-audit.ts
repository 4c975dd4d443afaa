import { defineCommand, type Reading } from './command.ts';

const SHOWN = 20;

/** Verifies tamper-evident audit files. */
export const verifyAuditCommand = defineCommand({
  name: 'verify-audit',
  summary: 'verify tamper-evident audit files of CsvAuditEventHandler',
  description:
    'Verifies the codes of all rows of tamper-evident CSV files and reports rows that were changed, added, removed, ' +
    'reordered or cut off. Give rotated files first, in the order in which they were written: then a file that is ' +
    'missing between them is reported, too. The state file beside the current file (FILE.state) shows if rows at its end ' +
    'are missing. The exit code is 1 when there are faults.',
  arguments: [{ name: 'FILE', description: 'Files, the oldest first.', many: true }],
  options: {
    'key-file': {
      valueName: 'PATH[,PATH]',
      description: 'File with the secret of the codes, byte for byte; after a rotation also those of earlier secrets.',
      read: (text: string): Reading<readonly string[]> => {
        const paths = text.split(',').filter((path) => path !== '');
        return paths.length === 0 ? { problem: 'must name a file' } : { value: paths };
      },
    },
  },
  examples: [
    {
      command: 'gatewarden verify-audit --key-file /run/secrets/audit.key tamper-evident-access.csv',
      effect: 'Verify the current file of accesses.',
    },
  ],
  async run({ 'key-file': keyFiles }, { FILE: paths }) {
    const { readFile } = await import('node:fs/promises');
    const { verifyCsv } = await import('../../dataplane/audit/handlers/csv/verify-csv.ts');
    const secrets = await Promise.all(keyFiles.map((path) => readFile(path)));
    const { events, faults } = await verifyCsv(paths, secrets);
    for (const { path, line, message } of faults.slice(0, SHOWN)) {
      process.stderr.write(`${path}${line === null ? ':' : `, line ${line}`} ${message}\n`);
    }
    if (faults.length > SHOWN) process.stderr.write(`and ${faults.length - SHOWN} more\n`);
    if (faults.length > 0) return 1;
    process.stdout.write(`${events} events verified in ${paths.length} ${paths.length === 1 ? 'file' : 'files'}\n`);
    return 0;
  },
});
