import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { noReach } from '../../../contract/reach.ts';
import { checkConfigured } from '../../support/configured-gateway.ts';

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
  ])('may not say %s', (expression) => {
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
