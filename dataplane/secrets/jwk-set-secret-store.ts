import { z } from 'zod';
import type { Duration } from '../../contract/duration.ts';
import { duration, url } from '../../contract/vocabulary/configured.ts';
import { exclusive, oneRequired } from '../../contract/vocabulary/groups.ts';
import { ref } from '../../contract/vocabulary/reference.ts';
import { clearTextRemarks } from '../heap/clear-text-remark.ts';
import { defineService, type Remark } from '../heap/definition.ts';
import { issuerUrl } from '../openid/issuer-url.ts';
import { keysOfIssuer, publishedKeys } from '../openid/published-keys.ts';
import { leaseExpiry, leaseMilliseconds, leaseRemarks } from './lease.ts';

const DEFAULT_CACHE = '2 minutes';
const DEFAULT_CACHE_MILLISECONDS = 120_000;
const LEAST_CACHE_MILLISECONDS = 10_000;
const DANGER = 'anybody on the way can put in other keys';

/** Keys of a JWK set at a URL. */
export const jwkSetSecretStore = defineService({
  type: 'JwkSetSecretStore',
  kind: 'secretStore',
  summary:
    'Finds public keys in a JWK set (RFC 7517) at a URL, such as that of an authorization server, or at the URL that an ' +
    'issuer publishes in its metadata. A secret id that ' +
    'asks for them can be any: the `kid` of a token names its key, and without one all keys of the set that may ' +
    'verify are tried in its order. The set is fetched when it is needed first and then again before its lease is ' +
    'over, while the keys at hand serve. When it cannot be fetched, they serve until their lease is over, and then ' +
    'there are none. Symmetric keys and the private halves of keys are not taken from a URL; these and keys that ' +
    'are not sound are left out, with a warning.',
  config: z
    .strictObject({
      jwkUrl: url()
        .refine(({ username, password }) => username === '' && password === '', {
          error: "must not hold a user and a password: put a filter that sends them in front of 'handler'",
        })
        .optional()
        .describe('Where the JWK set is.'),
      issuer: issuerUrl()
        .optional()
        .describe(
          'URL of the issuer whose keys these are. Its metadata names the JWK set (OpenID Connect Discovery, RFC 8414) ' +
            'and must name this issuer, character by character.',
        ),
      leaseExpiry: leaseExpiry(),
      handler: ref('handler')
        .prefault('ClientHandler')
        .describe('Sends the requests for the JWK set, and for the metadata of the issuer.'),
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
    })
    .check(exclusive('jwkUrl', 'issuer'), oneRequired('jwkUrl', 'issuer')),
  examples: [
    { title: 'The keys of an authorization server', config: { jwkUrl: 'https://as.example.com/jwks' } },
    { title: 'The keys that an issuer publishes', config: { issuer: 'https://login.example.com' } },
  ],
  remarks: ({ jwkUrl, issuer, leaseExpiry: lease, cacheTimeout }) => [
    ...(jwkUrl === undefined ? [] : clearTextRemarks('jwkUrl', jwkUrl, DANGER)),
    ...(issuer === undefined ? [] : clearTextRemarks('issuer', new URL(issuer), DANGER)),
    ...leaseRemarks(lease),
    ...cacheRemarks(cacheTimeout),
  ],
  create(config, { name, log, onClose, resolve }) {
    const { jwkUrl, issuer, cacheTimeout } = config;
    const options = {
      name,
      log,
      handler: resolve(config.handler),
      times: {
        lease: leaseMilliseconds(config.leaseExpiry),
        refresh: isCacheTime(cacheTimeout) ? cacheTimeout.milliseconds : DEFAULT_CACHE_MILLISECONDS,
        missPause: config.cacheMissCacheTime.milliseconds,
      },
    };
    const place = { url: () => Promise.resolve(jwkUrl!.href) };
    const store = issuer === undefined ? publishedKeys({ ...options, place }) : keysOfIssuer(issuer, options);
    onClose(() => store.close());
    return store;
  },
});

function cacheRemarks(timeout: Duration): readonly Remark[] {
  if (isCacheTime(timeout)) return [];
  const message = `has no effect: it is less than 10 seconds or unlimited, so it is ${DEFAULT_CACHE}`;
  return [{ at: ['cacheTimeout'], message, code: 'no-effect' }];
}

function isCacheTime({ milliseconds }: Duration): boolean {
  return milliseconds >= LEAST_CACHE_MILLISECONDS && Number.isFinite(milliseconds);
}
