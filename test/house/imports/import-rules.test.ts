import { describe, expect, it } from 'vitest';
import { readRepository } from '../source-file.ts';
import { importBreaches, purityBreaches } from './import-rules.ts';

const filter = (name: string) => ({
  path: `dataplane/filters/${name}.ts`,
  text: `export const ${name}Filter = defineFilter({ type: '${name}Filter' });`,
});

describe('the import rules', () => {
  it('holds in this repository', () => {
    expect(importBreaches(readRepository())).toEqual([]);
  });

  it.each([
    ['contract/a.ts', './b.ts'],
    ['contract/a.ts', 'zod'],
    ['contract/a.ts', 'node:crypto'],
    ['controller/compile/a.ts', '../../contract/b.ts'],
    ['platform/a.ts', '../contract/b.ts'],
    ['platform/a.ts', 'node:http'],
    ['controller/a.ts', '../platform/b.ts'],
    ['dataplane/filters/b.ts', '../../platform/c.ts'],
    ['cli/a.ts', '../platform/b.ts'],
    ['controller/cluster/a.ts', '@kubernetes/client-node'],
    ['dataplane/link/a.ts', '../catalogue.ts'],
    ['dataplane/filters/b.ts', '../engine/head/headers.ts'],
    ['dataplane/filters/b.ts', './bearer-token.ts'],
    ['dataplane/filters/cookies/b.ts', '../origin/vary.ts'],
    ['cli/a.ts', '../controller/b.ts'],
    ['console/pages/a.tsx', 'preact/hooks'],
    ['console/draft/a.ts', 'yaml'],
    ['console/pages/design/a.ts', '@codemirror/state'],
    ['console/pages/a.tsx', '../parts/b.tsx'],
    ['console/pages/a.tsx', '../../contract/document/json-value.ts'],
    ['test/dataplane/a.test.ts', '../../dataplane/b.ts'],
  ])('allow %s to import %s', (path, specifier) => {
    expect(importBreaches([{ path, text: `import { x } from '${specifier}';` }])).toEqual([]);
  });

  it.each([
    ['contract/a.ts', '../dataplane/b.ts'],
    ['contract/a.ts', '../cli/b.ts'],
    ['contract/a.ts', 'node:fs'],
    ['contract/a.ts', 'node:timers/promises'],
    ['contract/a.ts', '../platform/b.ts'],
    ['platform/a.ts', '../controller/b.ts'],
    ['platform/a.ts', '../dataplane/b.ts'],
    ['platform/a.ts', '../cli/b.ts'],
    ['platform/a.ts', 'pino'],
    ['controller/a.ts', '../dataplane/b.ts'],
    ['dataplane/a.ts', '../controller/b.ts'],
    ['dataplane/a.ts', '../cli/b.ts'],
    ['dataplane/a.ts', '../test/support/b.ts'],
    ['cli/a.ts', '../bench/b.ts'],
    ['dataplane/a.ts', '@kubernetes/client-node'],
    ['controller/compile/a.ts', '@kubernetes/client-node/dist/config.js'],
    ['dataplane/filters/b.ts', './throttling.ts'],
    ['dataplane/filters/b.ts', '../handlers/c.ts'],
    ['dataplane/filters/b.ts', '../catalogue.ts'],
    ['dataplane/a.ts', './b'],
    ['console/a.tsx', '../platform/b.ts'],
    ['console/a.tsx', '../controller/b.ts'],
    ['console/a.tsx', 'node:fs'],
    ['console/a.tsx', 'zod'],
    ['contract/a.ts', '../console/b.ts'],
    ['cli/a.ts', '../console/b.ts'],
    ['dataplane/a.ts', './b.js'],
    ['dataplane/a.ts', 'fs'],
  ])('keeps %s from importing %s', (path, specifier) => {
    const files = [{ path, text: `import type { x } from '${specifier}';` }, filter('throttling')];
    expect(importBreaches(files)).toHaveLength(1);
  });

  it('keeps the console from parts of the contract that browsers cannot run', () => {
    const files = [
      { path: 'contract/pure.ts', text: "import type { x } from './inner.ts';" },
      { path: 'contract/inner.ts', text: "import { createHash } from 'node:crypto';" },
      { path: 'console/a.tsx', text: "import type { x } from '../contract/pure.ts';" },
    ];
    expect(importBreaches(files)).toEqual([
      'console/a.tsx imports ../contract/pure.ts: browsers do not have node:crypto, which it needs',
    ]);
  });

  it('holds a type outside filters/ and handlers/ to the same rule', () => {
    const text = `import { x } from '../filters/y.ts'; export const fooStore = defineStore({ type: 'FooStore' });`;
    expect(importBreaches([{ path: 'dataplane/secrets/foo.ts', text }])).toHaveLength(1);
  });
});

describe('the contract is pure', () => {
  it('holds in this repository', () => {
    expect(purityBreaches(readRepository())).toEqual([]);
  });

  it('notices timers, the environment and the network', () => {
    const text = "setTimeout(f, 1);\nprocess.env['HOME'];\nconsole.log(1);\nawait fetch(url);";
    expect(purityBreaches([{ path: 'contract/a.ts', text }])).toHaveLength(4);
    expect(purityBreaches([{ path: 'dataplane/a.ts', text }])).toEqual([]);
  });

  it('allows the contract to mention them', () => {
    const text = "// process.env is injected\nconst words = 'setTimeout(1)';\nrun.process(a);";
    expect(purityBreaches([{ path: 'contract/a.ts', text }])).toEqual([]);
  });
});
