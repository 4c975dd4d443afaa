import { beforeAll, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../contract/document/json-value.ts';
import { catalogue } from '../../../../dataplane/catalogue/catalogue.ts';
import { loadAllParts } from '../../../../dataplane/heap/named-parts.ts';
import { startFiltered } from '../../../support/gateways/filtered-gateway.ts';

beforeAll(() => loadAllParts(catalogue));

const script = (source: JsonValue): JsonObject => ({
  type: 'ScriptableFilter',
  config: { type: 'application/javascript', source },
});

it('answers with the response of next that a script returns', async () => {
  const { ask } = await startFiltered([script('return next(request)')]);
  const answer = await ask('/?status=203&h.x-backend=1&entity=hello');
  expect(answer).toMatchObject({ status: 203, body: 'hello' });
  expect(answer.values('x-backend')).toEqual(['1']);
});

it('lets a script see the response that it returns', async () => {
  const { ask, logged } = await startFiltered([
    script([
      'const passed = next(request)',
      "passed.then((response) => logger.info('status ' + response.status))",
      'return passed',
    ]),
  ]);
  expect((await ask('/?status=203')).status).toBe(203);
  expect(logged.map(({ msg }) => msg)).toContain('status 203');
});

it('lets a later request see a response that a script kept', async () => {
  const { ask } = await startFiltered([
    script([
      'if (globals.kept) return globals.kept.then((response) => new Response(response.status + 1))',
      'return (globals.kept = next(request))',
    ]),
  ]);
  expect((await ask('/?status=203')).status).toBe(203);
  expect((await ask('/')).status).toBe(204);
});

it('answers 500 if the request that a script returns cannot be passed on', async () => {
  const { ask, logged } = await startFiltered([script(['next(request).catch(() => {})', 'return next(request)'])]);
  expect((await ask('/')).status).toBe(500);
  expect(logged.map(({ msg }) => msg)).toContain(
    'script failed: TypeError: the request was passed on already, and has no response yet',
  );
});

it('changes many headers of a request', async () => {
  const { ask, seen } = await startFiltered([
    script([
      "for (let at = 0; at < 20; at++) request.headers.set('X-Many-' + at, 'first')",
      "for (let at = 0; at < 20; at++) request.headers.add('x-many-' + at, String(at))",
      "request.headers.delete('X-Many-19')",
      'return next(request)',
    ]),
  ]);
  await ask('/');
  const values = (name: string) => seen[0]!.headers.filter(([each]) => each === name).map(([, value]) => value);
  expect(values('x-many-3')).toEqual(['first', '3']);
  expect(values('x-many-12')).toEqual(['first', '12']);
  expect(values('x-many-19')).toEqual([]);
});
