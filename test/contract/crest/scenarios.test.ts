import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { CrestEndpoint } from '../../../contract/crest/provider.ts';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { MemoryCollection } from '../../support/crest/memory-collection.ts';
import { sendCrest } from '../../support/crest/sent-crest.ts';

type Step = readonly [method: string, path: string, body: JsonValue, status: number | string, note?: JsonValue];

interface Scenario {
  readonly name: string;
  readonly steps?: readonly Step[];
  readonly bodies?: readonly JsonValue[];
  readonly data?: readonly (readonly [string, number])[];
  readonly query?: string;
  readonly names?: readonly string[];
  readonly pages?: readonly (readonly string[])[];
}

const file = new URL('../../vectors/crest-scenarios.json', import.meta.url);
const { scenarios } = JSON.parse(readFileSync(file, 'utf8')) as { readonly scenarios: readonly Scenario[] };

const ALICE = { name: 'alice', age: 20, role: 'sales' };

function people(data: readonly (readonly [string, number])[] = []): CrestEndpoint {
  const state = Object.fromEntries(data.map(([name, age], at) => [`p${at}`, { name, age }]));
  return { kind: 'collection', provider: new MemoryCollection({ alice: ALICE, ...state }).provider };
}

const nameOf = (one: JsonValue): JsonValue => (one as JsonObject)['name']!;

describe('scenarios of Common REST', () => {
  const withSteps = scenarios.filter(({ steps }) => steps !== undefined);
  it.each(withSteps.map(({ name, steps }) => [name, steps!] as const))('%s', async (_, steps) => {
    const endpoint = people();
    let id = '';
    for (const [method, path, body, status, note] of steps) {
      const target = path.replace('{id}', id).replace('{alice}', 'alice');
      const answer = await sendCrest(endpoint, `${method} ${target}`, body ?? undefined);
      expect(String(status)).toContain(String(answer.status));
      if (typeof answer.body['_id'] === 'string') id = answer.body['_id'];
      if (typeof note === 'object') expect(answer.body).toMatchObject(note as JsonObject);
      if (note === 'no role') expect(answer.body).not.toHaveProperty('role');
      if (typeof note === 'string' && note.startsWith('role still')) {
        expect(answer.body).toMatchObject({ role: 'sales', _rev: '1' });
      }
    }
  });

  const bad = scenarios.find(({ bodies }) => bodies !== undefined)!.bodies!;
  it.each(bad.map((body) => [body]))('refuses the patch %j', async (body) => {
    expect((await sendCrest(people(), 'PATCH /alice', body)).status).toBe(400);
  });

  it('pages by offset and by cookie', async () => {
    const [byOffset, byCookie] = scenarios.filter(({ data }) => data !== undefined);
    const offset = await sendCrest(
      people(byOffset!.data),
      `GET ?${byOffset!.query!.replace('=true', '=name+sw+"foo"')}`,
    );
    expect((offset.body['results'] as readonly JsonValue[]).map(nameOf)).toEqual(byOffset!.names);
    expect(offset.body['pagedResultsCookie']).not.toBeNull();

    const endpoint = people(byCookie!.data);
    let cookie = '';
    for (const page of byCookie!.pages!) {
      const query = `_queryFilter=name+sw+"foo"&_sortKeys=%2B/name&_pageSize=2&_pagedResultsCookie=${cookie}`;
      const { body } = await sendCrest(endpoint, `GET ?${query}`);
      expect((body['results'] as readonly JsonValue[]).map(nameOf)).toEqual(page);
      cookie = String(body['pagedResultsCookie']);
    }
    expect(cookie).toBe('null');
  });

  it.each([
    ['_pageSize=5', -1],
    ['_totalPagedResultsPolicy=EXACT', -1],
    ['_pageSize=5&_totalPagedResultsPolicy=NONE', -1],
    ['_pageSize=5&_totalPagedResultsPolicy=EXACT', 2],
    ['_pageSize=5&_totalPagedResultsPolicy=ESTIMATE', 2],
  ])('counts for %s: %i', async (query, total) => {
    const { body } = await sendCrest(people([['bob', 30]]), `GET ?_queryFilter=true&${query}`);
    expect(body['totalPagedResults']).toBe(total);
  });

  it('refuses a query of an instance, and a cookie with an offset', async () => {
    expect((await sendCrest(people(), 'GET /alice?_queryFilter=true')).status).toBe(400);
    const both = 'GET ?_queryFilter=true&_pageSize=1&_pagedResultsOffset=1&_pagedResultsCookie=x';
    expect((await sendCrest(people(), both)).status).toBe(400);
  });
});
