import type { Logger } from 'pino';
import { errorText } from '../../platform/error-text.ts';
import { callHandler } from '../engine/backend/own-call.ts';
import type { Next } from '../engine/message/exchange.ts';
import type { CryptoKey } from '../heap/objects/secrets.ts';
import { JwkSetReader } from '../jose/jwk-set.ts';
import { JwkSetStore } from '../secrets/jwk-set-store.ts';
import { DiscoveredIssuer } from './discovered-issuer.ts';

const MOST_BYTES = 1 << 20;
const TIMEOUT_MILLISECONDS = 10_000;
/** What stores use where a configuration says nothing of it. */
const DEFAULT_TIMES = { lease: 300_000, refresh: 120_000, missPause: 120_000 };

/** The place of a JWK set, which may have to be looked up. */
export interface KeysPlace {
  url(): Promise<string>;
  /** Called when the keys cannot be fetched from there. */
  failed?(): void;
}

export interface PublishedKeysOptions {
  /** Name of the store in messages. */
  readonly name: string;
  readonly log: Logger;
  /** Sends the requests. */
  readonly handler: Next;
  readonly place: KeysPlace;
  /** In milliseconds; by default those of a JwkSetSecretStore. */
  readonly times?: { readonly lease: number; readonly refresh: number; readonly missPause: number };
}

/** A store of the public keys of a JWK set at a URL. The caller closes it. */
export function publishedKeys({ name, log, handler, place, times }: PublishedKeysOptions): JwkSetStore {
  const reader = new JwkSetReader({
    judge: (keys, index) => publicHalves(keys, index, log),
    skipped: (index, reason) => log.warn({ index, reason }, 'skipped an unusable key of a JWK set'),
  });

  async function fetch(): Promise<readonly CryptoKey[]> {
    const url = await place.url();
    try {
      return await reader.set(await content(handler, new URL(url)));
    } catch (error) {
      place.failed?.();
      const { origin, pathname } = new URL(url);
      throw new Error(`${errorText(error)} (${origin}${pathname})`);
    }
  }

  return new JwkSetStore({ name, log, fetch, ...(times ?? DEFAULT_TIMES) });
}

/** A store of the keys that an issuer publishes, found by its metadata. The caller closes it. */
export function issuerKeys(issuer: DiscoveredIssuer, options: Omit<PublishedKeysOptions, 'place'>): JwkSetStore {
  const place = {
    async url(): Promise<string> {
      const { keys } = (await issuer.metadata()).endpoints;
      if (keys !== undefined) return keys;
      issuer.invalidate();
      throw new Error("the metadata of the issuer has no 'jwks_uri'");
    },
    failed: () => issuer.invalidate(),
  };
  return publishedKeys({ ...options, place });
}

/** The keys of an issuer of which only the URL is known. The caller closes it. */
export function keysOfIssuer(issuer: string, options: Omit<PublishedKeysOptions, 'place'>): JwkSetStore {
  const { handler, log } = options;
  return issuerKeys(new DiscoveredIssuer({ issuer, wellKnown: null, handler, log }), options);
}

async function content(handler: Next, { href, hash }: URL): Promise<Buffer> {
  const request = {
    method: 'GET',
    uri: href.slice(0, href.length - hash.length),
    headers: { Accept: 'application/jwk-set+json, application/json' },
  };
  const limits = { parent: null, limit: MOST_BYTES, timeout: TIMEOUT_MILLISECONDS };
  const answer = await callHandler(handler, request, limits);
  if (answer.status !== 200) {
    throw new Error(`the answer to the request for the JWK set has the status ${answer.status}`);
  }
  return answer.content;
}

/** Whatever is at a URL is known to more than one side: such keys can prove what somebody else signed, no more. */
function publicHalves(keys: readonly CryptoKey[], index: number, log: Logger): readonly CryptoKey[] {
  if (keys.some(({ key }) => key.type === 'secret')) throw new Error('it is a symmetric key, which is not for a URL');
  const halves = keys.filter(({ key }) => key.type === 'public');
  if (halves.length < keys.length) {
    log.warn(
      { index },
      'JWK set at a URL contains a private key; anyone who can read the URL can sign; remove the private key',
    );
  }
  if (halves.length === 0) throw new Error('nothing is left of it without its private half');
  return halves;
}
