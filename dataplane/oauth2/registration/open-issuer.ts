import type { Pattern } from '../../../contract/pattern/pattern.ts';
import type { Next } from '../../engine/message/exchange.ts';
import type { Parts } from '../../heap/definition.ts';
import type { Issuer, VerificationKeys } from '../../heap/objects/openid-client.ts';
import { DiscoveredIssuer } from '../../openid/discovered-issuer.ts';
import type { Endpoints, IssuerMetadata } from '../../openid/issuer-metadata.ts';
import { issuerKeys } from '../../openid/published-keys.ts';

/** The id that discovered keys are asked for by; a JWK set does not look at it. */
const PUBLISHED = 'issuer.keys';

export interface IssuerOptions {
  readonly name: string;
  /** URL of the issuer, or null. */
  readonly issuer: string | null;
  readonly wellKnown: string | null;
  /** Configured endpoints, which win over discovered ones. */
  readonly endpoints: Endpoints;
  readonly supportedDomains: readonly Pattern[];
  readonly handler: Next;
  /** Configured keys, which win over published ones. */
  readonly keys: VerificationKeys | null;
}

/** An issuer that is discovered where its URL or the location of its metadata is known. */
export function openIssuer(options: IssuerOptions, { log, onClose }: Pick<Parts, 'log' | 'onClose'>): Issuer {
  const { name, issuer, wellKnown, endpoints, supportedDomains, handler, keys } = options;
  const supports = (domain: string): boolean => supportedDomains.some((one) => one.matches(domain));
  const identity = JSON.stringify([issuer, wellKnown, issuer === null && wellKnown === null ? endpoints : null]);
  const isComplete = endpoints.authorization !== undefined && endpoints.token !== undefined;
  if (wellKnown === null && (issuer === null || isComplete)) {
    const configured: IssuerMetadata = { issuer, endpoints, certificateEndpoints: {}, members: {} };
    return { name, identity, metadata: () => Promise.resolve(configured), invalidate() {}, supports, handler, keys };
  }
  const discovered = new DiscoveredIssuer({ issuer, wellKnown, handler, log });
  let merged: { readonly from: IssuerMetadata; readonly metadata: IssuerMetadata } | null = null;

  async function metadata(): Promise<IssuerMetadata> {
    const from = await discovered.metadata();
    if (merged?.from !== from) {
      merged = { from, metadata: { ...from, endpoints: { ...from.endpoints, ...endpoints } } };
    }
    return merged.metadata;
  }

  return {
    name,
    identity,
    metadata,
    invalidate: () => discovered.invalidate(),
    supports,
    handler,
    keys: keys ?? { provider: publishedBy(discovered), secretId: PUBLISHED },
  };

  function publishedBy(place: DiscoveredIssuer) {
    const store = issuerKeys(place, { name, log, handler });
    onClose(() => store.close());
    return store;
  }
}
