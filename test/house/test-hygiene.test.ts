import { describe, expect, it } from 'vitest';
import { readRepository } from './source-file.ts';
import { testHygieneBreaches } from './test-hygiene.ts';

const breaches = (text: string) => testHygieneBreaches([{ path: 'test/dataplane/a.test.ts', text }]);

describe('tests all run, wait for events and take free ports', () => {
  it('in this repository', () => {
    expect(testHygieneBreaches(readRepository())).toEqual([]);
  });

  it.each([
    "it.skip('a', f);",
    "describe.only('a', f);",
    "it.todo('a');",
    "it.fails('a', f);",
    "it.concurrent.skip('a', f);",
    "it.skipIf(process.platform === 'linux')('a', f);",
    'context.skip();',
    "xit('a', f);",
    'await new Promise((resolve) => setTimeout(resolve, 500));',
    'await setTimeout(1_000);',
    'await sleep(250);',
    "it('a', { timeout: 5_000 }, async () => {});",
    "it.each([1])('a', { timeout: 5_000 }, (one) => {});",
    'vi.setConfig({ testTimeout: 5000 });',
    'server.listen(8080);',
    "server.listen({ host: 'localhost', port: 8080 });",
    'net.connect(8080);',
    "connect({ host: 'localhost', port: 8080 });",
  ])('refuse %s', (text) => {
    expect(breaches(text)).toHaveLength(1);
  });

  it.each([
    "it('a', f); it.each([1])('b', f);",
    'const timer = setTimeout(() => socket.destroy(), 5000);',
    'await new Promise((resolve) => setTimeout(resolve, 20));',
    "server.listen(0, '127.0.0.1'); server.listen({ port: 0 });",
    'await vi.waitFor(() => expect(a).toBe(1), { timeout: 5_000 });',
    'connect({ port: address.port }); connect(port);',
    "expect(text).toContain('it.skip(');",
  ])('accept %s', (text) => {
    expect(breaches(text)).toEqual([]);
  });
});
