/** `npm run console`: builds the console for `gatewarden run` from a checkout. */
import { mkdirSync, readFileSync, renameSync, watch, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { consoleBundle } from './console-bundle.ts';

const USAGE = `usage: npm run console -- [OPTION…]
Builds the console into out/console.json, which a running gateway takes at the next request.
  --watch   build again whenever a source changes, until Ctrl-C
  --quiet   print nothing unless it fails
`;

const repository = resolve(fileURLToPath(new URL('..', import.meta.url)));
const target = join(repository, 'out/console.json');

process.exitCode = await main(process.argv.slice(2));

async function main(words: string[]): Promise<number> {
  const { values } = parseArgs({
    args: words,
    options: {
      watch: { type: 'boolean', default: false },
      quiet: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const code = await build(values.quiet);
  if (!values.watch) return code;
  let last: Promise<unknown> = Promise.resolve();
  let isQueued = false;
  watch(join(repository, 'console'), { recursive: true }, () => {
    if (isQueued) return;
    isQueued = true;
    last = last.then(() => {
      isQueued = false;
      return build(values.quiet);
    });
  });
  return 0;
}

/** Builds once. A file with the same content stays as it is, so that nobody reads it again. */
async function build(isQuiet: boolean): Promise<number> {
  const begun = performance.now();
  try {
    const { packed } = await consoleBundle(repository);
    if (packed !== existing()) {
      mkdirSync(dirname(target), { recursive: true });
      // Others may read or build at the same time.
      const draft = `${target}.${process.pid}`;
      writeFileSync(draft, packed);
      renameSync(draft, target);
    }
    const files = Object.values(JSON.parse(packed) as Record<string, { readonly text: string }>);
    const size = files.reduce((sum, { text }) => sum + gzipSync(text).length, 0);
    const took = Math.round(performance.now() - begun);
    if (!isQuiet) process.stdout.write(`console: ${(size / 1000).toFixed(1)} kB compressed, in ${took} ms\n`);
    return 0;
  } catch (error) {
    process.stderr.write(`console: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

function existing(): string | null {
  try {
    return readFileSync(target, 'utf8');
  } catch {
    return null;
  }
}
