import { errorText } from '../../../platform/error-text.ts';
import type { Exchange } from '../../engine/message/exchange.ts';
import type { ClientRegistration } from '../../heap/objects/openid-client.ts';
import type { IssuerMetadata } from '../issuer-metadata.ts';
import type { PostToProvider } from '../lifetime/refreshes.ts';
import { type AuthorizationTerms, authorizationUrl } from './authorization-request.ts';
import { type ClientPlace, originOf } from './client-endpoint.ts';
import { type GrantedTokens, grantedTokens } from './granted-tokens.ts';
import { checkIdToken } from './id-token-check.ts';
import { serviceParameters } from './service-parameters.ts';
import { type SignInAttempt, SignInAttempts } from './sign-in-attempts.ts';
import { providerError, SignInFailed, unreachable } from './sign-in-failed.ts';
import type { SignedIn } from './signed-in.ts';
import type { UsedStates } from './used-states.ts';

export interface SignInTerms extends AuthorizationTerms {
  /** Milliseconds that the clocks of gateway and provider may differ. */
  readonly skew: number;
}

/** Where a browser goes next, and what it keeps until it comes back. */
export interface SignInBegun {
  readonly location: string;
  readonly setCookies: readonly string[];
}

export interface SignInFinished {
  readonly signedIn: SignedIn;
  /** Where the user wanted to go; null for the default. */
  readonly goto: string | null;
}

const CALLBACK_PARAMETERS = ['state', 'code', 'error', 'error_description', 'iss'] as const;

/** The authorization code flow of OpenID Connect, from the redirect to the provider to the tokens. */
export class SignIn {
  readonly attempts: SignInAttempts;
  private readonly states: UsedStates;
  private readonly terms: SignInTerms;
  private readonly post: PostToProvider;
  private readonly now: () => number;

  /** @param post sends a form to the provider */
  constructor(terms: SignInTerms, states: UsedStates, post: PostToProvider, now: () => number = () => Date.now()) {
    this.terms = terms;
    this.states = states;
    this.post = post;
    this.now = now;
    this.attempts = new SignInAttempts(now);
  }

  /** Sends the user to the provider. Rejects with SignInFailed. */
  async begin(
    registration: ClientRegistration,
    goto: string | null,
    exchange: Exchange,
    place: ClientPlace,
  ): Promise<SignInBegun> {
    const { originalUri } = exchange;
    const redirectUri = redirectUriOf(registration, `${originOf(originalUri)}${place.path}/callback`);
    const attempt = this.attempts.create(place.sessionKey, registration, goto);
    const location = await asked(registration, () =>
      authorizationUrl(registration, attempt, redirectUri, this.terms, exchange),
    );
    return { location, setCookies: this.attempts.lines(attempt, exchange, originalUri.scheme === 'https') };
  }

  /** The `state` of a callback; null where it has none. @throws SignInFailed */
  stateOf({ originalUri }: Exchange): string | null {
    return serviceParameters(originalUri, CALLBACK_PARAMETERS).state;
  }

  /**
   * The attempt that a callback is the end of, which is used up now: no second callback gets it, in no unit. Null where
   * this browser began no such attempt, or it is used up or over.
   * @throws SignInFailed where no one can tell
   */
  take(state: string, exchange: Exchange, place: ClientPlace): SignInAttempt | null {
    const attempt = this.attempts.open(state, exchange, exchange.originalUri.scheme === 'https');
    if (attempt === null || attempt.sessionKey !== place.sessionKey) return null;
    const sighting = this.states.use(attempt, this.now());
    if (sighting === 'full') {
      throw new SignInFailed('sign-in-failed', 'temporarily_unavailable', 'too many users sign in at the same time');
    }
    return sighting === 'new' ? attempt : null;
  }

  /** Gets the tokens that a callback brings the code for. Rejects with SignInFailed. */
  async finish(
    attempt: SignInAttempt,
    registration: ClientRegistration,
    exchange: Exchange,
    place: ClientPlace,
  ): Promise<SignInFinished> {
    const { originalUri } = exchange;
    const { code, error, error_description: description, iss } = serviceParameters(originalUri, CALLBACK_PARAMETERS);
    const redirectUri = redirectUriOf(registration, `${originOf(originalUri)}${place.path}/callback`);
    return asked(registration, async () => {
      const metadata = await registration.issuer.metadata();
      checkIssuer(iss, metadata);
      if (error !== null) throw providerError('the provider', error, description);
      if (code === null || code === '') {
        throw new SignInFailed('sign-in-failed', 'server_error', 'the provider sent neither a code nor an error');
      }
      const fields = [
        ['grant_type', 'authorization_code'],
        ['code', code],
        ['redirect_uri', redirectUri],
        ['code_verifier', attempt.verifier],
      ] as const;
      const tokens = grantedTokens(await this.post(registration, 'token', fields, exchange));
      const idToken = await this.checkedIdToken(tokens, attempt, registration, metadata);
      return { signedIn: this.signedIn(tokens, idToken, registration, metadata), goto: attempt.goto };
    });
  }

  /** The ID token that the scope `openid` asks for; null for plain OAuth 2.0, where one that comes nevertheless is left out. */
  private async checkedIdToken(
    { idToken, accessToken }: GrantedTokens,
    { nonce }: SignInAttempt,
    registration: ClientRegistration,
    metadata: IssuerMetadata,
  ): Promise<string | null> {
    if (!registration.scopes.includes('openid')) return null;
    if (idToken === null) {
      throw new SignInFailed('sign-in-failed', 'server_error', 'the response of the token endpoint has no ID token');
    }
    const { maxAge, skew } = this.terms;
    await checkIdToken(idToken, registration, metadata, { nonce, accessToken, maxAge, skew, now: this.now() });
    return idToken;
  }

  private signedIn(
    { accessToken, tokenType, scope, lifetime, refreshToken }: GrantedTokens,
    idToken: string | null,
    { name, identity, scopes }: ClientRegistration,
    { issuer }: IssuerMetadata,
  ): SignedIn {
    const since = this.now();
    return {
      registration: name,
      client: identity,
      issuer,
      accessToken,
      tokenType,
      scope: scope ?? scopes.join(' '),
      expiresAt: lifetime === null ? null : since + lifetime,
      refreshToken,
      idToken,
      since,
    };
  }
}

/** The issuer that a response names (RFC 9207): a code of one provider must not be sent to another. */
function checkIssuer(iss: string | null, { issuer, members }: IssuerMetadata): void {
  const isPromised = members['authorization_response_iss_parameter_supported'] === true;
  if (iss === null ? isPromised : issuer !== null && iss !== issuer) {
    const what = iss === null ? 'does not name its issuer' : 'names another issuer';
    throw new SignInFailed('sign-in-failed', 'invalid_request', `the response of the provider ${what}`);
  }
}

/** The redirect URI of the registration that is this one; any is good where it lists none. @throws SignInFailed */
function redirectUriOf({ name, redirectUris }: ClientRegistration, wanted: string): string {
  if (redirectUris.length === 0 || redirectUris.includes(wanted)) return wanted;
  const message = `'redirect_uris' of the registration '${name}' does not contain ${wanted}`;
  throw new SignInFailed('sign-in-request', 'invalid_request', message);
}

/** Has metadata fetched again after a failure that is not the provider's own word. */
async function asked<T>({ issuer }: ClientRegistration, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof SignInFailed) throw error;
    issuer.invalidate();
    throw unreachable(errorText(error));
  }
}
