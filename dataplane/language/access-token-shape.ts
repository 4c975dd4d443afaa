import type { Shape } from '../../contract/expression/language.ts';
import type { VouchedToken } from '../oauth2/cache/vouched-token.ts';

/** An access token that was vouched for: `contexts.oauth2.accessToken`. */
export const accessTokenShape: Shape<VouchedToken> = {
  name: 'access token',
  properties: {
    token: { get: ({ token }) => token, kind: 'text' },
    info: { get: ({ info }) => info, kind: 'map' },
    scopes: { get: ({ scopes }) => [...scopes], kind: 'list' },
    expiresAt: { get: ({ expiresAt }) => (Number.isFinite(expiresAt) ? Math.floor(expiresAt) : null), kind: 'number' },
  },
};
