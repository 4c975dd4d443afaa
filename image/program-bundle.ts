import { readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { type OutputChunk, type OutputOptions, type Plugin, rolldown } from 'rolldown';
import { consoleBundle } from './console-bundle.ts';
import { packagePlaces } from './package-places.ts';
import { asScripts, scriptText } from './program-scripts.ts';

/** A file of compiled JavaScript. */
export interface BundledFile {
  readonly name: string;
  readonly code: string;
  /** The files that are loaded with it, whatever the program does. */
  readonly imports: readonly string[];
  /** Where the packages lie of which some code is in it, such as `node_modules/yaml`. */
  readonly packages: readonly string[];
}

/** A file beside the code that it reads when it needs it. */
export interface DataFile {
  readonly name: string;
  readonly content: Buffer;
}

/** The program as JavaScript, in pieces that are loaded when a command needs them. */
export interface ProgramBundle {
  readonly files: readonly BundledFile[];
  readonly data: readonly DataFile[];
  /** The packages of all files. */
  readonly packages: readonly string[];
}

const MAIN = 'main';
export const LOADER = 'loader.js';
/** Name of the packed console; a checkout has it where `npm run console` puts it. */
const CONSOLE = 'console.json';

/** Files that are found by their place at run time and that the image has at the same distance from the code. */
const SHIPPED: ReadonlySet<string> = new Set(['../package.json']);

/** Packages that define things and do nothing else when they are loaded, although they do not say so. */
const QUIET = /\/node_modules\/@kubernetes\/client-node\//;

/** Names of functions and classes stay as they are, because traces of errors are read by people. */
const SHORT: NonNullable<OutputOptions['minify']> = {
  compress: false,
  mangle: { keepNames: { function: true, class: true } },
  codegen: { removeWhitespace: true },
};

/** Compiles the program of a checkout: what runs in the main thread, and what threads beside it start with. */
export async function programBundle(repository: string): Promise<ProgramBundle> {
  const found: FoundFiles = { threads: new Map(), data: new Map() };
  const files = await bundled(repository, [MAIN, join(repository, 'cli/main.ts')], found);
  // Threads share no compiled code: with a bundle of its own each reads few files, and nothing that it does not need.
  for (const thread of found.threads) files.push(...(await bundled(repository, thread, found)));
  for (const name of [MAIN, ...found.threads.keys()]) files.push(starter(name));
  files.push(await scriptFile(LOADER, join(import.meta.dirname, 'loader/loader.ts')));
  files.sort((a, b) => (a.name < b.name ? -1 : 1));
  const console = await consoleBundle(repository);
  return {
    files,
    data: [
      ...[...found.data].map(([name, path]) => ({ name, content: readFileSync(path) })),
      { name: CONSOLE, content: Buffer.from(console.packed) },
    ],
    packages: [...new Set([...files.flatMap((file) => file.packages), ...console.packages])].sort(),
  };
}

/** The file that a thread starts with. */
function starter(name: string): BundledFile {
  const code = `require("./${LOADER}").start(__dirname,"./${name}-program.js");\n`;
  return { name: `${name}.js`, code, imports: [LOADER, `${name}-program.js`], packages: [] };
}

/** A file that Node.js loads by itself. */
export async function scriptFile(name: string, path: string): Promise<BundledFile> {
  const bundle = await rolldown({ input: path, platform: 'node' });
  try {
    const { output } = await bundle.generate({ format: 'cjs', comments: false, minify: SHORT });
    return { name, code: output[0].code, imports: [], packages: [] };
  } finally {
    await bundle.close();
  }
}

/** Files that the code finds by their place, by the name that they have beside it. */
interface FoundFiles {
  readonly threads: Map<string, string>;
  readonly data: Map<string, string>;
}

/** The files of one thread. @param found gets the threads that it starts, and the files that it reads */
async function bundled(
  repository: string,
  [name, path]: readonly [name: string, path: string],
  found: FoundFiles,
): Promise<BundledFile[]> {
  const bundle = await rolldown({
    cwd: repository,
    input: { [name]: path },
    platform: 'node',
    plugins: [filesByPlace(repository, found), asScripts],
    treeshake: { moduleSideEffects: (id) => !QUIET.test(id) },
    onLog(level, log) {
      if (level === 'warn') throw new Error(`the program cannot be bundled: ${log.message}`);
    },
  });
  try {
    const { output } = await bundle.generate({
      format: 'esm',
      entryFileNames: '[name]-program.js',
      chunkFileNames: name === MAIN ? '[name].js' : `${name}-[name].js`,
      comments: false,
      charset: 'ascii', // V8 keeps other texts in two bytes for each character
      minify: SHORT,
    });
    const chunks = output.filter((part): part is OutputChunk => part.type === 'chunk');
    if (chunks.length !== output.length) throw new Error('the program has files that are not code');
    return chunks.map(bundledFile);
  } finally {
    await bundle.close();
  }
}

/** Notes threads and data that the sources find by `import.meta.url`, and refuses what the image does not have. */
function filesByPlace(repository: string, { threads, data }: FoundFiles): Plugin {
  const byPlace = /new URL\(\s*(['"`])([^'"`]+)\1\s*,\s*import\.meta\.url,?\s*\)/g;
  return {
    name: 'files-by-place',
    transform(code, id) {
      const isOurs = id.startsWith(`${repository}/`) && !id.includes('/node_modules/');
      if (!isOurs || !code.includes('import.meta.url')) return null;
      const rewritten = code.replace(byPlace, (whole, _quote: string, path: string) => {
        if (SHIPPED.has(path)) return whole;
        if (path === `../../out/${CONSOLE}`) return `new URL('./${CONSOLE}', import.meta.url)`;
        if (path.endsWith('.wasm')) {
          data.set(basename(path), resolve(id, '..', path));
          return `new URL('./${basename(path)}', import.meta.url)`;
        }
        if (!path.endsWith('.ts')) throw new Error(`${id} finds ${path} by its place, and the image does not have it`);
        const name = basename(path, '.ts');
        threads.set(name, resolve(id, '..', path));
        return `new URL('./${name}.js', import.meta.url)`;
      });
      const places = [...rewritten.matchAll(byPlace)].length;
      if (places !== rewritten.split('import.meta.url').length - 1) {
        throw new Error(
          `${id} uses import.meta.url in a way that the bundle cannot follow: write new URL('…', import.meta.url)`,
        );
      }
      return { code: rewritten };
    },
  };
}

function bundledFile({ fileName, code, imports, moduleIds }: OutputChunk): BundledFile {
  return {
    name: fileName,
    code: scriptText(code, fileName === `${MAIN}-program.js`),
    imports,
    packages: packagePlaces(moduleIds),
  };
}
