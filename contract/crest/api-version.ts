import { badRequest, CrestError } from './crest-error.ts';

/** Version of the protocol or of a resource. */
export interface ApiVersion {
  readonly major: number;
  readonly minor: number;
}

/** Versions that a request asks for; null where it asks for none. */
export interface ApiVersions {
  readonly protocol: ApiVersion | null;
  readonly resource: ApiVersion | null;
}

/** Newest minor version of each major version of the protocol. */
const NEWEST_MINOR: ReadonlyMap<number, number> = new Map([
  [1, 1],
  [2, 2],
]);

/** Protocol of requests that ask for none. */
export const NEWEST_PROTOCOL: ApiVersion = { major: 2, minor: 2 };

const PART = /^(protocol|resource)=(\d{1,9})(?:\.(\d{1,9}))?$/;

/** Reads the value of `Accept-API-Version`; a blank one asks for nothing. @throws CrestError */
export function readApiVersions(text: string): ApiVersions {
  const trimmed = text.trim();
  if (trimmed === '') return { protocol: null, resource: null };
  const found = new Map<string, ApiVersion>();
  for (const part of trimmed.split(',')) {
    const match = PART.exec(part.trim());
    if (match === null || found.has(match[1]!)) throw malformed();
    found.set(match[1]!, { major: Number(match[2]), minor: Number(match[3] ?? 0) });
  }
  return { protocol: found.get('protocol') ?? null, resource: found.get('resource') ?? null };
}

/** Returns the protocol of a request. @throws CrestError for one that is not available */
export function chosenProtocol(asked: ApiVersion | null): ApiVersion {
  if (asked === null) return NEWEST_PROTOCOL;
  const newest = NEWEST_MINOR.get(asked.major);
  if (newest !== undefined && asked.minor <= newest) return asked;
  throw new CrestError(406, `protocol version ${versionText(asked)} is not available`);
}

/**
 * Returns the version of a resource that answers a request: the newest of all if the request asks for none, else the
 * newest with the same major version.
 *
 * @throws CrestError if there is none
 */
export function chosenVersion<V extends ApiVersion>(available: readonly V[], asked: ApiVersion | null): V {
  const suitable = available.filter(
    ({ major, minor }) => asked === null || (major === asked.major && minor >= asked.minor),
  );
  const newest = suitable.toSorted((a, b) => b.major - a.major || b.minor - a.minor)[0];
  if (newest !== undefined) return newest;
  throw new CrestError(406, `resource version ${asked === null ? '' : versionText(asked)} is not available`);
}

export function isAtLeast(version: ApiVersion, major: number, minor: number): boolean {
  return version.major > major || (version.major === major && version.minor >= minor);
}

export function versionText({ major, minor }: ApiVersion): string {
  return `${major}.${minor}`;
}

function malformed(): CrestError {
  return badRequest("Accept-API-Version must have the form 'protocol=2.1,resource=1.0'");
}
