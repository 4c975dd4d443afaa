import { describe, expect, it } from 'vitest';
import { readDiscoveryInput } from '../../../../dataplane/openid/discovery/discovery-input.ts';

const EXAMPLE = { domain: 'example.com', origin: 'https://example.com', issuer: 'https://example.com' };

describe('the input of a user who looks for an issuer', () => {
  it.each([
    ['ada@example.com', { ...EXAMPLE, resource: 'acct:ada@example.com' }],
    [' acct:ada@example.com ', { ...EXAMPLE, resource: 'acct:ada@example.com' }],
    ['ada@other@Example.com', { ...EXAMPLE, resource: 'acct:ada@other@Example.com' }],
    ['example.com', { ...EXAMPLE, resource: 'https://example.com/' }],
    ['https://example.com', { ...EXAMPLE, resource: 'https://example.com/' }],
    [
      'https://example.com/tenant',
      { ...EXAMPLE, issuer: 'https://example.com/tenant', resource: 'https://example.com/tenant' },
    ],
  ])('is read from %j', (text, expected) => {
    expect(readDiscoveryInput(text)).toEqual(expected);
  });

  it.each([
    '',
    ' ',
    '@example.com',
    'ada@',
    'ada@example.com/path',
    'ada@example.com?x',
    'https://user:pass@example.com/',
    'https://example.com/?x=y',
    'https://example.com/#x',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'ada @example.com',
    'ada@exa\nmple.com',
    `ada@${'a'.repeat(600)}.com`,
  ])('is refused where it is %j', (text) => {
    expect(readDiscoveryInput(text)).toBeNull();
  });
});
