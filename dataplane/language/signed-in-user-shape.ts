import type { Shape } from '../../contract/expression/language.ts';
import type { SignedInUser } from '../openid/client/signed-in-user.ts';

/** The map that an AuthorizationCodeOAuth2ClientFilter hands on. It cannot be printed as a whole: it holds tokens. */
export const signedInUserShape: Shape<SignedInUser> = {
  name: '{…}',
  properties: {
    access_token: { get: ({ signedIn }) => signedIn.accessToken, kind: 'text' },
    token_type: { get: ({ signedIn }) => signedIn.tokenType, kind: 'text' },
    scope: { get: ({ scopes }) => scopes, kind: 'list' },
    expires_in: { get: ({ expiresIn }) => expiresIn, kind: 'number' },
    id_token: { get: ({ signedIn }) => signedIn.idToken, kind: 'text' },
    id_token_claims: { get: ({ claims }) => claims, kind: 'map' },
    user_info: { get: ({ userInfo }) => userInfo, kind: 'map' },
    client_registration: { get: ({ signedIn }) => signedIn.registration, kind: 'text' },
    client_endpoint: { get: ({ clientEndpoint }) => clientEndpoint, kind: 'text' },
  },
};
