import { describe, expect, it } from 'vitest';
import { insertYaml } from '../../../cli/actions/insert-yaml.ts';
import type { Addition } from '../../../controller/injection/pod-patch.ts';

const list = { path: ['spec', 'list', '-'], value: { name: 'new' } } satisfies Addition;
const whole = { path: ['spec', 'list'], value: [{ name: 'new' }] } satisfies Addition;

describe('insertYaml', () => {
  it.each<[string, string, Addition, string]>([
    [
      'a list at the end of a document',
      'spec:\n  a: 1 # one\n',
      whole,
      'spec:\n  a: 1 # one\n  list:\n    - name: new\n',
    ],
    ['a list where no line ends', 'spec:\n  a: 1', whole, 'spec:\n  a: 1\n  list:\n    - name: new\n'],
    [
      'a list before what follows',
      'spec:\n    a:\n        - 1\n# next\nother: 2\n',
      whole,
      'spec:\n    a:\n        - 1\n    list:\n      - name: new\n# next\nother: 2\n',
    ],
    [
      'an item of a list that is not indented',
      'spec:\n  list:\n  - name: old\n    text: |\n      a\n\n      b\n  b: 2\n',
      list,
      'spec:\n  list:\n  - name: old\n    text: |\n      a\n\n      b\n  - name: new\n  b: 2\n',
    ],
    [
      'an item in brackets',
      'spec: {list: [ {name: old}, ]} # c\n',
      list,
      'spec: {list: [ {name: old}, {"name":"new"}, ]} # c\n',
    ],
    ['an item in empty brackets', 'spec: {list: []}\n', list, 'spec: {list: [{"name":"new"}]}\n'],
    ['a list in braces', 'spec: { a: 1 }\n', whole, 'spec: { a: 1, "list": [{"name":"new"}] }\n'],
    ['a list in empty braces', 'spec: {}\n', whole, 'spec: {"list": [{"name":"new"}]}\n'],
    ['a list in place of nothing', 'spec:\n  list:\n  a: 1\n', whole, 'spec:\n  list: [{"name":"new"}]\n  a: 1\n'],
    ['a list in place of null', 'spec:\n  list: null # c\n', whole, 'spec:\n  list: [{"name":"new"}] # c\n'],
    [
      'the first item',
      'spec:\n  list:\n    # about old\n    - name: old\n',
      { ...list, path: ['spec', 'list', 0] },
      'spec:\n  list:\n    # about old\n    - name: new\n    - name: old\n',
    ],
    [
      'the first item in brackets',
      'spec: {list: [{name: old}]}\n',
      { ...list, path: ['spec', 'list', 0] },
      'spec: {list: [{"name":"new"}, {name: old}]}\n',
    ],
    [
      'a member of an item',
      '- kind: A\n  spec:\n    a: 1\n- kind: B\n',
      { path: [0, 'spec', 'b'], value: 'true' },
      '- kind: A\n  spec:\n    a: 1\n    b: "true"\n- kind: B\n',
    ],
    [
      'a text of several lines',
      'spec:\n  a: 1\n',
      { path: ['spec', 'b'], value: 'one\ntwo\n' },
      'spec:\n  a: 1\n  b: |\n    one\n    two\n',
    ],
    [
      'after what starts a document',
      '--- # first\nspec:\n  a: 0644\n...\n',
      whole,
      '--- # first\nspec:\n  a: 0644\n  list:\n    - name: new\n...\n',
    ],
    ['in place of a member', 'spec:\n  a: old # c\n', { path: ['spec', 'a'], value: 'new' }, 'spec:\n  a: "new" # c\n'],
  ])('adds %s', (_, text, addition, wanted) => {
    expect(insertYaml(text, [addition])).toBe(wanted);
  });

  it('adds several entries one after the other', () => {
    expect(insertYaml('spec:\n  a: 1\n', [whole, list, { path: ['x'], value: 1 }])).toBe(
      'spec:\n  a: 1\n  list:\n    - name: new\n    - name: new\nx: 1\n',
    );
  });

  it.each<[string, string, Addition]>([
    ['through an alias', 'a: &a {b: 1}\nspec: *a\n', whole],
    ['to what an alias stands for elsewhere', 'spec: &a\n  b: 1\nother: *a\n', whole],
    ['to what is no collection', 'spec: 1\n', whole],
  ])('adds nothing %s', (_, text, addition) => {
    expect(() => insertYaml(text, [addition])).toThrow('cannot be edited in place');
  });
});
