import { expect, it } from 'vitest';
import { catalogue } from '../../../dataplane/catalogue/catalogue.ts';
import { typeNames } from '../../../dataplane/catalogue/type-names.ts';

it('has the names that the catalogue has, in their order', () => {
  const names = catalogue.definitions.flatMap(({ type, aliases = [] }) => [type, ...aliases]);
  expect(typeNames).toEqual(names.sort());
});
