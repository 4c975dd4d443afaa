import type { Logger } from 'pino';
import { z } from 'zod';
import type { Duration } from '../../contract/duration.ts';
import { duration, url } from '../../contract/vocabulary/configured.ts';
import { ref } from '../../contract/vocabulary/reference.ts';
import { errorText } from '../../platform/error-text.ts';
import { callHandler } from '../engine/backend/own-call.ts';
import type { Next } from '../engine/message/exchange.ts';
import { clearTextRemarks } from '../heap/clear-text-remark.ts';
import { defineService, type Remark } from '../heap/definition.ts';
import type { CryptoKey } from '../heap/objects/secrets.ts';
import { JwkSetReader } from '../jose/jwk-set.ts';
import { JwkSetStore } from './jwk-set-store.ts';
import { leaseExpiry, leaseMilliseconds, leaseRemarks } from './lease.ts';

const DEFAULT_CACHE = '2 minutes';
const DEFAULT_CACHE_MILLISECONDS = 120_000;
const LEAST_CACHE_MILLISECONDS = 10_000;
const MOST_BYTES = 1 << 20;
const TIMEOUT_MILLISECONDS = 10_000;

/** Keys of a JWK set at a URL. */
export const jwkSetSecretStore = defineService({
  type: 'JwkSetSecretStore',
  kind: 'secretStore',
  summary:
    'Finds public keys in a JWK set (RFC 7517) at a URL, such as that of an authorization server. A secret id that ' +
    'asks for them can be any: the `kid` of a token names its key, and without one all keys of the set that may ' +
    'verify are tried in its order. The set is fetched when it is needed first and then again before its lease is ' +
    'over, while the keys at hand serve. When it cannot be fetched, they serve until their lease is over, and then ' +
    'there are none. Symmetric keys and the private halves of keys are not taken from a URL; these and keys that ' +
    'are not sound are left out, with a warning.',
  config: z.strictObject({
    jwkUrl: url()
      .refine(({ username, password }) => username === '' && password === '', {
        error: "must not hold a user and a password: put a filter that sends them in front of 'handler'",
      })
      .describe('Where the JWK set is.'),
    leaseExpiry: leaseExpiry(),
    handler: ref('handler').prefault('ClientHandler').describe('Sends the requests for the JWK set.'),
    cacheTimeout: duration({ zero: true, unlimited: true })
      .prefault(DEFAULT_CACHE)
      .describe(
        'After what time the set is fetched again; earlier if the lease would be over. Less than 10 seconds and ' +
          'unlimited give the default.',
      ),
    cacheMissCacheTime: duration({ unlimited: true })
      .prefault('2 minutes')
      .describe(
        'How long the same unknown `kid` does not cause another fetch. All unknown names together may cause four ' +
          'fetches in a row, and then one in each twelfth of this time or in 10 seconds, whichever is shorter: made-up ' +
          'names cannot delay a key rotation for longer than that.',
      ),
  }),
  examples: [{ title: 'The keys of an authorization server', config: { jwkUrl: 'https://as.example.com/jwks' } }],
  remarks: ({ jwkUrl, leaseExpiry: lease, cacheTimeout }) => [
    ...clearTextRemarks('jwkUrl', jwkUrl, 'anybody on the way can put in other keys'),
    ...leaseRemarks(lease),
    ...cacheRemarks(cacheTimeout),
  ],
  create({ jwkUrl, handler, cacheTimeout, cacheMissCacheTime, leaseExpiry: lease }, { name, log, onClose, resolve }) {
    const reader = new JwkSetReader({
      judge: (keys, index) => publicHalves(keys, index, log),
      skipped: (index, reason) => log.warn({ index, reason }, 'skipped an unusable key of a JWK set'),
    });
    const sender = resolve(handler);
    const store = new JwkSetStore({
      name,
      log,
      async fetch() {
        try {
          return await reader.set(await content(sender, jwkUrl));
        } catch (error) {
          const reason = errorText(error);
          throw new Error(`${reason} (${jwkUrl.origin}${jwkUrl.pathname})`);
        }
      },
      lease: leaseMilliseconds(lease),
      refresh: isCacheTime(cacheTimeout) ? cacheTimeout.milliseconds : DEFAULT_CACHE_MILLISECONDS,
      missPause: cacheMissCacheTime.milliseconds,
    });
    onClose(() => store.close());
    return store;
  },
});

async function content(handler: Next, { href, hash }: URL): Promise<Buffer> {
  const request = {
    method: 'GET',
    uri: href.slice(0, href.length - hash.length),
    headers: { Accept: 'application/jwk-set+json, application/json' },
  };
  const limits = { parent: null, limit: MOST_BYTES, timeout: TIMEOUT_MILLISECONDS };
  const answer = await callHandler(handler, request, limits);
  if (answer.status !== 200)
    throw new Error(`the answer to the request for the JWK set has the status ${answer.status}`);
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

function cacheRemarks(timeout: Duration): readonly Remark[] {
  if (isCacheTime(timeout)) return [];
  const message = `has no effect: it is less than 10 seconds or unlimited, so it is ${DEFAULT_CACHE}`;
  return [{ at: ['cacheTimeout'], message, code: 'no-effect' }];
}

function isCacheTime({ milliseconds }: Duration): boolean {
  return milliseconds >= LEAST_CACHE_MILLISECONDS && Number.isFinite(milliseconds);
}
