import { expect, it } from 'vitest';
import { importsOf } from './imports.ts';

it('finds every form of an import', () => {
  const text = `
    import './bare.ts';
    import type { A, type B as C } from '../contract/a.ts';
    export { d } from "./d.ts";
    import * as zod from 'zod';
    const e = await import('./e.ts');
    type F = import('./f.ts').F;
    new Worker(new URL('./unit.ts', import.meta.url));
    new URL('../package.json', import.meta.url);
    new URL('http://localhost/g.ts');
  `;
  expect(importsOf({ path: 'dataplane/x.ts', text })).toEqual([
    { specifier: './bare.ts', target: 'dataplane/bare.ts', names: [] },
    { specifier: '../contract/a.ts', target: 'contract/a.ts', names: ['A', 'B'] },
    { specifier: './d.ts', target: 'dataplane/d.ts', names: ['d'] },
    { specifier: 'zod', target: undefined, names: [] },
    { specifier: './e.ts', target: 'dataplane/e.ts', names: [] },
    { specifier: './f.ts', target: 'dataplane/f.ts', names: [] },
    { specifier: './unit.ts', target: 'dataplane/unit.ts', names: [] },
  ]);
});

it('finds none in comments, strings and calls', () => {
  const text = `// import './a.ts'\nconst b = "from './b.ts'"; Array.from('c'); const from = 'd';`;
  expect(importsOf({ path: 'cli/x.ts', text })).toEqual([]);
});
