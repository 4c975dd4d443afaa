import { describe, expect, it } from 'vitest';
import { crowdedRooms, importCircles } from './rooms.ts';
import { readRepository } from './source-file.ts';

describe('rooms', () => {
  it('hold at most thirty files each in this repository', () => {
    expect(crowdedRooms(readRepository())).toEqual([]);
  });

  it('are reported when they contain more', () => {
    const files = Array.from({ length: 31 }, (_, n) => ({ path: `dataplane/a/b${n}.ts`, text: '' }));
    expect(crowdedRooms(files.slice(1))).toEqual([]);
    expect(crowdedRooms(files)).toHaveLength(1);
  });
});

describe('circles of imports', () => {
  it('are absent from this repository', () => {
    expect(importCircles(readRepository())).toEqual([]);
  });

  it('are found through other files and through types', () => {
    const files = [
      { path: 'cli/a.ts', text: "import { b } from './b.ts';" },
      { path: 'cli/b.ts', text: "import type { C } from './c.ts';" },
      { path: 'cli/c.ts', text: "import { a } from './a.ts';" },
      { path: 'cli/d.ts', text: "import { a } from './a.ts';" },
    ];
    expect(importCircles(files)).toEqual(['cli/a.ts, cli/b.ts, cli/c.ts']);
  });
});
