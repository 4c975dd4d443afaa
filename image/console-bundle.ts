import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OutputChunk, rolldown } from 'rolldown';
import { consoleCatalogue } from '../cli/output/console-catalogue.ts';
import { packJson } from '../contract/shown/packed-json.ts';
import { packagePlaces } from './package-places.ts';

/** The console, packed into one file. */
export interface ConsoleBundle {
  /** Media type and text of each file by its name, as JSON. */
  readonly packed: string;
  /** Where the packages lie of which some code is in it. */
  readonly packages: readonly string[];
}

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';
const PAGE = 'text/html; charset=utf-8';
const DATA = 'application/json';

/** Compiles the console of a checkout. The same sources give the same text. */
export async function consoleBundle(repository: string): Promise<ConsoleBundle> {
  const folder = join(repository, 'console');
  const chunks = await scripts(repository, join(folder, 'main.tsx'));
  const entry = chunks.find(({ isEntry }) => isEntry)!;
  const style = styles(folder);
  const types = catalogueFile();
  const icon = readFileSync(join(folder, 'icon.svg'), 'utf8');
  const page = readFileSync(join(folder, 'index.html'), 'utf8')
    .replace('%STYLE%', style.name)
    .replace('%SCRIPT%', entry.fileName)
    .replace('%CATALOGUE%', types.name)
    .replace('%IMPORTS%', entry.imports.map((name) => `<link rel="modulepreload" href="/console/${name}">`).join(''));
  const files = {
    'index.html': { type: PAGE, text: page },
    'icon.svg': { type: 'image/svg+xml', text: icon },
    [style.name]: { type: STYLE, text: style.text },
    [types.name]: { type: DATA, text: types.text },
    ...Object.fromEntries(chunks.map(({ fileName, code }) => [fileName, { type: SCRIPT, text: code }])),
  };
  return {
    packed: `${JSON.stringify(files, null, 1)}\n`,
    packages: packagePlaces(chunks.flatMap(({ moduleIds }) => moduleIds)),
  };
}

async function scripts(repository: string, input: string): Promise<OutputChunk[]> {
  const bundle = await rolldown({
    cwd: repository,
    input: { console: input },
    platform: 'browser',
    tsconfig: join(repository, 'console/tsconfig.json'),
    transform: { target: 'es2024' },
    onLog(level, log) {
      if (level === 'warn') throw new Error(`the console cannot be bundled: ${log.message}`);
    },
  });
  try {
    const { output } = await bundle.generate({
      format: 'esm',
      entryFileNames: 'assets/[name]-[hash].js',
      chunkFileNames: 'assets/[name]-[hash].js',
      minify: true,
      comments: false,
    });
    return output.filter((part): part is OutputChunk => part.type === 'chunk');
  } finally {
    await bundle.close();
  }
}

/** All style sheets as one, in the order of their names. */
function styles(folder: string): { readonly name: string; readonly text: string } {
  const sheets = globSync('**/*.css', { cwd: folder }).sort();
  const text = sheets
    .map((sheet) => readFileSync(join(folder, sheet), 'utf8'))
    .join('\n')
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\s*\n\s*/g, '\n')
    .trimStart();
  return { name: `assets/console-${hashOf(text)}.css`, text };
}

/** The types of objects as data: a file of its own, because only the designer needs it. */
function catalogueFile(): { readonly name: string; readonly text: string } {
  const text = JSON.stringify(packJson(JSON.parse(JSON.stringify(consoleCatalogue()))));
  return { name: `assets/catalogue-${hashOf(text)}.json`, text };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 8);
}
