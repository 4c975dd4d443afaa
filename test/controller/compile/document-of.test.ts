import { expect, it } from 'vitest';
import { documentOf } from '../../../controller/compile/document-of.ts';

it('reads a file once for those who look at it, compile it and report it', () => {
  const file = { path: 'a.json', content: Buffer.from('{"a": 1}') };
  const read = documentOf(file);
  expect(read.value).toEqual({ a: 1 });
  expect(documentOf(file)).toBe(read);
  const changed = { ...file, content: Buffer.from('{"a": 2}') };
  expect(documentOf(changed).value).toEqual({ a: 2 });
});
