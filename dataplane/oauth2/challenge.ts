import { Response } from '../http/response.ts';
import { BEARER } from './bearer-token.ts';

/** The errors of RFC 6750 and RFC 9470 with their statuses, and what clients are told of them. */
const ERRORS = {
  invalid_request: [
    400,
    'The request is missing a required parameter, includes an unsupported parameter or parameter value, repeats the ' +
      'same parameter, uses more than one method for including an access token, or is otherwise malformed.',
  ],
  invalid_token: [401, 'The access token provided is expired, revoked, malformed, or invalid for other reasons.'],
  insufficient_scope: [403, 'The request requires higher privileges than provided by the access token.'],
  insufficient_user_authentication: [401, 'The request requires a stronger or more recent authentication of the user.'],
} as const;

export type ChallengeError = keyof typeof ERRORS;

/** A parameter of a challenge and its value. */
type Parameter = readonly [name: string, value: string];

/** What every challenge of a resource server says. */
export interface ChallengeOptions {
  readonly realm: string;
  /** Where the metadata of the protected resource is (RFC 9728), or null. */
  readonly resourceMetadata: string | null;
  /** Challenges of other schemes, each the value of a header. */
  readonly others: readonly string[];
}

/** Answers requests that must come with another token: empty, with a challenge that says why (RFC 6750, section 3). */
export class Challenge {
  private readonly realm: readonly Parameter[];
  private readonly last: readonly Parameter[];
  private readonly others: readonly string[];
  private readonly missingValue: string;

  constructor({ realm, resourceMetadata, others }: ChallengeOptions) {
    this.realm = [['realm', realm]];
    this.last = resourceMetadata === null ? [] : [['resource_metadata', resourceMetadata]];
    this.others = others;
    this.missingValue = written([...this.realm, ...this.last]);
  }

  /** There is no token: clients are not told of an error (RFC 6750, section 3.1). */
  missing(): Response {
    return this.answer(401, this.missingValue);
  }

  /** The token does not do. `scope` is what would, and `more` stands behind the description. */
  failed(error: ChallengeError, scope: readonly string[] | null = null, more: readonly Parameter[] = []): Response {
    const [status, description] = ERRORS[error];
    const needed: Parameter[] = scope === null ? [] : [['scope', [...new Set(scope)].join(' ')]];
    const why: Parameter[] = [
      ['error', error],
      ['error_description', description],
    ];
    return this.answer(status, written([...this.realm, ...needed, ...why, ...more, ...this.last]));
  }

  private answer(status: number, value: string): Response {
    const response = new Response(status);
    response.headers.append('WWW-Authenticate', value);
    if (status === 401) for (const other of this.others) response.headers.append('WWW-Authenticate', other);
    return response;
  }
}

function written(parameters: readonly Parameter[]): string {
  return `${BEARER} ${parameters.map(([name, value]) => `${name}="${value.replace(/["\\]/g, '\\$&')}"`).join(', ')}`;
}
