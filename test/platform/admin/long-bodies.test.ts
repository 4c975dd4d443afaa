import { expect, it } from 'vitest';
import type { CrestEndpoint } from '../../../contract/crest/provider.ts';
import { crestAnswer } from '../../../platform/admin/crest-path.ts';
import { MemoryCollection } from '../../support/crest/memory-collection.ts';

/** Sends a document and counts the turns that were taken for it. */
async function put(body: string): Promise<{ readonly status: number; readonly turns: number }> {
  const endpoint: CrestEndpoint = { kind: 'collection', provider: new MemoryCollection({}).provider };
  let turns = 0;
  const call = {
    ...{ parameters: {}, query: new URLSearchParams(), body: Buffer.from(body), method: 'PUT', search: '' },
    ...{ path: '/api/things/one', origin: 'http://gw.test', remoteAddress: '' },
    header: (name: string) => (name === 'content-type' ? 'application/json' : null),
  };
  const { status } = await crestAnswer(endpoint, '/api/things', call, {
    async inTurn(run) {
      turns++;
      return run();
    },
  });
  return { status, turns };
}

it('reads a long body in its turn, because other work of the thread waits meanwhile', async () => {
  expect(await put(JSON.stringify({ list: Array.from({ length: 10_000 }, () => 1) }))).toEqual({
    status: 201,
    turns: 1,
  });
});

it('answers a long body that is malformed with 400', async () => {
  expect(await put('['.repeat(20_000))).toEqual({ status: 400, turns: 1 });
});

it('reads a short body at once', async () => {
  expect(await put('{"list": [1]}')).toEqual({ status: 201, turns: 0 });
});
