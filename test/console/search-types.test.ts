import { describe, expect, it } from 'vitest';
import { consoleCatalogue } from '../../cli/output/console-catalogue.ts';
import { searchTypes } from '../../console/catalogue/search-types.ts';

const { types } = consoleCatalogue();
const found = (text: string): string[] => searchTypes(types, text).map(({ type }) => type);

describe('the search for types', () => {
  it.each([
    ['token', 'OAuth2ResourceServerFilter'],
    ['throttle', 'ThrottlingFilter'],
    ['sign in', 'AuthorizationCodeOAuth2ClientFilter'],
    ['rate limit', 'ThrottlingFilter'],
    ['rewrite the path', 'UriPathRewriteFilter'],
    ['headerfilter', 'HeaderFilter'],
    ['Cors', 'CorsFilter'],
  ])('finds by need or name: %s', (text, type) => {
    expect(found(text)[0]).toBe(type);
  });

  it('takes words of names one by one, not letters within them', () => {
    expect(found('sign')).not.toContain('AssignmentFilter');
    expect(found('sign on')).toContain('SingleSignOnFilter');
  });

  it('finds nothing for a word that no description has, and all for none', () => {
    expect(found('xylophone')).toEqual([]);
    expect(found(' ')).toHaveLength(types.length);
  });
});
