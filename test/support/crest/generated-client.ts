import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { generate } from 'openapi-typescript-codegen';
import { rolldown } from 'rolldown';
import { onTestFinished } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';

/** Operations of one tag, by the names that the generator makes of their ids. */
type Operations = Readonly<Record<string, (input: object) => Promise<JsonObject>>>;

/** Client that openapi-typescript-codegen has generated. */
export interface GeneratedClient {
  /** Settings of all requests. */
  readonly settings: { BASE: string; TOKEN?: string; ENCODE_PATH?: (text: string) => string };
  /** Returns the operations of a tag, such as `Routes`. */
  of(tag: string): Operations;
  /** Compiles a program that uses the client, and returns the errors of the compiler. */
  compile(program: string): Promise<string>;
}

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const COMPILER = join(repository, 'node_modules', '.bin', 'tsc');
const OPTIONS = [
  '--noEmit',
  '--strict',
  '--skipLibCheck',
  '--ignoreConfig',
  '--module',
  'esnext',
  '--target',
  'esnext',
];

/** Generates a client from a document of OpenAPI in a new folder, and loads it. */
export async function generateClient(api: JsonObject): Promise<GeneratedClient> {
  const folder = mkdtempSync(join(tmpdir(), 'gatewarden-client-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await generate({
    input: structuredClone(api) as Record<string, unknown>,
    output: join(folder, 'client'),
    ...{ httpClient: 'fetch', useUnionTypes: true, useOptions: true },
  });
  const bundle = await rolldown({ input: join(folder, 'client', 'index.ts'), platform: 'node' });
  const { output } = await bundle.generate({ format: 'es' });
  await bundle.close();
  const source = Buffer.from(output[0].code).toString('base64');
  const client: Record<string, unknown> = await import(`data:text/javascript;base64,${source}`);
  const settings = client['OpenAPI'] as GeneratedClient['settings'];
  // by default it leaves `?` and `#` as they are
  settings.ENCODE_PATH = encodeURIComponent;
  return {
    settings,
    of: (tag) => client[`${tag}Service`] as Operations,
    async compile(program) {
      const file = join(folder, 'program.ts');
      writeFileSync(file, program);
      const words = [...OPTIONS, '--moduleResolution', 'bundler', '--lib', 'esnext,dom', '--types', '', file];
      try {
        await promisify(execFile)(COMPILER, words, { cwd: folder });
        return '';
      } catch (error) {
        return String((error as { readonly stdout?: string }).stdout ?? error);
      }
    },
  };
}
