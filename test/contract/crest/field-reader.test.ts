import { expect, it } from 'vitest';
import { fieldReader } from '../../../contract/crest/field-reader.ts';

const resource = { id: 'a', revision: '7', content: { _id: 'other', name: 'shop', heap: [{ name: 'b' }], none: null } };

it.each([
  [['_id'], 'a'],
  [['_id', 'x'], undefined],
  [['_rev'], '7'],
  [['name'], 'shop'],
  [['none'], null],
  [['missing'], undefined],
  [['toString'], undefined],
  [['__proto__'], undefined],
  [['heap', '0', 'name'], 'b'],
  [['heap', '1', 'name'], undefined],
  [[], { ...resource.content, _id: 'a', _rev: '7' }],
])('reads %j', (field, expected) => {
  expect(fieldReader(field)(resource)).toEqual(expected);
});

it('reads a revision in the content of a resource that has none', () => {
  expect(fieldReader(['_rev'])({ id: 'a', revision: null, content: { _rev: 'own' } })).toBe('own');
});
