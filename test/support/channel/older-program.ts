import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../../..', import.meta.url));

/** Fields of messages that the version before this one did not have. */
const ADDED_FIELDS = ['authorities', 'counts', 'explains'];

/**
 * Copies the program to a folder, without one type of object, as a version from before that type would be.
 * @param type the name of its definition among the common types of the catalogue
 * @returns the path of the executable
 */
export function olderProgram(folder: string, type: string): string {
  for (const part of ['cli', 'contract', 'controller', 'dataplane', 'platform', 'package.json']) {
    cpSync(join(repository, part), join(folder, part), { recursive: true });
  }
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
  edit(folder, 'dataplane/catalogue/groups/common-types.ts', new RegExp(`^ {2}${type},\\n`, 'm'), '');
  return join(folder, 'cli', 'gatewarden');
}

/** The same with a lower version, whose messages lack what this version has added to them. */
export function previousProgram(folder: string, version: string, type: string): string {
  const program = olderProgram(folder, type);
  edit(folder, 'package.json', /("version": )"[^"]+"/, `$1"${version}"`);
  for (const field of ADDED_FIELDS) {
    edit(folder, 'contract/channel-schema.ts', new RegExp(`^ *${field}: z\\.exactOptional\\(.*\\),\\n`, 'm'), '');
  }
  const unsaid = `(name, value) => (${JSON.stringify(ADDED_FIELDS)}.includes(name) ? undefined : value)`;
  edit(folder, 'contract/channel-codec.ts', 'JSON.stringify(message)', `JSON.stringify(message, ${unsaid})`);
  return program;
}

/** The program as it was before routes shared resources: it reads nothing of them, and says nothing of them. */
export function programWithoutResources(folder: string): string {
  const program = olderProgram(folder, 'uriPathRewriteFilter');
  edit(folder, 'contract/channel-schema.ts', /^ *resources: z\.exactOptional\(.*\),\n/gm, '');
  const unsaid = `(name, value) => (name === 'resources' ? undefined : value)`;
  edit(folder, 'contract/channel-codec.ts', 'JSON.stringify(message)', `JSON.stringify(message, ${unsaid})`);
  return program;
}

function edit(folder: string, path: string, what: string | RegExp, instead: string): void {
  const file = join(folder, path);
  const text = readFileSync(file, 'utf8');
  const edited = text.replace(what, instead);
  if (edited === text) throw new Error(`${path} has no ${what}`);
  writeFileSync(file, edited);
}
