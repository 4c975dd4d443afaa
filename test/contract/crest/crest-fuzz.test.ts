import { expect, it } from 'vitest';
import { applyPatch } from '../../../contract/crest/apply-patch.ts';
import { CrestError } from '../../../contract/crest/crest-error.ts';
import { matchesFilter } from '../../../contract/crest/filter-match.ts';
import { readJsonPointer } from '../../../contract/crest/json-pointer.ts';
import { readPatch } from '../../../contract/crest/patch-operation.ts';
import { readQueryFilter } from '../../../contract/crest/query-filter.ts';
import type { JsonValue } from '../../../contract/document/json-value.ts';
import { ValueProblem } from '../../../contract/problem.ts';
import { Random } from '../../fuzz/random.ts';
import { MemoryCollection } from '../../support/crest/memory-collection.ts';
import { sendCrest } from '../../support/crest/sent-crest.ts';

const PIECES = [
  'a',
  '/',
  '(',
  ')',
  '!',
  ' ',
  '"',
  "'",
  '\\',
  '\\u00',
  'eq',
  'and',
  'or',
  'pr',
  '1',
  '-',
  '.',
  '%',
  '%4',
  '~',
  'true',
  'ü',
  '\u0000',
  '\ud800',
];

function salad(random: Random, length: number): string {
  return Array.from({ length }, () => PIECES[random.below(PIECES.length)]!).join('');
}

/** Runs something that may fail with an error for the client, and with no other. */
function guarded(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof ValueProblem || error instanceof CrestError)) throw error;
  }
}

it('reads or refuses any text as a filter and as a pointer', () => {
  for (let seed = 0; seed < 20_000; seed++) {
    const text = salad(Random.of(seed, 'salad', seed), 1 + (seed % 24));
    guarded(() => matchesFilter(readQueryFilter(text), { a: [1, 'a'] }));
    guarded(() => readJsonPointer(text));
  }
});

it('applies or refuses any patch', () => {
  for (let seed = 0; seed < 5000; seed++) {
    const random = Random.of(seed, 'patches', seed);
    const names = ['add', 'copy', 'increment', 'move', 'remove', 'replace', 'transform', 'nope'];
    const operations = Array.from(
      { length: random.between(1, 4) },
      (): JsonValue => ({
        operation: names[random.below(names.length)]!,
        ...(random.once(4) ? {} : { field: salad(random, random.below(6)) }),
        ...(random.once(2) ? {} : { value: [1, 'a', [1], { a: 1 }, null][random.below(5)]! }),
        ...(random.once(2) ? {} : { from: salad(random, random.below(6)) }),
      }),
    );
    guarded(() => applyPatch({ a: { a: [1, { a: 1 }] } }, readPatch(operations)));
  }
});

it('answers any request', async () => {
  const endpoint = { kind: 'collection', provider: new MemoryCollection({ alice: { a: 1 } }).provider } as const;
  const names = [
    '_queryFilter',
    '_fields',
    '_sortKeys',
    '_pageSize',
    '_pagedResultsCookie',
    '_action',
    '_mimeType',
    'x',
  ];
  for (let seed = 0; seed < 3000; seed++) {
    const random = Random.of(seed, 'requests', seed);
    const method = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'][random.below(5)]!;
    const query = Array.from({ length: random.below(4) }, () => {
      const value = salad(random, random.below(5)).toWellFormed();
      return `${names[random.below(names.length)]}=${random.once(2) ? encodeURIComponent(value) : value}`;
    }).join('&');
    const { status } = await sendCrest(endpoint, `${method} /${random.once(2) ? 'alice' : ''}?${query}`, { a: 1 });
    expect(status).toBeGreaterThanOrEqual(200);
    expect(status).not.toBe(500);
  }
});

it.each([
  ['a long filter', `${'a eq 1 or '.repeat(1600)}true`],
  ['nested parentheses', `${'('.repeat(256)}true${')'.repeat(256)}`],
  ['a long string', `a co "${'\\'.repeat(16_000)}"`],
  ['many negations', '!'.repeat(16_000)],
])('reads %s in linear time', (_, text) => {
  const before = performance.now();
  guarded(() => matchesFilter(readQueryFilter(text), { a: 'x'.repeat(10_000) }));
  expect(performance.now() - before).toBeLessThan(20_000);
});
