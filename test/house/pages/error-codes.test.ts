import { existsSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { problemCodes } from '../../../contract/problem.ts';
import { repositoryRoot } from '../source-file.ts';
import { errorCodeBreaches, type Refusals } from './error-codes.ts';

const module = `${repositoryRoot}/dataplane/engine/message/refusal.ts`;
const isThere = existsSync(module);

describe('every error code has a row in docs/errors.md and every row a code', () => {
  it(`in this repository${isThere ? '' : ' (dataplane/engine/message/refusal.ts is absent: no code, so no row is allowed)'}`, async () => {
    const refusals = isThere ? ((await import(pathToFileURL(module).href)) as { refusals: Refusals }).refusals : {};
    if (isThere) expect(refusals).not.toEqual({});
    expect(errorCodeBreaches(refusals, readFileSync(`${repositoryRoot}/docs/errors.md`, 'utf8'))).toEqual([]);
  });

  it('is noticed when one is missing, doubled or different', () => {
    const refusals = { BAD_TARGET: { status: 400, reason: 'the target is ambiguous' } };
    const page = '| Code | Status | Meaning |\n|---|---|---|\n';
    expect(errorCodeBreaches(refusals, `${page}| \`BAD_TARGET\` | 400 | why |\n`)).toEqual([]);
    expect(errorCodeBreaches(refusals, page)).toEqual(['BAD_TARGET has no row in docs/errors.md']);
    expect(errorCodeBreaches(refusals, `${page}| \`BAD_TARGET\` | 404 | why |\n`)).toEqual([
      'BAD_TARGET answers 400, but docs/errors.md says 404',
    ]);
    expect(errorCodeBreaches({}, `${page}| \`BAD_TARGET\` | 400 | why |\n`)).toEqual([
      'BAD_TARGET is documented but does not exist',
    ]);
    expect(errorCodeBreaches(refusals, `${page}${'| `BAD_TARGET` | 400 | why |\n'.repeat(2)}`)).toEqual([
      'BAD_TARGET has two rows',
    ]);
  });
});

describe('every problem code has a row in docs/errors.md and every row a code', () => {
  it('in this repository', () => {
    const page = readFileSync(`${repositoryRoot}/docs/errors.md`, 'utf8').split('## Problems of documents')[1] ?? '';
    const rows = [...page.matchAll(/^\|\s*`([^`]+)`\s*\|/gm)].map((row) => row[1]);
    expect(rows).toEqual([...problemCodes]);
  });
});
