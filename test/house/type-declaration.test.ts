import { describe, expect, it } from 'vitest';
import { readRepository } from './source-file.ts';
import { catalogueBreaches, typeNameBreaches } from './type-declaration.ts';

const declare = (path: string, exported: string, kind: string, type: string) => ({
  path,
  text: `/** What it is. */\n${exported}define${kind}({\n  type: '${type}',\n  config: z.strictObject({}),\n});`,
});
const throttling = declare(
  'dataplane/filters/throttling.ts',
  'export const throttlingFilter = ',
  'Filter',
  'ThrottlingFilter',
);

describe('type in the configuration = export = file', () => {
  it('holds in this repository', () => {
    expect(typeNameBreaches(readRepository())).toEqual([]);
  });

  it.each([
    ['dataplane/filters/throttling.ts', 'throttlingFilter', 'Filter', 'ThrottlingFilter'],
    ['dataplane/handlers/chain.ts', 'chain', 'Handler', 'Chain'],
    ['dataplane/filters/oauth2-client.ts', 'oauth2ClientFilter', 'Filter', 'OAuth2ClientFilter'],
    ['dataplane/secrets/jwk-set.ts', 'jwkSetSecretStore', 'SecretStore', 'JwkSetSecretStore'],
  ])('accepts %s with %s', (path, name, kind, type) => {
    expect(typeNameBreaches([declare(path, `export const ${name} = `, kind, type)])).toEqual([]);
  });

  it.each([
    ['dataplane/filters/rate.ts', 'export const throttlingFilter = ', 'ThrottlingFilter'],
    ['dataplane/filters/throttling.ts', 'export const throttle = ', 'ThrottlingFilter'],
    ['dataplane/filters/throttling.ts', 'export const ThrottlingFilter = ', 'ThrottlingFilter'],
    ['dataplane/filters/throttling.ts', 'const throttlingFilter = ', 'ThrottlingFilter'],
    ['dataplane/filters/throttling.ts', 'export const throttlingFilter = ', 'RateFilter'],
  ])('refuses %s with %s%s', (path, exported, type) => {
    expect(typeNameBreaches([declare(path, exported, 'Filter', type)])).not.toEqual([]);
  });

  it('refuses two types in one file', () => {
    const text = throttling.text + throttling.text;
    expect(typeNameBreaches([{ path: throttling.path, text }])).toHaveLength(1);
  });
});

describe('the catalogue', () => {
  const group = (list: string, name = 'a') => ({
    path: `dataplane/catalogue/groups/${name}-types.ts`,
    text: `import { throttlingFilter } from '../../throttling/throttling.ts';\nexport const types = [${list}];`,
  });

  it('lists every type of this repository exactly once', () => {
    expect(catalogueBreaches(readRepository())).toEqual([]);
  });

  it('may list a type once, not twice and not never', () => {
    expect(catalogueBreaches([throttling, group('throttlingFilter'), group('', 'b')])).toEqual([]);
    expect(catalogueBreaches([throttling, group('throttlingFilter, throttlingFilter')])).toHaveLength(1);
    expect(catalogueBreaches([throttling, group('throttlingFilter'), group('throttlingFilter', 'b')])).toHaveLength(1);
    expect(catalogueBreaches([throttling, group('')])).toHaveLength(1);
    expect(catalogueBreaches([throttling])).toHaveLength(1);
  });
});
