import { describe, expect, it } from 'vitest';
import { LatePart, PartMissing } from '../../../contract/document/late-part.ts';
import { catalogue, typeGroups } from '../../../dataplane/catalogue/catalogue.ts';
import { namesByGroup } from '../../../dataplane/catalogue/type-names.ts';
import { unitCatalogue } from '../../../dataplane/catalogue/unit-catalogue.ts';
import { defaultObjects } from '../../../dataplane/heap/default-objects.ts';
import { loadNamedParts } from '../../../dataplane/heap/named-parts.ts';
import { TypeCatalogue } from '../../../dataplane/heap/type-catalogue.ts';

/** A catalogue of which only the basic types are loaded. */
function lateCatalogue(): TypeCatalogue {
  const { basic, ...others } = typeGroups;
  const late = Object.entries(others).map(([group, types]) => ({
    names: namesByGroup[group as keyof typeof namesByGroup],
    part: new LatePart(group, async () => types),
  }));
  return new TypeCatalogue(basic, [], new Map(), new Map(), late);
}

describe('the catalogue of gateway units', () => {
  it('knows every type of the whole catalogue', async () => {
    for (const { type, aliases = [] } of catalogue.definitions) {
      for (const name of [type, ...aliases]) {
        await loadNamedParts(unitCatalogue, { type: name });
        expect(unitCatalogue.find(name)).toBe(catalogue.find(name));
      }
    }
    expect(unitCatalogue.definitions.length).toBe(catalogue.definitions.length);
    expect(unitCatalogue.hasLate).toBe(false);
  });

  it('has the types of default objects and of implied ones from its start', () => {
    const basic = new Set<string>(namesByGroup.basic);
    const needed = [
      ...(defaultObjects as readonly { readonly type: string }[]).map(({ type }) => type),
      'SecretsProvider',
    ];
    expect(needed.filter((type) => !basic.has(type))).toEqual([]);
  });

  it('loads the type of a registration with the filter that may declare one in place', async () => {
    const types = lateCatalogue();
    await loadNamedParts(types, { type: 'AuthorizationCodeOAuth2ClientFilter' });
    expect(types.find('ClientRegistration')?.type).toBe('ClientRegistration');
  });
});

describe('late types', () => {
  it('are not found before their part is loaded', () => {
    expect(() => lateCatalogue().find('ThrottlingFilter')).toThrow(PartMissing);
  });

  it('are loaded with the first document that names one of their group', async () => {
    const types = lateCatalogue();
    await loadNamedParts(types, { heap: [{ name: 'a', type: 'org.forgerock.openig.filter.ThrottlingFilter' }] });
    expect(types.find('MappedThrottlingPolicy')?.type).toBe('MappedThrottlingPolicy');
    expect(() => types.find('PolicyEnforcementFilter')).toThrow(PartMissing);
  });

  it('load the code that their objects need, too', async () => {
    const types = lateCatalogue();
    const config = { type: 'application/x-groovy', source: 'next.handle(context, request)' };
    const document = { type: 'ScriptableFilter', config };
    await loadNamedParts(types, document);
    expect(types.find('ScriptableFilter')!.parts!(config).every(({ isLoaded }) => isLoaded)).toBe(true);
    expect(loadNamedParts(types, document)).toBe(null);
  });

  it('are known by name, and meant by names that are similar', () => {
    const types = lateCatalogue();
    expect(types.has('ThrottlingFilter')).toBe(true);
    expect(types.has('org.forgerock.openig.filter.ThrottlingFilter')).toBe(true);
    expect(types.has('Throttling')).toBe(false);
    expect(types.unknown('ThrotlingFilter').hint).toBe("did you mean 'ThrottlingFilter'?");
  });

  it('do not count as unavailable', () => {
    const part = new LatePart('late', async () => []);
    const types = new TypeCatalogue([], ['Late'], new Map(), new Map(), [{ names: ['Late'], part }]);
    expect(types.isUnavailable('Late')).toBe(false);
  });
});
