import { basename, join, resolve } from 'node:path';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';

/** A file of compiled JavaScript. */
export interface BundledFile {
  readonly name: string;
  readonly code: string;
  /** The files that are loaded with it, whatever the program does. */
  readonly imports: readonly string[];
  /** Where the packages lie of which some code is in it, such as `node_modules/yaml`. */
  readonly packages: readonly string[];
}

/** The program as JavaScript, in pieces that are loaded when a command needs them. */
export interface ProgramBundle {
  readonly files: readonly BundledFile[];
  /** The packages of all files. */
  readonly packages: readonly string[];
}

/** Files that are found by their place at run time and that the image has at the same distance from the code. */
const SHIPPED: ReadonlySet<string> = new Set(['../package.json']);

/** Packages that define things and do nothing else when they are loaded, although they do not say so. */
const QUIET = /\/node_modules\/@kubernetes\/client-node\//;

/** Compiles the program of a checkout. */
export async function programBundle(repository: string): Promise<ProgramBundle> {
  const bundle = await rolldown({
    cwd: repository,
    input: { main: join(repository, 'cli/main.ts') },
    platform: 'node',
    plugins: [filesByPlace(repository)],
    treeshake: { moduleSideEffects: (id) => !QUIET.test(id) },
    onLog(level, log) {
      if (level === 'warn') throw new Error(`the program cannot be bundled: ${log.message}`);
    },
  });
  try {
    const { output } = await bundle.generate({
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name].js',
      comments: false,
      // Names stay as they are, because traces of errors are read by people.
      minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    });
    const chunks = output.filter((part): part is OutputChunk => part.type === 'chunk');
    if (chunks.length !== output.length) throw new Error('the program has files that are not code');
    const files = chunks.map(bundledFile).sort((a, b) => (a.name < b.name ? -1 : 1));
    return { files, packages: [...new Set(files.flatMap((file) => file.packages))].sort() };
  } finally {
    await bundle.close();
  }
}

/** Makes what the sources find by `import.meta.url` a piece of the bundle, or refuses what the image does not have. */
function filesByPlace(repository: string): Plugin {
  const byPlace = /new URL\(\s*(['"`])([^'"`]+)\1\s*,\s*import\.meta\.url\s*\)/g;
  return {
    name: 'files-by-place',
    transform(code, id) {
      const isOurs = id.startsWith(`${repository}/`) && !id.includes('/node_modules/');
      if (!isOurs || !code.includes('import.meta.url')) return null;
      const rewritten = code.replace(byPlace, (whole, _quote: string, path: string) => {
        if (SHIPPED.has(path)) return whole;
        if (!path.endsWith('.ts')) throw new Error(`${id} finds ${path} by its place, and the image does not have it`);
        const fileName = `${basename(path, '.ts')}.js`;
        this.emitFile({ type: 'chunk', id: resolve(id, '..', path), fileName });
        return `new URL('./${fileName}', import.meta.url)`;
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
  const places = moduleIds.filter((id) => id.includes('/node_modules/')).map(packagePlace);
  return { name: fileName, code, imports, packages: [...new Set(places)].sort() };
}

/** The place of the package that a module belongs to, as the lockfile writes it. */
function packagePlace(id: string): string {
  const inside = id.slice(id.indexOf('/node_modules/') + 1);
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(inside)?.[0] ?? inside;
}
