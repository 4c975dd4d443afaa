import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { readProperties } from '../../../contract/document/properties.ts';
import type { PropertySet } from '../../../contract/document/property-set.ts';
import { type TokenSources, tokenResolver } from '../../../contract/document/token-resolver.ts';
import { noReach, type Reach } from '../../../contract/reach.ts';

function sources(reach: Partial<Reach>, more: Partial<TokenSources> = {}): TokenSources {
  const none: TokenSources = {
    reach: { ...noReach, ...reach },
    files: new Map(),
    instanceUrl: null,
    allowed: new Map(),
  };
  return { ...none, ...more };
}

function properties(raw: JsonObject, parent: PropertySet | null = null): PropertySet {
  const context = { parent, sources: sources({ origin: 'operator' }), evaluate: (text: string) => text };
  return readProperties(raw, context, (problem) => {
    throw new Error(problem.message);
  });
}

describe('tokens of an operator', () => {
  const set = properties(
    { a: 'own', group: { b: 'nested' } },
    properties({ a: 'parent', c: 'parent' }, properties({ d: 'top' })),
  );
  const environment: Readonly<Record<string, string>> = { A: 'env', C: 'env', E: 'env', AM_REALM: 'env', F: 'env' };
  const system: Readonly<Record<string, string>> = { e: 'system', f: 'system', 'g.h': 'system', 'am-x': 'system' };
  const resolver = tokenResolver(
    set,
    sources(
      {
        origin: 'operator',
        env: (name) => environment[name],
        system: (name) => system[name],
        systemNames: () => Object.keys(system),
        directories: { instance: '/opt/instance', config: '/opt/instance/config', temp: '/opt/instance/tmp' },
      },
      {
        files: new Map([
          ['g.h', 'file'],
          ['i', 'file'],
          ['ig.instance.url', 'file'],
        ]),
        instanceUrl: 'https://gw.example',
        allowed: new Map([['z', 'allowed']]),
      },
    ),
  );

  it.each([
    ['a', 'own'],
    ['group.b', 'nested'],
    ['c', 'parent'],
    ['d', 'top'],
    ['e', 'env'],
    ['am.realm', 'env'],
    ['g.h', 'system'],
    ['am-x', 'system'],
    ['i', 'file'],
    ['ig.instance.dir', '/opt/instance'],
    ['ig.instance.url', 'file'],
    ['group', undefined],
    ['absent', undefined],
    ['z', undefined],
  ])('have a value: %s', (name, value) => {
    expect(resolver.resolve(name)).toBe(value);
  });

  it('are known by name', () => {
    expect(resolver.names()).toEqual(expect.arrayContaining(['a', 'group.b', 'c', 'd', 'g.h', 'i', 'ig.instance.dir']));
  });

  it('have an address where there is one', () => {
    const operator = sources({ origin: 'operator' }, { instanceUrl: 'https://gw.example' });
    expect(tokenResolver(null, operator).resolve('ig.instance.url')).toBe('https://gw.example');
    expect(tokenResolver(null, sources({ origin: 'operator' })).resolve('ig.instance.url')).toBeUndefined();
    expect(tokenResolver(null, operator).resolve('ig.instance.dir')).toBeUndefined();
  });
});

describe('tokens of a tenant', () => {
  const reachable: Partial<Reach> = { origin: 'tenant', env: () => 'env', system: () => 'system' };
  const allowed = new Map([['region', 'eu']]);
  const files = new Map([['file', 'x']]);
  const set = properties({ a: 'own' }, properties({ parent: 'operator' }));
  const resolver = tokenResolver(set, sources(reachable, { allowed, files, instanceUrl: 'https://gw.example' }));

  it('are its own and the allowed ones', () => {
    expect([resolver.resolve('a'), resolver.resolve('region')]).toEqual(['own', 'eu']);
    expect(resolver.names()).toEqual(['a', 'region']);
  });

  it.each(['parent', 'PATH', 'file', 'ig.instance.url', 'absent'])('are not %s', (name) => {
    const refused = { code: 'not-allowed', message: `has the token &{${name}}, which is not allowed here` };
    expect(() => resolver.resolve(name)).toThrow(expect.objectContaining(refused));
  });
});
