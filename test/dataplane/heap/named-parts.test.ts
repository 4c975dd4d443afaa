import { expect, it } from 'vitest';
import { z } from 'zod';
import { LatePart } from '../../../contract/document/late-part.ts';
import { catalogue } from '../../../dataplane/catalogue/catalogue.ts';
import { defineService } from '../../../dataplane/heap/definition.ts';
import { loadAllParts, loadNamedParts } from '../../../dataplane/heap/named-parts.ts';
import { TypeCatalogue } from '../../../dataplane/heap/type-catalogue.ts';

/** A type whose objects need code, by the field `type`. */
function partial() {
  const parts = { a: new LatePart('a', async () => 'a'), b: new LatePart('b', async () => 'b') };
  const definition = defineService({
    type: 'Partial',
    kind: 'clock',
    summary: '',
    config: z.unknown(),
    parts(config) {
      const { type } = (config ?? {}) as { type?: string };
      return type === 'a' ? [parts.a] : type === 'b' ? [parts.b] : [parts.a, parts.b];
    },
    create: () => {
      throw new Error('is not built');
    },
  });
  return { ...parts, types: new TypeCatalogue([definition], []) };
}

it.each([
  ['a heap', { heap: [{ name: 'x', type: 'Partial', config: { type: 'a' } }] }],
  [
    'an object within another',
    { handler: { type: 'Chain', config: { filters: [[{ type: 'Partial', config: { type: 'a' } }]] } } },
  ],
  ['the full name of a class', { handler: { type: 'org.forgerock.openig.Partial', config: { type: 'a' } } }],
])('loads the code that an object needs in %s', async (_, document) => {
  const { a, b, types } = partial();
  await loadNamedParts(types, [document]);
  expect([a.isLoaded, b.isLoaded]).toEqual([true, false]);
});

it('loads all code of an object that does not say what it needs', async () => {
  const { a, b, types } = partial();
  await loadNamedParts(types, { type: 'Partial' });
  expect([a.isLoaded, b.isLoaded]).toEqual([true, true]);
});

it('loads nothing for other documents', () => {
  const { types } = partial();
  expect(loadNamedParts(types, [{ type: 'Chain' }, null, 1, 'Partial', { config: 'Partial' }])).toBe(null);
});

it('has nothing to load once everything is there', async () => {
  const { types } = partial();
  await loadAllParts(types);
  expect(loadNamedParts(types, { type: 'Partial' })).toBe(null);
});

it('knows the code of every type that runs scripts', () => {
  const scripted = catalogue.definitions.filter(({ type }) => type.startsWith('Scriptable'));
  expect(scripted.length).toBeGreaterThan(0);
  expect(scripted.filter(({ parts }) => (parts?.(undefined) ?? []).length === 0)).toEqual([]);
});
