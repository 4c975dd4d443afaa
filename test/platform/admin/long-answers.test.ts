import { expect, it } from 'vitest';
import type { CollectionProvider } from '../../../contract/crest/provider.ts';
import type { AdminCall } from '../../../platform/admin/admin-table.ts';
import { crestAnswer } from '../../../platform/admin/crest-path.ts';

function call(search: string): AdminCall {
  return {
    ...{
      parameters: {},
      query: new URLSearchParams(search),
      body: Buffer.alloc(0),
      method: 'GET',
      path: '/api/routes',
    },
    ...{ search, origin: 'http://localhost', remoteAddress: '127.0.0.1', header: () => null },
  };
}

function collection(count: number): CollectionProvider {
  const results = Array.from({ length: count }, (_, at) => ({
    ...{ id: `r${at}`, revision: '1', content: { name: `r${at}`, text: 'x'.repeat(500) } },
  }));
  return { query: async () => ({ results, cookie: null, countPolicy: 'NONE', total: -1 }) };
}

it('writes a long answer of Common REST in turns of bounded length', async () => {
  let turns = 0;
  const inTurn = async <T>(run: () => T): Promise<T> => {
    turns++;
    return run();
  };
  const endpoint = { kind: 'collection', provider: collection(3000) } as const;
  const { status, body } = await crestAnswer(endpoint, '/api/routes', call('_queryFilter=true'), { inTurn });
  expect(status).toBe(200);
  const pieces: string[] = [];
  for await (const piece of body as AsyncIterable<string>) {
    pieces.push(piece);
    expect(turns).toBe(pieces.length);
  }
  expect(pieces.length).toBeGreaterThan(20);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(70_000);
  expect(JSON.parse(pieces.join(''))).toMatchObject({ resultCount: 3000, pagedResultsCookie: null });
});

it('writes a short answer at once', async () => {
  const endpoint = { kind: 'collection', provider: collection(3) } as const;
  const { body } = await crestAnswer(endpoint, '/api/routes', call('_queryFilter=true'));
  expect(JSON.parse(String(body))).toMatchObject({ resultCount: 3 });
});
