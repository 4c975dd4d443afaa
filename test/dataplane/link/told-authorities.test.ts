import { expect, it } from 'vitest';
import { toldAuthorities } from '../../../dataplane/link/told-authorities.ts';
import { certificateAuthority } from '../../support/identity/certificates.ts';

const one = certificateAuthority('one').certificate;
const two = certificateAuthority('two').certificate;

it('accepts certificates and ignores text between them', () => {
  const told = toldAuthorities(`# the next\n${one}\n\nthe last${two}`);
  expect(told.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
  expect(told).not.toContain('the');
});

it.each([
  ['nothing', '', 'contain no certificate'],
  ['a word', 'word', 'contain no certificate'],
  ['what only looks like one', `${one}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----`, 'is not a cert'],
  ['too much', one.repeat(1000), 'too long'],
])('refuses %s', (_, text, expected) => {
  expect(() => toldAuthorities(text)).toThrow(expected);
});
