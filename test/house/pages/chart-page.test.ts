import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { chartPage } from '../../../docs/chart-page.ts';
import { chartValues, silentValues } from '../../../docs/chart-values.ts';
import { repositoryRoot } from '../source-file.ts';

const read = (name: string): string => readFileSync(`${repositoryRoot}/helm/gatewarden/${name}`, 'utf8');

describe('helm/gatewarden/README.md', () => {
  it('has the values as `npm run docs` writes them', () => {
    expect(read('README.md')).toBe(chartPage(read('README.md'), read('values.yaml')));
  });

  it('would be noticed to lack a value', () => {
    const values = `${read('values.yaml')}\n# -- Nobody knows.\nunheardOf: 1\n`;
    expect(() => chartPage(read('README.md'), values)).toThrow(
      'no topic of docs/chart-page.ts has the value unheardOf',
    );
  });
});

describe('values.yaml', () => {
  it('describes every value', () => {
    expect(silentValues(read('values.yaml'))).toEqual([]);
  });

  it('uses complete sentences', () => {
    const odd = chartValues(read('values.yaml')).filter(({ description }) => !/^[A-Z`].*[.:)]$/.test(description));
    expect(odd.map(({ path, description }) => `${path}: ${description}`)).toEqual([]);
  });

  const text = [
    '# Not about anything.',
    '',
    '# What is inside.',
    'outer:',
    '  # A remark.',
    '  # -- The first,',
    '  # in two lines.',
    '  first: 1',
    '  second: [a]',
    '  # -- All of it.',
    '  third:',
    '    deep.er: {}',
    '',
    '# -- Gone.',
    '',
    'last:',
  ].join('\n');

  it('is read with its comments', () => {
    expect(chartValues(text)).toEqual([
      { path: 'outer', default: undefined, description: 'What is inside.' },
      { path: 'outer.first', default: 1, description: 'The first, in two lines.' },
      { path: 'outer.third', default: { 'deep.er': {} }, description: 'All of it.' },
    ]);
  });

  it('would be noticed to be silent', () => {
    expect(silentValues(text)).toEqual(['outer.second', 'last']);
  });
});
