import { Uri } from '../engine/message/uri.ts';
import type { ClaimedPlace } from '../heap/plane-services.ts';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** Returns the place of the metadata document of a protected resource (RFC 9728), by the URL of the resource. */
export function metadataPlace(resource: string): ClaimedPlace {
  const { host, rawPath } = Uri.parse(resource);
  return { host, path: rawPath === '/' ? WELL_KNOWN : WELL_KNOWN + rawPath };
}
