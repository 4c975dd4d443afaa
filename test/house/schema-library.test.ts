import { describe, expect, it } from 'vitest';
import { lineAt, readRepository, type SourceFile } from './source-file.ts';

const tree = 'contract/vocabulary/schema-tree.ts';
// Brackets keep this pattern from finding itself.
const inside = /\b_zo[d]\b/g;

/** Places that read the private side of the schema library, which may change with any version of it. */
function privateReads(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => path.endsWith('.ts') && path !== tree)
    .flatMap(({ path, text }) =>
      [...text.matchAll(inside)].map(
        ({ index }) => `${path}:${lineAt(text, index)}: read the nodes of ${tree} instead`,
      ),
    );
}

describe('the private side of the schema library', () => {
  it('is read by one file of this repository', () => {
    expect(privateReads(readRepository())).toEqual([]);
  });

  it('is noticed in any other file', () => {
    const text = `const a = 1;\nconst { def } = schema.${['_zo', 'd'].join('')};`;
    expect(privateReads([{ path: 'docs/page.ts', text }])).toEqual([
      'docs/page.ts:2: read the nodes of contract/vocabulary/schema-tree.ts instead',
    ]);
    expect(privateReads([{ path: tree, text }])).toEqual([]);
  });
});
