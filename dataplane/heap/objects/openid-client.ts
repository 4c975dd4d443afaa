import type { OwnAnswer } from '../../engine/backend/own-call.ts';
import type { Exchange, Next } from '../../engine/message/exchange.ts';
import type { EndpointName, IssuerMetadata } from '../../openid/issuer-metadata.ts';
import type { SecretsProvider } from './secrets.ts';

/** Keys that verify the ID tokens of an issuer. */
export interface VerificationKeys {
  readonly provider: SecretsProvider;
  readonly secretId: string;
}

/** An OpenID provider or OAuth 2.0 authorization server. */
export interface Issuer {
  readonly name: string;
  /** The same for issuers that are configured by the same URL or endpoints, whatever their names. */
  readonly identity: string;
  /** Returns its metadata, discovered or configured. Rejects when it cannot be discovered; the message is safe for a log. */
  metadata(): Promise<IssuerMetadata>;
  /** Has the metadata discovered again soon, such as when an endpoint does not answer. */
  invalidate(): void;
  /** Whether users of a domain, such as `example.com`, sign in here. */
  supports(domain: string): boolean;
  /** Sends requests to it that need no client authentication. */
  readonly handler: Next;
  /** Null where it publishes no keys that are known, and no store of keys is configured. */
  readonly keys: VerificationKeys | null;
}

/** The gateway as a client of an issuer. */
export interface ClientRegistration {
  /** The configured name, or the client id. */
  readonly name: string;
  readonly clientId: string;
  /** The same for registrations whose users are the same: of one issuer and client, with ID tokens verified alike. */
  readonly identity: string;
  readonly issuer: Issuer;
  readonly scopes: readonly string[];
  readonly redirectUris: readonly string[];
  /** Keys that verify ID tokens; null where signatures are not verified. */
  readonly keys: VerificationKeys | null;
  /**
   * Sends a form to an endpoint of the issuer, authenticated as this client, and returns the whole answer, whatever its
   * status. Rejects when the issuer has no such endpoint, a secret is missing or nobody answers.
   * @param prove returns header lines for the URL that the form is sent to, such as a DPoP proof
   */
  post(
    endpoint: EndpointName,
    fields: readonly (readonly [name: string, value: string])[],
    parent: Exchange | null,
    prove?: (uri: string) => Promise<Readonly<Record<string, string>>>,
  ): Promise<OwnAnswer>;
}
