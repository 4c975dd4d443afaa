import type { Response } from '../engine/message/response.ts';
import type { SchemeChallenge } from '../heap/objects/access-tokens.ts';
import { BEARER } from './bearer-token.ts';

/** The errors of RFC 6750, RFC 9449 and RFC 9470 with their statuses, and what clients are told of them. */
const ERRORS = {
  invalid_request: [
    400,
    'The request is missing a required parameter, includes an unsupported parameter or parameter value, repeats the ' +
      'same parameter, uses more than one method for including an access token, or is otherwise malformed.',
  ],
  invalid_token: [401, 'The access token provided is expired, revoked, malformed, or invalid for other reasons.'],
  insufficient_scope: [403, 'The request requires higher privileges than provided by the access token.'],
  invalid_dpop_proof: [
    401,
    'The DPoP proof is missing, malformed, outdated, used before, or made for another request.',
  ],
  use_dpop_nonce: [401, 'The DPoP proof must contain the nonce of the DPoP-Nonce header.'],
  insufficient_user_authentication: [401, 'The request requires a stronger or more recent authentication of the user.'],
} as const;

export type ChallengeError = keyof typeof ERRORS;

/** A parameter of a challenge and its value. */
type Parameter = readonly [name: string, value: string];

/** Parameters of every challenge of a resource server. */
export interface ChallengeOptions {
  readonly realm: string;
  /** Where the metadata of the protected resource is (RFC 9728), or null. */
  readonly resourceMetadata: string | null;
  readonly others: readonly SchemeChallenge[];
}

/** Details of a challenge that says what is wrong. */
export interface FailureDetails {
  /** The scheme that the client used: its challenge carries the error. */
  readonly scheme?: string;
  /** Scopes that would suffice. */
  readonly scope?: readonly string[];
  /** Further parameters, behind the description. */
  readonly more?: readonly Parameter[];
  /** Value of `DPoP-Nonce`. */
  readonly nonce?: string;
}

/** Adds challenges to the answers for requests that need another token (RFC 6750, section 3). */
export class Challenge {
  private readonly schemes: readonly SchemeChallenge[];
  /** The challenges without an error, as headers carry them. */
  private readonly plain: readonly string[];
  private readonly last: readonly Parameter[];
  private readonly realm: readonly Parameter[];

  constructor({ realm, resourceMetadata, others }: ChallengeOptions) {
    this.realm = [['realm', realm]];
    this.last = resourceMetadata === null ? [] : [['resource_metadata', resourceMetadata]];
    const bearer = { scheme: BEARER, parameters: [...this.realm, ...this.last] };
    this.schemes = [bearer, ...others];
    this.plain = this.schemes.map(written);
  }

  /** There is no token: clients are not told of an error (RFC 6750, section 3.1). */
  missing(response: Response): Response {
    return challenged(response, this.plain);
  }

  /** The token or its proof does not suffice. */
  failed(
    response: Response,
    error: ChallengeError,
    { scheme = BEARER, scope, more = [], nonce }: FailureDetails = {},
  ): Response {
    const [status, description] = ERRORS[error];
    const needed: Parameter[] = scope === undefined ? [] : [['scope', [...new Set(scope)].join(' ')]];
    const why: Parameter[] = [
      ['error', error],
      ['error_description', description],
    ];
    const used = this.schemes.findIndex((one) => one.scheme.toLowerCase() === scheme.toLowerCase());
    const place = Math.max(used, 0);
    const own = place === 0 ? [] : this.schemes[place]!.parameters;
    const parameters = [...this.realm, ...needed, ...why, ...more, ...own, ...this.last];
    const failure = written({ scheme: this.schemes[place]!.scheme, parameters });
    response.status = status;
    challenged(response, [failure, ...(status === 401 ? this.plain.toSpliced(place, 1) : [])]);
    if (nonce !== undefined) {
      response.headers.append('DPoP-Nonce', nonce);
      response.headers.append('Cache-Control', 'no-store');
    }
    return response;
  }
}

function challenged(response: Response, challenges: readonly string[]): Response {
  for (const challenge of challenges) response.headers.append('WWW-Authenticate', challenge);
  return response;
}

function written({ scheme, parameters }: SchemeChallenge): string {
  return `${scheme} ${parameters.map(([name, value]) => `${name}="${value.replace(/["\\]/g, '\\$&')}"`).join(', ')}`;
}
