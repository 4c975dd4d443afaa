import { describe, expect, it } from 'vitest';
import { exportBreaches, inheritanceBreaches, lengthBreaches, nameBreaches } from './naming.ts';
import { readRepository } from './source-file.ts';

const at = (path: string, text = '') => [{ path, text }];

describe('names of files and folders', () => {
  it('hold in this repository', () => {
    expect(nameBreaches(readRepository())).toEqual([]);
  });

  it.each([
    'cli/main.ts',
    'dataplane/engine/http1-head.ts',
    'test/contract/did-you-mean.test.ts',
    'contract/content-types.ts',
    'controller/crest/common-rest.ts',
    'dataplane/access-manager/answer.ts',
  ])('accept %s', (path) => {
    expect(nameBreaches(at(path))).toEqual([]);
  });

  it.each([
    'cli/mainFile.ts',
    'cli/Main.ts',
    'dataplane/http_parser.ts',
    'dataplane/index.ts',
    'dataplane/utils.ts',
    'dataplane/engine/string-utils.ts',
    'dataplane/helpers/a.ts',
    'contract/types.ts',
    'contract/common.ts',
    'dataplane/misc.ts',
    'dataplane/pool-manager.ts',
  ])('refuse %s', (path) => {
    expect(nameBreaches(at(path))).toHaveLength(1);
  });

  it('accept the name of a type of objects, also for its test', () => {
    const type = at(
      'dataplane/a/x-key-manager.ts',
      "export const xKeyManager = defineService({ type: 'XKeyManager' });",
    );
    expect(nameBreaches([...type, ...at('test/dataplane/a/x-key-manager.test.ts')])).toEqual([]);
  });
});

describe('length of files', () => {
  it('holds in this repository', () => {
    expect(lengthBreaches(readRepository())).toEqual([]);
  });

  it('is limited in source folders', () => {
    expect(lengthBreaches(at('dataplane/a.ts', 'x;\n'.repeat(399)))).toEqual([]);
    expect(lengthBreaches(at('dataplane/a.ts', 'x;\n'.repeat(400)))).toHaveLength(1);
  });
});

describe('exports', () => {
  it('are named in this repository', () => {
    expect(exportBreaches(readRepository())).toEqual([]);
  });

  it.each(['export default x;', "export * from './b.ts';", "export * as b from './b.ts';", 'export { x as default };'])(
    'refuse %s',
    (text) => {
      expect(exportBreaches(at('dataplane/a.ts', text))).toHaveLength(1);
    },
  );

  it('accept named ones', () => {
    expect(exportBreaches(at('dataplane/a.ts', "export const x = 1; export { y } from './y.ts';"))).toEqual([]);
  });
});

describe('classes', () => {
  it('inherit from nothing of ours in this repository', () => {
    expect(inheritanceBreaches(readRepository())).toEqual([]);
  });

  it.each([
    'abstract class A {}',
    'class A {}\nclass B extends A {}',
    "import { A } from './a.ts';\nexport class B<T> extends A<T> {}",
  ])('refuse %s', (text) => {
    expect(inheritanceBreaches(at('dataplane/b.ts', text))).toHaveLength(1);
  });

  it.each(['class A extends Error {}', "import { EventEmitter } from 'node:events';\nclass A extends EventEmitter {}"])(
    'accept %s',
    (text) => {
      expect(inheritanceBreaches(at('dataplane/a.ts', text))).toEqual([]);
    },
  );
});
