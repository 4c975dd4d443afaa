import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { MOST_PARSED, VouchedToken } from '../../../../dataplane/oauth2/cache/vouched-token.ts';
import { goodToken } from '../../../support/identity/scripted-resolver.ts';

const info = { sub: 'zoë', list: [{ a: '☃' }], 'x5t#S256': 'a"b' };
const jwt = `h.${Buffer.from(JSON.stringify(info)).toString('base64url')}.s`;
const none = new Set<string>();

/** Makes so many others that nobody has the info of earlier ones at hand. */
function crowdOut(): void {
  for (let i = 0; i < MOST_PARSED; i++) VouchedToken.kept(`t${i}`, goodToken('t'), none, 1);
}

it.each([
  ['from what was kept of it', 'opaque', false],
  ['from the token that carries it', jwt, true],
])('reads info again %s', (_, token, carriesInfo) => {
  const given = goodToken(token, { info: structuredClone(info), carriesInfo });
  const kept = VouchedToken.kept(token, given, none, 1);
  const before = kept.info;
  expect(before).toEqual(info);
  expect(kept.info).toBe(before);
  crowdOut();
  expect(kept.info).not.toBe(before);
  expect(kept.info).toEqual(info);
  expect(kept.info).toBe(kept.info);
  expect(Object.isFrozen(kept.info) && Object.isFrozen(kept.info['list'])).toBe(true);
});

it('stores a token as its source text', () => {
  const resolved = goodToken(jwt, { info, carriesInfo: true });
  const inner = VouchedToken.of(resolved);
  expect(VouchedToken.of(inner)).toBe(inner);
  expect(inner.carriesInfo).toBe(true);
  const outer = VouchedToken.kept(jwt, inner, none, 1);
  crowdOut();
  expect([outer.info, inner.info]).toEqual([info, info]);
});

it('cannot be printed, serialised or inspected', () => {
  const token = VouchedToken.of(goodToken('very-secret-token', { info: { sub: 'very-secret-subject' } }));
  const kept = VouchedToken.kept(
    'very-secret-token',
    goodToken('t', { info: { sub: 'very-secret-subject' } }),
    none,
    1,
  );
  for (const shown of [inspect({ token, kept }, { depth: 9, showHidden: true }), JSON.stringify({ token, kept })]) {
    expect(shown).not.toContain('very-secret');
  }
});
