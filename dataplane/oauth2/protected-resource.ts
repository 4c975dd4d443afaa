import { z } from 'zod';
import { text } from '../../contract/vocabulary/configured.ts';
import type { Exchange } from '../engine/message/exchange.ts';
import { Response } from '../engine/message/response.ts';
import { Uri } from '../engine/message/uri.ts';
import type { ClaimedPlace } from '../heap/plane-services.ts';
import { proofAlgorithms } from './dpop-proof.ts';
import { metadataPlace } from './metadata-place.ts';

const MAX_AGE_SECONDS = 60;

/** A URL that clients compare character by character, and is therefore kept as it was written. */
function comparedUrl(): z.ZodType<string, unknown> {
  return text().refine(isComparable, {
    error: 'must be an absolute http or https URL without a user, query and fragment',
  });
}

function isComparable(written: string): boolean {
  const url = URL.parse(written);
  if (url === null || !/^https?:$/.test(url.protocol) || /[?#@]/.test(written)) return false;
  try {
    Uri.parse(written);
    return true;
  } catch {
    return false;
  }
}

/** Metadata of a protected resource (RFC 9728). */
export const resourceMetadataFields = z.strictObject({
  resource: comparedUrl().describe('URL of the API, as clients write it.'),
  authorizationServers: z
    .array(comparedUrl())
    .min(1)
    .describe('Issuer identifiers of the authorization servers whose tokens are accepted.'),
  scopesSupported: z.array(text()).optional().describe('Scopes that clients may request.'),
  resourceName: text().optional().describe('Name of the API for people.'),
  resourceDocumentation: comparedUrl().optional().describe('URL of a page for developers.'),
});

type ResourceMetadata = z.infer<typeof resourceMetadataFields>;

/** The metadata document of a protected resource, and where clients find it. */
export class ProtectedResource {
  /** URL of the document: `resource_metadata` in challenges. */
  readonly url: string;
  readonly place: ClaimedPlace;
  private readonly content: Buffer;

  /** @param schemes Schemes of `Authorization` that are accepted beside `Bearer`. */
  constructor(metadata: ResourceMetadata, schemes: readonly string[]) {
    const { scheme, authority } = Uri.parse(metadata.resource);
    this.place = metadataPlace(metadata.resource);
    this.url = `${scheme}://${authority}${this.place.path}`;
    this.content = Buffer.from(
      JSON.stringify({
        resource: metadata.resource,
        authorization_servers: metadata.authorizationServers,
        scopes_supported: metadata.scopesSupported,
        bearer_methods_supported: ['header'],
        resource_name: metadata.resourceName,
        resource_documentation: metadata.resourceDocumentation,
        dpop_signing_alg_values_supported: schemes.includes('DPoP') ? proofAlgorithms : undefined,
      }),
    );
  }

  /** Returns the document if the request asks for it. */
  answer({ request, router }: Exchange): Response | null {
    const { rawPath, host } = router.originalUri;
    if (rawPath !== this.place.path || host !== this.place.host) return null;
    if (request.method !== 'GET' && request.method !== 'HEAD') return null;
    const response = new Response(200);
    response.headers.append('Content-Type', 'application/json');
    response.headers.append('Cache-Control', `public, max-age=${MAX_AGE_SECONDS}`);
    response.headers.append('Access-Control-Allow-Origin', '*'); // applications in browsers discover servers too
    response.entity.set(this.content);
    return response;
  }
}
