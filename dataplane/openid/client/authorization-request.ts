import { createHash } from 'node:crypto';
import type { Exchange } from '../../engine/message/exchange.ts';
import type { ClientRegistration } from '../../heap/objects/openid-client.ts';
import { readJsonObject } from '../../jose/strict-json.ts';
import type { IssuerMetadata } from '../issuer-metadata.ts';
import type { SignInAttempt } from './sign-in-attempts.ts';
import { providerError, SignInFailed } from './sign-in-failed.ts';

/** What users are asked for when they sign in. */
export interface AuthorizationTerms {
  readonly prompt: string | null;
  /** Seconds. */
  readonly maxAge: number | null;
  readonly acrValues: string | null;
  /** Whether requests are pushed to a provider that offers it and does not require it. */
  readonly pushes: boolean;
}

type Fields = readonly (readonly [name: string, value: string])[];

/** The URL where the user signs in: an authorization request with PKCE (RFC 7636), pushed where it is to be (RFC 9126). */
export async function authorizationUrl(
  registration: ClientRegistration,
  attempt: SignInAttempt,
  redirectUri: string,
  terms: AuthorizationTerms,
  exchange: Exchange,
): Promise<string> {
  const metadata = await registration.issuer.metadata();
  const { authorization } = metadata.endpoints;
  if (authorization === undefined) {
    throw new SignInFailed('sign-in-failed', 'server_error', 'the provider has no authorization endpoint');
  }
  const fields = requestFields(registration, attempt, redirectUri, terms);
  const sent = isPushed(metadata, terms) ? await pushed(registration, fields, exchange) : fields;
  const query = new URLSearchParams(sent.map(([name, value]) => [name, value])).toString();
  return new URL(`${authorization}${authorization.includes('?') ? '&' : '?'}${query}`).href;
}

function requestFields(
  { clientId, scopes }: ClientRegistration,
  { state, nonce, verifier }: SignInAttempt,
  redirectUri: string,
  { prompt, maxAge, acrValues }: AuthorizationTerms,
): Fields {
  const isOpenid = scopes.includes('openid');
  return [
    ['response_type', 'code'],
    ['client_id', clientId],
    ['redirect_uri', redirectUri],
    ...(scopes.length === 0 ? [] : [['scope', scopes.join(' ')] as const]),
    ['state', state],
    ...(isOpenid ? [['nonce', nonce] as const] : []),
    ['code_challenge', createHash('sha256').update(verifier).digest('base64url')],
    ['code_challenge_method', 'S256'],
    ...(prompt === null ? [] : [['prompt', prompt] as const]),
    ...(maxAge === null ? [] : [['max_age', String(maxAge)] as const]),
    ...(acrValues === null ? [] : [['acr_values', acrValues] as const]),
  ];
}

function isPushed({ endpoints, members }: IssuerMetadata, { pushes }: AuthorizationTerms): boolean {
  if (members['require_pushed_authorization_requests'] === true) return true;
  return pushes && endpoints.pushedAuthorization !== undefined;
}

async function pushed(registration: ClientRegistration, fields: Fields, exchange: Exchange): Promise<Fields> {
  const { status, content } = await registration.post('pushedAuthorization', fields, exchange);
  const answer = readJsonObject(content);
  if (status !== 200 && status !== 201) {
    throw providerError(
      'the endpoint for pushed authorization requests',
      answer?.['error'],
      answer?.['error_description'],
    );
  }
  const uri = answer?.['request_uri'];
  if (typeof uri !== 'string' || uri === '') {
    const message = "the answer to a pushed authorization request has no 'request_uri'";
    throw new SignInFailed('sign-in-failed', 'server_error', message);
  }
  return [
    ['client_id', registration.clientId],
    ['request_uri', uri],
  ];
}
