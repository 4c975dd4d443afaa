import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { noReach } from '../../../contract/reach.ts';
import { checkConfigured } from '../../support/gateways/configured-gateway.ts';

/** A tenant's document and the problems of it, as codes and paths. */
function problems(document: JsonObject): string[] {
  return checkConfigured(document, noReach).map(({ code, path }) => `${code} ${path.join('.')}`);
}

const says = (entity: string): JsonObject => ({
  handler: { type: 'StaticResponseHandler', config: { status: 200, entity } },
});

describe('a document of a tenant', () => {
  it.each([
    "${read('/etc/passwd')}",
    "${readWithCharset('/etc/passwd', 'UTF-8')}",
    "${readProperties('/etc/passwd')}",
    "${fileToUrl('/etc/passwd')}",
    "${pathToUrl('/etc/passwd')}",
    "${env['HOME']}",
    '${env.HOME}',
    "${system['user.home']}",
    '${openig.configDirectory}',
    '${openig}',
    "${empty env ? 'a' : 'b'}",
    "${find(request.uri.path, '^/a') ? read('/x') : ''}",
  ])('may not contain %s', (expression) => {
    expect(problems(says(expression))).toEqual(['not-allowed handler.config.entity']);
  });

  it.each([
    [{ type: 'ResourceHandler', config: { directories: ['/'] } }],
    [{ type: 'Router' }],
    [{ type: 'Router', config: { directory: '/etc' } }],
  ])('may not declare %j', (handler) => {
    expect(problems({ handler })).toEqual(['not-allowed handler.type']);
  });

  it('may not choose a directory on the plane', () => {
    const storage = { name: 'mine', type: 'TemporaryStorage', config: { directory: '/etc' } };
    expect(problems({ ...says('x'), heap: [storage] })).toEqual(['not-allowed heap.0.config.directory']);
  });

  it.each(['(a)\\1', '(?=a)b', '(?<!a)b', '(?>a+)b', 'a++b'])('may not use the pattern %s', (pattern) => {
    const literal = pattern.replaceAll('\\', '\\\\');
    expect(problems({ ...says('x'), condition: `\${find(request.uri.path, '${literal}')}` })).toEqual([
      'pattern condition',
    ]);
  });

  const chain = (type: string, field: string, count: number): JsonObject => ({
    heap: Array.from({ length: count }, (_, i) => ({
      name: `o${i}`,
      type,
      config: { filters: [], [field]: i + 1 === count ? 'last' : `o${i + 1}` },
    })).concat([{ name: 'last', type: 'StaticResponseHandler', config: { status: 200 } as never }]),
    handler: 'o0',
  });

  it.each([
    ['Chain', 'handler'],
    ['Delegate', 'delegate'],
  ])('may not refer to itself without end: %s', (type, field) => {
    const strip = ({ heap, ...rest }: JsonObject): JsonObject =>
      type === 'Chain'
        ? { heap: heap!, ...rest }
        : JSON.parse(JSON.stringify({ heap, ...rest }).replaceAll('"filters":[],', ''));
    expect(problems(strip(chain(type, field, 100)))).toEqual([]);
    expect(problems(strip(chain(type, field, 5000)))).toEqual([expect.stringMatching(/^reference heap\.\d+$/)]);
  });

  it('gets no hints for thousands of wrong names', () => {
    const objects = Array.from({ length: 5000 }, (_, i) => ({
      name: `o${i}`,
      type: 'Delegate',
      config: { delegate: `p${i}` },
    }));
    const keys = Object.fromEntries(objects.map(({ name }) => [`k${name}`, 1]));
    const found = checkConfigured({ heap: objects, ...keys, handler: 'o0' }, noReach);
    expect(found.length).toBeGreaterThan(9000);
    expect(found.filter(({ hint }) => hint !== undefined).length).toBeLessThanOrEqual(50);
  });

  it.each([
    ['{"handler":"x","__proto__":{"handler":1}}', 'unknown-field __proto__'],
    [
      '{"handler":{"type":"StaticResponseHandler","config":{"status":200,"headers":{"__proto__":["x"]}}}}',
      'unknown-field handler.config.headers.__proto__',
    ],
    [
      '{"handler":{"type":"Delegate","config":{"__proto__":{"delegate":"x"},"delegate":"x"}}}',
      'unknown-field handler.config.__proto__',
    ],
  ])('reports every ignored key: %s', (text, problem) => {
    expect(problems(JSON.parse(text))).toContain(problem);
  });

  it('may do everything else', () => {
    const filters = [
      { type: 'HeaderFilter', config: { messageType: 'REQUEST', add: { A: ["${request.headers['B'][0]}"] } } },
    ];
    const handler = { type: 'Chain', config: { filters, handler: 'ReverseProxyHandler' } };
    expect(problems({ condition: "${find(request.uri.path, '^(a+)+$')}", handler })).toEqual([]);
  });
});

describe('expressions', () => {
  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])('never reach %s', async (name) => {
    const { compileExpression } = await import('../../../contract/expression/expression.ts');
    const { runtimeLanguage } = await import('../../../dataplane/language/runtime-language.ts');
    const language = runtimeLanguage(noReach, new Map<string, object>([['plain', { a: 1 }]]));
    for (const source of [`\${plain.${name}}`, `\${plain['${name}']}`, `\${plain.a.${name}}`, `\${''.${name}}`]) {
      let value: unknown;
      try {
        value = compileExpression(source, language, 'linear').evaluate(null, null);
      } catch {
        value = null;
      }
      expect(value).toBeNull();
    }
  });
});
