import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type ManagedGateway, manageInstance } from '../../support/crest/managed-gateway.ts';

const ROUTE = { handler: { type: 'StaticResponseHandler', config: { status: 200 } } };
const LONG = { ...ROUTE, comment: Array.from({ length: 10_000 }, () => 1) };
const PROBLEM = { severity: 'error', code: 'value', path: '', message: 'has more than 10000 values' };

async function managed(): Promise<ManagedGateway> {
  const gateway = await manageInstance({
    'config/config.json': { handler: { type: 'Router', name: '_router', config: { scanInterval: 'disabled' } } },
    'config/routes/known.json': ROUTE,
  });
  onTestFinished(() => gateway.close());
  return gateway;
}

it.each<[line: string, body: unknown]>([
  ['PUT /api/routes/new', LONG],
  ['POST /api/routes?_action=create', { ...LONG, _id: 'new' }],
  ['PUT /api/routes/known', LONG],
  ['PATCH /api/routes/known', [{ operation: 'add', field: '/comment', value: LONG.comment }]],
])('%s rejects a document of more than 10,000 values and changes nothing', async (line, body) => {
  const gateway = await managed();
  const routes = join(gateway.path, 'config/routes');
  const before = readFileSync(join(routes, 'known.json'), 'utf8');
  const answer = await gateway.send(line, body);
  expect(answer).toMatchObject({ status: 409, body: { detail: { problems: [PROBLEM] } } });
  expect(readdirSync(routes)).toEqual(['known.json']);
  expect(readFileSync(join(routes, 'known.json'), 'utf8')).toBe(before);
});

it.each(['routes', 'routes/known'])('validation of %s finds a document too long', async (path) => {
  const gateway = await managed();
  expect(await gateway.send(`POST /api/${path}?_action=validate`, LONG)).toMatchObject({
    status: 200,
    body: { valid: false, problems: [PROBLEM] },
  });
});
