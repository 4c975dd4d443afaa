import type { Duration } from '../../../contract/duration.ts';
import { type AddedLine, fixedLine } from '../../engine/head/added-line.ts';
import { Response } from '../../engine/message/response.ts';
import { addVary, varyByOrigin } from './vary.ts';

/** Values that one policy accepts; `*` accepts everything. */
export interface CorsPolicy {
  readonly origins: '*' | readonly string[];
  readonly acceptedMethods: '*' | readonly string[];
  readonly acceptedHeaders: '*' | readonly string[];
  readonly exposedHeaders: readonly string[];
  readonly maxAge?: Duration | undefined;
  readonly allowCredentials: boolean;
}

/** Precomputed answer of a policy for one origin. */
export interface CorsGrant {
  acceptsMethod(method: string): boolean;
  /** The answer to a preflight for this method and list of headers, or null when the policy does not accept it. */
  preflight(method: string, headers: string | null): Response | null;
  /** Lets the page see a response. */
  share(response: Response): Response;
}

/** Grants by canonical origin, and the one for all others. */
export interface CorsGrants {
  readonly byOrigin: ReadonlyMap<string, CorsGrant>;
  readonly forAny: CorsGrant | null;
}

/** Methods that pages may use without asking (Fetch standard, CORS-safelisted method). */
const SAFELISTED = ['GET', 'HEAD', 'POST'];

/** What only this filter says about a response. */
const SHARING_HEADERS = [
  'Access-Control-Allow-Origin',
  'Access-Control-Allow-Credentials',
  'Access-Control-Allow-Methods',
  'Access-Control-Allow-Headers',
  'Access-Control-Expose-Headers',
  'Access-Control-Max-Age',
];

/** Of several policies for one origin the first one counts. */
export function corsGrants(policies: readonly CorsPolicy[]): CorsGrants {
  const byOrigin = new Map<string, CorsGrant>();
  for (const policy of policies) {
    if (policy.origins === '*') return { byOrigin, forAny: grantOf('*', policy) };
    for (const origin of policy.origins) if (!byOrigin.has(origin)) byOrigin.set(origin, grantOf(origin, policy));
  }
  return { byOrigin, forAny: null };
}

/** The lines of answers to an origin; names and values come from a configuration that was judged. */
function sharingLine(name: string, value: string): AddedLine {
  const line = fixedLine(name, value);
  if (line === null) throw new Error(`${name} cannot be ${JSON.stringify(value)}`);
  return line;
}

function grantOf(origin: string, policy: CorsPolicy): CorsGrant {
  const { acceptedMethods, acceptedHeaders, exposedHeaders, maxAge, allowCredentials } = policy;
  const methods = acceptedMethods === '*' ? null : new Set([...SAFELISTED, ...acceptedMethods]);
  const names = acceptedHeaders === '*' ? null : new Set(acceptedHeaders.map((name) => name.toLowerCase()));
  const exposed = exposedHeaders.join(', ');
  const seconds = maxAge === undefined ? null : String(Math.floor(maxAge.milliseconds / 1000));

  const allowing = [
    sharingLine('Access-Control-Allow-Origin', origin),
    ...(allowCredentials ? [sharingLine('Access-Control-Allow-Credentials', 'true')] : []),
  ];
  const sharing = exposed === '' ? allowing : [...allowing, sharingLine('Access-Control-Expose-Headers', exposed)];

  return {
    acceptsMethod: (method) => methods === null || methods.has(method),

    preflight(method, headers) {
      const asked = (headers ?? '').split(',').map((name) => name.trim());
      const wanted = asked.filter((name) => name !== '');
      const isAccepted =
        (methods === null || methods.has(method)) &&
        (names === null || wanted.every((name) => names.has(name.toLowerCase())));
      if (!isAccepted) return null;
      const response = new Response(204);
      for (const line of allowing) response.headers.appendFixed(line);
      // browsers do not take * for everything where credentials are sent, so what was asked for is named
      response.headers.set('Access-Control-Allow-Methods', methods === null ? method : [...methods].join(', '));
      const allowed = names === null ? wanted : [...names];
      if (allowed.length > 0) response.headers.set('Access-Control-Allow-Headers', allowed.join(', '));
      if (seconds !== null) response.headers.set('Access-Control-Max-Age', seconds);
      addVary(response.headers, 'Origin', 'Access-Control-Request-Method', 'Access-Control-Request-Headers');
      return response;
    },

    share(response) {
      if (response.headers.hasBeginning('access-control-')) {
        for (const name of SHARING_HEADERS) response.headers.delete(name);
      }
      for (const line of sharing) response.headers.appendFixed(line);
      varyByOrigin(response.headers);
      return response;
    },
  };
}
