import type { Logger } from 'pino';
import { errorText } from '../../../platform/error-text.ts';
import type { Exchange } from '../../engine/message/exchange.ts';
import type { ClientRegistration } from '../../heap/objects/openid-client.ts';
import type { SignedIn } from '../client/signed-in.ts';
import type { PostToProvider } from './refreshes.ts';

/** Milliseconds that a user who signs out waits for the provider to revoke tokens. */
const PATIENCE = 5000;

/**
 * Revokes the tokens of a user (RFC 7009), the refresh token first. It never rejects: a failure is logged, and the user
 * is signed out of the gateway all the same.
 */
export async function revokeTokens(
  { accessToken, refreshToken }: { readonly accessToken: string | null; readonly refreshToken: string | null },
  registration: ClientRegistration,
  exchange: Exchange | null,
  log: Logger,
  post: PostToProvider = (client, ...rest) => client.post(...rest),
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`no answer within ${PATIENCE} ms`), PATIENCE);
  });
  const failure = await Promise.race([late, revokeAll()]);
  clearTimeout(timer);
  if (failure === null) return;
  log.warn(
    { registration: registration.name, reason: failure },
    'tokens not revoked; they stay valid until they expire',
  );

  async function revokeAll(): Promise<string | null> {
    const tokens = [
      ['refresh_token', refreshToken],
      ['access_token', accessToken],
    ] as const;
    try {
      for (const [hint, token] of tokens) {
        if (token === null) continue;
        const form = [
          ['token', token],
          ['token_type_hint', hint],
        ] as const;
        const { status } = await post(registration, 'revocation', form, exchange);
        if (status !== 200) return `the revocation endpoint answered ${status}`;
      }
      return null;
    } catch (error) {
      return errorText(error);
    }
  }
}

/**
 * Returns the URL at which the provider ends its own session (OpenID Connect RP-Initiated Logout 1.0); null where it has
 * none, or where its metadata cannot be read.
 * @param landing absolute URL of the page to show afterwards, which the provider must know; null for one of the provider
 */
export async function endSessionUrl(
  { idToken }: Pick<SignedIn, 'idToken'>,
  { clientId, issuer }: ClientRegistration,
  landing: string | null,
  log: Logger,
): Promise<string | null> {
  const metadata = await issuer.metadata().catch((error: unknown) => errorText(error));
  const endSession = typeof metadata === 'string' ? undefined : metadata.endpoints.endSession;
  if (endSession === undefined) {
    const reason = typeof metadata === 'string' ? metadata : 'the provider has no end session endpoint';
    log.warn({ issuer: issuer.name, reason }, 'the user stays signed in at the provider');
    return null;
  }
  const url = new URL(endSession);
  if (idToken !== null) url.searchParams.set('id_token_hint', idToken);
  url.searchParams.set('client_id', clientId);
  if (landing !== null) url.searchParams.set('post_logout_redirect_uri', landing);
  return url.href;
}
