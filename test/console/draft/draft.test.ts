import { describe, expect, it } from 'vitest';
import { Draft } from '../../../console/draft/draft.ts';

const JSON_TEXT = `{
  // Orders are public until May.
  "name": "orders", // shown in metrics
  "condition": "\${find(request.uri.path, '^/orders')}",
  "x-note": [1,   2],
  "handler": {
    "type": "Chain",
    "config": {
      "filters": [
        // first
        { "type": "A" },
        /* second */
        { "type": "B", "config": { "rate": 5 } }, // slow
        { "type": "C" }
      ],
      "handler": "ReverseProxyHandler"
    }
  }
}
`;

const YAML_TEXT = `# Orders are public until May.
name: orders   # shown in metrics
condition: "\${find(request.uri.path, '^/orders')}"
x-note: [1,   2]
handler:
  type: Chain
  config:
    filters:
      # first
      - type: A
      # second
      - type: B # slow
        config:
          rate: 5
      - type: C
    handler: ReverseProxyHandler
`;

const FILTERS = ['handler', 'config', 'filters'];

describe.each([
  ['json', JSON_TEXT],
  ['yaml', YAML_TEXT],
] as const)('a draft in %s', (format, text) => {
  const open = (): Draft => new Draft(text, format);
  /** Lines that an edit took away and brought. */
  const changedLines = (draft: Draft): { gone: string[]; come: string[] } => {
    const [old, made] = [text.split('\n'), draft.text.split('\n')];
    return {
      gone: old.filter((line) => !made.includes(line)).map((line) => line.trim()),
      come: made.filter((line) => !old.includes(line)).map((line) => line.trim()),
    };
  };
  const types = (draft: Draft): unknown => {
    const { handler } = draft.document as { handler: { config: { filters: { type: string }[] } } };
    return handler.config.filters.map(({ type }) => type);
  };

  it('sets a value and leaves the rest of the text as it is', () => {
    const draft = open();
    expect(draft.set([...FILTERS, 1, 'config', 'rate'], 60)).toBe(true);
    expect(draft.text).toBe(text.replace(/(rate"?: )5/, '$160'));
    expect(draft.set(['name'], 'sales')).toBe(true);
    expect(draft.text).toContain('shown in metrics');
  });

  it('writes only the differing parts of an object', () => {
    const draft = open();
    const { handler } = draft.document as { handler: object };
    expect(draft.set(['handler'], { ...handler, capture: 'entity' })).toBe(true);
    expect(changedLines(draft).come.filter((line) => line !== '},')).toEqual([
      format === 'json' ? '"capture": "entity"' : 'capture: entity',
    ]);
    expect(draft.text).toContain('slow');
  });

  it('makes missing objects on the way', () => {
    const draft = open();
    expect(draft.set(['heap', 0], { name: 'a', type: 'T' })).toBe(true);
    expect(draft.set([...FILTERS, 0, 'config', 'deep', 'er'], true)).toBe(true);
    expect(draft.document).toMatchObject({ heap: [{ name: 'a', type: 'T' }] });
    expect(types(draft)).toEqual(['A', 'B', 'C']);
    expect(JSON.stringify(draft.document)).toContain('{"type":"A","config":{"deep":{"er":true}}}');
  });

  it('refuses a path through a text and a fault, and changes nothing', () => {
    const draft = open();
    expect(draft.set(['name', 'inner'], 1)).toBe(false);
    expect(draft.set(['handler', 0], 1)).toBe(false);
    expect(draft.remove(['missing'])).toBe(false);
    expect(draft.text).toBe(text);
    draft.setText('{ "a": ');
    expect(draft.set(['name'], 'x')).toBe(false);
    expect(draft.text).toBe('{ "a": ');
  });

  it.each([0, 1, 2])('removes item %i with its comments', (at) => {
    const draft = open();
    expect(draft.remove([...FILTERS, at])).toBe(true);
    expect(types(draft)).toEqual(['A', 'B', 'C'].toSpliced(at, 1));
    expect(/first/.test(draft.text)).toBe(at !== 0);
    expect(/second/.test(draft.text)).toBe(at !== 1);
    expect(/slow/.test(draft.text)).toBe(at !== 1);
  });

  it('removes all items and members one by one', () => {
    const draft = open();
    for (const left of [2, 1, 0]) {
      expect(draft.remove([...FILTERS, 0])).toBe(true);
      expect(types(draft)).toHaveLength(left);
    }
    for (const key of ['name', 'handler', 'condition', 'x-note']) expect(draft.remove([key])).toBe(true);
    expect(draft.document).toEqual({});
    expect(draft.faults).toEqual([]);
    expect(draft.set(['name'], 'again')).toBe(true);
    expect(draft.document).toEqual({ name: 'again' });
  });

  it.each([0, 1, 2, 3, 99])('inserts an item at %i', (at) => {
    const draft = open();
    expect(draft.insert(FILTERS, at, { type: 'N', config: { list: ['a', 'b'], none: [] } })).toBe(true);
    expect(types(draft)).toEqual(['A', 'B', 'C'].toSpliced(at, 0, 'N'));
    expect(changedLines(draft).gone.filter((line) => !/"C"/.test(line))).toEqual([]);
  });

  it('inserts members at their places', () => {
    const draft = open();
    expect(draft.insert([], 1, "it's: #1\nand more", 'baseURI')).toBe(true);
    expect(Object.keys(draft.document as object)).toEqual(['name', 'baseURI', 'condition', 'x-note', 'handler']);
    expect(draft.insert([], 1, 1, 'baseURI')).toBe(false);
    expect(draft.document).toMatchObject({ baseURI: "it's: #1\nand more" });
  });

  it.each([
    [0, 2],
    [2, 0],
    [1, 0],
    [1, 2],
    [0, 1],
    [1, 1],
  ])('moves item %i to %i with its comments', (from, to) => {
    const draft = open();
    expect(draft.move([...FILTERS, from], [...FILTERS, to])).toBe(true);
    const all = ['A', 'B', 'C'];
    expect(types(draft)).toEqual(all.toSpliced(from, 1).toSpliced(to, 0, all[from]!));
    for (const comment of ['first', 'second', 'slow', 'until May', 'metrics'])
      expect(draft.text.split(comment)).toHaveLength(2);
    expect(draft.text.indexOf('second')).toBeLessThan(draft.text.search(/"?type"?: "?B/));
  });

  it('moves a value to another list and renames a member', () => {
    const draft = open();
    expect(draft.insert([], 0, [], 'heap')).toBe(true);
    expect(draft.move([...FILTERS, 1], ['heap', 0])).toBe(true);
    expect(draft.document).toMatchObject({ heap: [{ type: 'B', config: { rate: 5 } }] });
    expect(draft.text).toContain('slow');
    expect(draft.move(['condition'], ['when'])).toBe(true);
    expect(Object.keys(draft.document as object)).toEqual(['heap', 'name', 'when', 'x-note', 'handler']);
    expect(draft.move(['when'], ['name'])).toBe(false);
  });

  it('undoes and redoes every change, and letters of one group together', () => {
    const draft = open();
    draft.set(['name'], 'a');
    const named = draft.text;
    draft.setText(`${named}\n`, 'typing 1');
    draft.setText(`${named}\n\n`, 'typing 1');
    draft.setText(`${named}\n\n\n`, 'typing 2');
    expect(draft.undo() && draft.undo()).toBe(true);
    expect(draft.text).toBe(named);
    expect(draft.redo()).toBe(true);
    expect(draft.text).toBe(`${named}\n\n`);
    expect(draft.undo() && draft.undo()).toBe(true);
    expect(draft.text).toBe(text);
    expect(draft.undo()).toBe(false);
  });

  it('keeps comments, order and values in the other format and back', () => {
    const draft = open();
    const before = draft.document;
    const other = format === 'json' ? 'yaml' : 'json';
    for (const to of [other, format, other] as const) {
      expect(draft.convert(to)).toBe(true);
      expect(draft.faults).toEqual([]);
      expect(JSON.stringify(draft.document)).toBe(JSON.stringify(before));
      for (const comment of ['first', 'second', 'slow', 'until May', 'metrics'])
        expect(draft.text.split(comment)).toHaveLength(2);
    }
    expect(draft.undo() && draft.undo() && draft.undo()).toBe(true);
    expect([draft.text, draft.format]).toEqual([text, format]);
  });

  it('knows where values are, and what is at a place', () => {
    const draft = open();
    const path = [...FILTERS, 1, 'config', 'rate'];
    const { from, to } = draft.placeOf(path)!;
    expect(draft.text.slice(from, to)).toBe('5');
    expect(draft.pathAt(from)).toEqual(path);
    const key = draft.keyPlaceOf(path)!;
    expect(draft.text.slice(key.from, key.to)).toBe(format === 'json' ? '"rate"' : 'rate');
    expect(draft.pathAt(key.from)).toEqual(path);
    expect(draft.pathAt(0)).toEqual([]);
    expect(draft.placeOf(['missing'])).toBeUndefined();
  });

  it('makes several edits one change, or none of them', () => {
    const draft = open();
    let calls = 0;
    draft.subscribe(() => calls++);
    const both = (): boolean => draft.set(['name'], 'b') && draft.move([...FILTERS, 0], [...FILTERS, 2]);
    expect(draft.together(both)).toBe(true);
    expect([calls, types(draft)]).toEqual([1, ['B', 'C', 'A']]);
    expect(draft.together(() => draft.remove([...FILTERS, 0]) && draft.remove(['missing']))).toBe(false);
    expect(types(draft)).toEqual(['B', 'C', 'A']);
    expect(draft.undo()).toBe(true);
    expect(draft.text).toBe(text);
    for (const name of ['x', 'xy', 'xyz']) draft.set(['name'], name, 'name');
    expect(draft.undo()).toBe(true);
    expect(draft.text).toBe(text);
  });

  it('tells its listeners once for each change', () => {
    const draft = open();
    let calls = 0;
    const end = draft.subscribe(() => calls++);
    draft.set(['handler'], { type: 'Chain', config: { filters: [], handler: 'a' } });
    draft.set(['name'], 'orders');
    expect(calls).toBe(1);
    end();
    draft.set(['name'], 'other');
    expect(calls).toBe(1);
  });
});

describe('a draft', () => {
  it('keeps the last document that could be read, and says where the text cannot be', () => {
    const draft = new Draft('{ "a": 1 }', 'json');
    draft.setText('{\n  "a": 1,\n}');
    expect(draft.document).toEqual({ a: 1 });
    expect(draft.faults).toMatchObject([
      {
        line: 2,
        column: 9,
        offset: 10,
        message: 'The text has a trailing comma',
        hint: 'remove the comma after the last item',
      },
    ]);
    expect(draft.placeOf(['a'])).toBeUndefined();
    expect(draft.convert('yaml')).toBe(false);
    expect(new Draft('', 'yaml').document).toBeUndefined();
  });

  it('edits lists and objects of one line in that line', () => {
    const draft = new Draft('{ "a": [1, 2], "b": { "c": true } }', 'json');
    draft.insert(['a'], 1, { x: [3] });
    draft.set(['b', 'd'], null);
    draft.remove(['b', 'c']);
    draft.insert(['a'], 9, 'end');
    draft.remove(['a', 0]);
    expect(draft.text).toBe('{ "a": [{ "x": [3] }, 2, "end"], "b": { "d": null } }');
  });

  it('edits YAML that is written like JSON', () => {
    const draft = new Draft('a: [1, two, {b: 3}] # kept\nc: {d: "#no", e: 5}\n', 'yaml');
    draft.insert(['a'], 1, 'x: y');
    draft.remove(['a', 0]);
    draft.set(['a', 2, 'b'], [4]);
    draft.set(['c', 'f'], false);
    draft.remove(['c', 'd']);
    expect(draft.text).toBe('a: ["x: y", two, {b: [4]}] # kept\nc: {e: 5, "f": false}\n');
  });

  it('edits values of aliases and long texts of YAML, and keeps what it cannot see through', () => {
    const text = 'one: &a\n  x: 1 # first\ntwo: *a\nlong: |+\n  line\n\n\nlast: >-\n  folded\n  text\n';
    const draft = new Draft(text, 'yaml');
    expect(draft.set(['two', 'x'], 2)).toBe(true);
    expect(draft.document).toEqual({ one: { x: 1 }, two: { x: 2 }, long: 'line\n\n\n', last: 'folded text' });
    expect(draft.text).toContain('# first');
    expect(draft.remove(['last'])).toBe(true);
    expect(draft.set(['new'], 'a\nb\n')).toBe(true);
    expect(draft.document).toEqual({ one: { x: 1 }, two: { x: 2 }, long: 'line\n\n\n', new: 'a\nb\n' });
  });

  it('removes the first member of an object in a list of YAML', () => {
    const draft = new Draft('- a: 1\n  # about b\n  b: 2\n- c: 3\n  d: 4\n', 'yaml');
    expect(draft.remove([0, 'a']) && draft.remove([1, 'c'])).toBe(true);
    expect(draft.document).toEqual([{ b: 2 }, { d: 4 }]);
    expect(draft.text).toContain('# about b');
    expect(draft.insert([1], 0, 0, 'z')).toBe(true);
    expect(draft.document).toEqual([{ b: 2 }, { z: 0, d: 4 }]);
  });

  it('takes names of prototypes as ordinary members', () => {
    const draft = new Draft('{}', 'json');
    expect(draft.set(['__proto__'], { a: 1 })).toBe(true);
    expect(draft.text).toContain('"__proto__"');
    expect(draft.set(['constructor'], 1)).toBe(true);
    expect(Object.keys(draft.document as object)).toEqual(['__proto__', 'constructor']);
  });

  it.each(['json', 'yaml'] as const)('puts a member that was removed back to its place in %s', (format) => {
    const draft = new Draft('{ "a": 1, "b": { "c": 2, "d": 3 }, "e": 4, "f": 5 }', 'json');
    draft.convert(format);
    expect(draft.remove(['b', 'c']) && draft.set(['b', 'c'], 7)).toBe(true);
    expect(Object.keys((draft.document as { b: object }).b)).toEqual(['c', 'd']);
    // Its neighbours may have changed meanwhile.
    expect(draft.remove(['e']) && draft.remove(['b']) && draft.set(['g'], 6) && draft.set(['e'], 8)).toBe(true);
    expect(Object.keys(draft.document as object)).toEqual(['a', 'e', 'f', 'g']);
  });
});
