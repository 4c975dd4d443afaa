import { callHandler } from '../../engine/backend/own-call.ts';
import type { Exchange, Next } from '../../engine/message/exchange.ts';
import { isObject, readJsonObject } from '../../jose/strict-json.ts';
import { issuerFault } from '../issuer-url.ts';
import type { DiscoveryInput } from './discovery-input.ts';

const RELATION = 'http://openid.net/specs/connect/1.0/issuer';
const LIMITS = { limit: 1 << 16, timeout: 5000 };

/**
 * The URL of the issuer that WebFinger (RFC 7033) names for what a user typed in; the input itself where it names none.
 * Rejects when nobody answers.
 */
export async function foundIssuer(input: DiscoveryInput, handler: Next, parent: Exchange): Promise<string> {
  const query = new URLSearchParams({ resource: input.resource, rel: RELATION });
  const uri = `${input.origin}/.well-known/webfinger?${query}`;
  const request = { method: 'GET', uri, headers: { Accept: 'application/jrd+json, application/json' } };
  const { status, content } = await callHandler(handler, request, { parent, ...LIMITS });
  const links = status === 200 ? readJsonObject(content)?.['links'] : null;
  const hrefs: unknown[] = (Array.isArray(links) ? links : [])
    .filter((link) => isObject(link) && link['rel'] === RELATION)
    .map((link) => (link as Record<string, unknown>)['href']);
  const [href] = hrefs;
  return typeof href === 'string' && issuerFault(href) === null ? href : input.issuer;
}
