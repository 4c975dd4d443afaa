import type { TypeDefinition } from '../../heap/definition.ts';
import { clientCredentialsOAuth2ClientFilter } from '../../oauth2/client/client-credentials-oauth2-client.ts';
import { clientSecretBasicAuthenticationFilter } from '../../oauth2/client/client-secret-basic-authentication.ts';
import { clientSecretPostAuthenticationFilter } from '../../oauth2/client/client-secret-post-authentication.ts';
import { encryptedPrivateKeyJwtClientAuthenticationFilter } from '../../oauth2/client/encrypted-private-key-jwt-client-authentication.ts';
import { httpBasicAuthenticationClientFilter } from '../../oauth2/client/http-basic-authentication-client.ts';
import { oauth2TokenExchangeFilter } from '../../oauth2/client/oauth2-token-exchange.ts';
import { privateKeyJwtClientAuthenticationFilter } from '../../oauth2/client/private-key-jwt-client-authentication.ts';
import { resourceOwnerOAuth2ClientFilter } from '../../oauth2/client/resource-owner-oauth2-client.ts';
import { clientRegistration } from '../../oauth2/registration/client-registration.ts';
import { issuer } from '../../oauth2/registration/issuer.ts';
import { authorizationCodeOAuth2ClientFilter } from '../../openid/client/authorization-code-oauth2-client.ts';

/** Clients of authorization servers and OpenID providers. */
export const oauth2ClientTypes: readonly TypeDefinition[] = [
  authorizationCodeOAuth2ClientFilter,
  clientCredentialsOAuth2ClientFilter,
  clientRegistration,
  clientSecretBasicAuthenticationFilter,
  clientSecretPostAuthenticationFilter,
  encryptedPrivateKeyJwtClientAuthenticationFilter,
  httpBasicAuthenticationClientFilter,
  issuer,
  oauth2TokenExchangeFilter,
  privateKeyJwtClientAuthenticationFilter,
  resourceOwnerOAuth2ClientFilter,
];
