import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { repositoryRoot } from '../source-file.ts';

const read = (path: string): string => readFileSync(`${repositoryRoot}/${path}`, 'utf8');

/** The rows of a table, each as its cells. */
function cells(table: string): string[][] {
  const rows = table
    .trim()
    .split('\n')
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  return rows.filter((_, at) => at !== 1);
}

/** Rows in which somebody may do something that a row about all namespaces has not said already. */
function telling(rows: readonly (readonly string[])[]): string[][] {
  const [head = [], ...body] = rows;
  const everywhere = new Map(
    body.flatMap(([title = '', ...rights]) => {
      const [, kind] = /^(\S+) everywhere$/.exec(title) ?? [];
      return kind === undefined ? [] : [[kind, rights.join('|')] as const];
    }),
  );
  const kept = body.filter(([title = '', ...rights]) => {
    const [kind = ''] = title.split(' ');
    const isSaid = !title.endsWith(' everywhere') && everywhere.get(kind) === rights.join('|');
    return !isSaid && rights.some((verbs) => verbs !== '');
  });
  return [head, ...kept].map((row) => [...row]);
}

describe('docs/security.md', () => {
  it('lists the rights that a real API server grants with the default values', () => {
    const [, section = ''] = read('docs/security.md').split('\n## Who can read what\n');
    const [table = ''] = /(?:^\|.*\n)+/m.exec(section.split('\n## ', 1)[0]!) ?? [];
    const rows = telling(cells(read('test/helm/golden/rights-defaults.md')));
    expect(rows.length).toBeGreaterThan(10);
    expect(cells(table)).toEqual(rows);
  });

  it('is rejected when it leaves out a right', () => {
    const rows = [
      ['', 'controller', 'plane'],
      ['routes everywhere', 'get', ''],
      ['routes in shop', 'get', ''],
      ['routes in bank', 'get', 'get'],
      ['secrets in shop', '', ''],
    ];
    expect(telling(rows).map(([title]) => title)).toEqual(['', 'routes everywhere', 'routes in bank']);
  });
});
