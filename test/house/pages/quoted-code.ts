import type { SourceFile } from '../source-file.ts';

/** Blocks of TypeScript that begin with `// FILE` and are not part of it; `read` gives the text of a file or null. */
export function quoteBreaches(files: readonly SourceFile[], read: (path: string) => string | null): string[] {
  return files
    .filter((file) => file.path.endsWith('.md'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^```ts\n\/\/ (\S+\.ts)\n([\s\S]*?)^```$/gm)].flatMap(([, source, quoted]) => {
        const whole = read(source!);
        if (whole === null) return [`${path}: ${source} does not exist`];
        return whole.includes(quoted!) ? [] : [`${path}: ${source} does not hold what is quoted`];
      }),
    );
}
