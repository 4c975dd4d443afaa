import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FreshKeystore, javaRows, makeKeystores } from '../../support/identity/fresh-keystores.ts';
import { type KeystoreRow, keystoreRows, sorted } from '../../support/identity/keystore-rows.ts';
import { INSTALLATION, installPrograms } from '../../support/programs/debian-program.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatewarden-test-'));
let made: readonly FreshKeystore[];
let inJava: readonly (readonly KeystoreRow[] | null)[];

beforeAll(async () => {
  await installPrograms(['java', 'javac', 'keytool', 'openssl']);
  made = await makeKeystores(folder);
  inJava = await javaRows(folder, made);
}, INSTALLATION);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What Java reads, or what it reads in the same content where it does not know how this one is protected. */
function expected({ like }: FreshKeystore, index: number): readonly KeystoreRow[] | null {
  const rows = inJava[like === undefined ? index : made.findIndex(({ file }) => file === like)] ?? null;
  return rows === null ? null : sorted(rows);
}

it('reads freshly made keystores as Java does', async () => {
  expect(made.length).toBeGreaterThan(30);
  for (const [index, keystore] of made.entries()) {
    const { type, file, storePassword, entryPassword } = keystore;
    const rows = await keystoreRows(type, readFileSync(join(folder, file)), storePassword, entryPassword);
    expect(rows, `${file} with ${storePassword} and ${entryPassword}`).toEqual(expected(keystore, index));
  }
});

it('has something to compare', () => {
  const entries = inJava.flatMap((rows) => rows ?? []);
  const kinds = new Set(entries.map(({ entry }) => entry));
  expect(kinds).toEqual(new Set(['private', 'secret', 'cert', 'key-unreadable']));
  expect(inJava.filter((rows) => rows === null).length).toBeLessThan(6);
});
