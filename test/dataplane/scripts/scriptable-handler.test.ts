import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { pathText } from '../../../contract/problem.ts';
import { noReach, type Reach } from '../../../contract/reach.ts';
import { catalogue } from '../../../dataplane/catalogue/catalogue.ts';
import { loadAllParts } from '../../../dataplane/heap/named-parts.ts';
import { checkConfigured } from '../../support/gateways/configured-gateway.ts';
import { startFiltered } from '../../support/gateways/filtered-gateway.ts';
import { operatorReach } from '../../support/gateways/operator-reach.ts';

beforeAll(() => loadAllParts(catalogue));

const handler = (fields: JsonObject): JsonObject => ({
  type: 'ScriptableHandler',
  config: { type: 'application/x-groovy', ...fields },
});

/** An instance with one script. */
function instanceWith(name: string, text: string): { reach: Reach; write(text: string): void } {
  const instance = mkdtempSync(join(tmpdir(), 'gatewarden-scripts-'));
  onTestFinished(() => rm(instance, { recursive: true }));
  const path = join(instance, 'scripts', 'groovy', name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  const reach = { ...operatorReach(), directories: { instance, config: instance, temp: instance } };
  return { reach, write: (changed) => writeFileSync(path, changed) };
}

const saying = (text: string): string => `def r = new Response(Status.OK); r.entity = '${text}'; r`;

it('answers with the response of the script', async () => {
  const source = ['def r = new Response(Status.CREATED)', "r.headers['X-A'] = ['1', '2']", "r.entity = 'made'", 'r'];
  const { ask } = await startFiltered([], handler({ source }));
  const answer = await ask('/');
  expect(answer).toMatchObject({ status: 201, body: 'made' });
  expect(answer.values('x-a')).toEqual(['1', '2']);
});

it('has no next', async () => {
  const { ask } = await startFiltered([], handler({ source: '[1].each { next.handle(context, request) }' }));
  expect((await ask('/')).status).toBe(500);
  await expect(startFiltered([], handler({ source: 'next.handle(context, request)' }))).rejects.toThrow(
    'the variable next is not available',
  );
});

it('returns the response of its own request', async () => {
  const source =
    "def asked = new Request(); asked.method = 'GET'; asked.uri = 'http://app.test/?entity=inner&h.x-a=1'; http.send(context, asked)";
  const { ask } = await startFiltered([], handler({ source }));
  const answer = await ask('/');
  expect(answer).toMatchObject({ status: 200, body: 'inner' });
  expect(answer.values('x-a')).toEqual(['1']);
});

it('runs a file of the instance, and the changed one after a change', async () => {
  const { reach, write } = instanceWith('sub/say.groovy', saying('one'));
  const { ask, logged } = await startFiltered([], handler({ file: 'sub/say.groovy' }), { reach });
  expect(await ask('/')).toMatchObject({ body: 'one' });
  write(saying('two'));
  await vi.waitFor(async () => expect(await ask('/')).toMatchObject({ body: 'two' }), {
    timeout: 20_000,
    interval: 100,
  });
  write('def x = (');
  const isLogged = () => logged.some(({ msg }) => msg === 'changed script has an error; the last one runs on');
  await vi.waitFor(
    async () => {
      expect(await ask('/')).toMatchObject({ body: 'two' });
      expect(isLogged()).toBe(true);
    },
    { timeout: 20_000, interval: 100 },
  );
  write(saying('three'));
  await vi.waitFor(async () => expect(await ask('/')).toMatchObject({ body: 'three' }), {
    timeout: 20_000,
    interval: 100,
  });
  expect(logged.filter(({ msg }) => msg === 'script reloaded')).toEqual([
    expect.objectContaining({ level: 30, file: 'sub/say.groovy' }),
    expect.objectContaining({ level: 30, file: 'sub/say.groovy' }),
  ]);
});

it('suggests the file that a misspelt name means', () => {
  const { reach } = instanceWith('sub/say.groovy', saying('one'));
  const problems = checkConfigured({ handler: handler({ file: 'sub/sya.groovy' }) }, reach);
  expect(problems.map(({ message, hint }) => [message, hint])).toEqual([
    ["there is no file 'sub/sya.groovy' below scripts/groovy of the instance", "did you mean 'sub/say.groovy'?"],
  ]);
});

it('distinguishes a file that cannot be read from a missing one', () => {
  const { reach } = instanceWith('say.groovy/inner.groovy', saying('one'));
  const problems = checkConfigured({ handler: handler({ file: 'say.groovy' }) }, reach);
  expect(problems.map(({ message, hint }) => [message, hint])).toEqual([
    ["the file 'say.groovy' below scripts/groovy of the instance cannot be read", undefined],
  ]);
});

it('names file, line and column of an error', () => {
  const { reach } = instanceWith('bad.groovy', 'def a = 1\ndef b = [1, 2');
  const problems = checkConfigured({ handler: handler({ file: 'bad.groovy' }) }, reach);
  expect(problems.map(({ path, message }) => `${pathText(path)}: ${message}`)).toEqual([
    expect.stringMatching(/^handler\.config\.file: bad\.groovy, line 2, column \d+: /),
  ]);
});

it('does not take a file of a tenant', () => {
  const problems = checkConfigured({ handler: handler({ file: '/etc/passwd' }) }, noReach);
  expect(problems.map(({ code, path }) => `${code} ${pathText(path)}`)).toEqual(['not-allowed handler.config.file']);
});

it('compiles the source of a tenant', () => {
  const problems = checkConfigured({ handler: handler({ source: 'new ProcessBuilder()' }) }, noReach);
  expect(problems.map(({ path, message }) => `${pathText(path)}: ${message}`)).toEqual([
    expect.stringMatching(/^handler\.config\.source: the script, line 1, column \d+: .*ProcessBuilder/),
  ]);
});
