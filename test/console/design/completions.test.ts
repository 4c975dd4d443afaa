import { describe, expect, it } from 'vitest';
import { consoleCatalogue } from '../../../cli/output/console-catalogue.ts';
import { completionsAt, helpAt } from '../../../console/pages/design/expressions/completions.ts';

const { language } = consoleCatalogue();

/** Names for the place that `|` marks. */
function namesAt(marked: string): string[] {
  const caret = marked.indexOf('|');
  return completionsAt(marked.replace('|', ''), caret, language).found.map(({ name }) => name);
}

describe('the completion of an expression', () => {
  it.each([
    ['${re|', 'request'],
    ['${fi|}', 'find'],
    ['${request.|', 'method'],
    ['${request.ur|}', 'uri'],
    ['${request.uri.pa|}', 'path'],
    ['${find(request.uri.|', 'scheme'],
    ['${contexts.cl|', 'client'],
    ["${contexts['client'].remoteA|", 'remoteAddress'],
    ['${contexts.router.originalUri.ho|', 'host'],
    ['${response.status.co|', 'code'],
    ['${now.plusD|', 'plusDays'],
    ["a ${'x}'} b ${req|", 'request'],
    ['#{toL|', 'toLowerCase'],
  ])('offers the name first that fits: %s', (marked, name) => {
    expect(namesAt(marked)[0]).toBe(name);
  });

  it.each(['re|', '${a} re|', "${'re|", '${request.method.|', '${unknown.|', "${request.headers['a'].|", '$|{'])(
    'offers nothing where no name can be: %s',
    (marked) => {
      expect(namesAt(marked)).toEqual([]);
    },
  );

  it('offers no function that another one has replaced', () => {
    expect(namesAt('${match|')).not.toContain('matches');
  });

  it('replaces the begun name, and opens the brackets of a function', () => {
    const { from, found } = completionsAt('${request.uri.pa}', 16, language);
    expect([from, found[0]?.text]).toEqual([14, 'path']);
    const call = completionsAt('${fi', 4, language);
    expect([call.from, call.found[0]?.text]).toEqual([2, 'find(']);
  });

  it('describes the name around the caret', () => {
    expect(helpAt("${find(request.uri.path, '^/a')}", 4, language)).toMatchObject({ detail: 'find(text, pattern)' });
    expect(helpAt("${find(request.uri.path, '^/a')}", 21, language)?.description).toBe('Path, decoded.');
    expect(helpAt("${find(request.uri.path, '^/a')}", 28, language)).toBeNull();
  });
});
