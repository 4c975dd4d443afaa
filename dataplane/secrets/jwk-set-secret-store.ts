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
const DANGER = 'anyone on the path can replace the keys';

/** Keys of a JWK set at a URL. */
export const jwkSetSecretStore = defineService({
  type: 'JwkSetSecretStore',
  kind: 'secretStore',
  summary:
    'Reads public keys from a JWK set (RFC 7517) at a URL, such as that of an authorization server, or at the URL in ' +
    'the metadata of an issuer. Any secret id can be used: the `kid` of a token names its key; without `kid` all ' +
    'verification keys of the set are tried in order. The set is fetched when it is first needed and again before its ' +
    'lease expires, while the current keys stay in use. If it cannot be fetched, the current keys are used until their ' +
    'lease expires; then there are none. Symmetric keys, private keys and invalid keys are left out, with a warning.',
  config: z
    .strictObject({
      jwkUrl: url()
        .refine(({ username, password }) => username === '' && password === '', {
          error: "must not hold a user and a password: put a filter that sends them in front of 'handler'",
        })
        .optional()
        .describe('URL of the JWK set.'),
      issuer: issuerUrl()
        .optional()
        .describe(
          'URL of the issuer of these keys. Its metadata names the JWK set (OpenID Connect Discovery, RFC 8414) ' +
            'and must name this issuer, character by character.',
        ),
      leaseExpiry: leaseExpiry(),
      handler: ref('handler')
        .prefault('ClientHandler')
        .describe('Sends the requests for the JWK set, and for the metadata of the issuer.'),
      cacheTimeout: duration({ zero: true, unlimited: true })
        .prefault(DEFAULT_CACHE)
        .describe(
          'Interval between fetches of the set; shorter if the lease would expire. Less than 10 seconds and unlimited ' +
            'give the default.',
        ),
      cacheMissCacheTime: duration({ unlimited: true })
        .prefault('2 minutes')
        .describe(
          'How long the same unknown `kid` does not cause another fetch. All unknown `kid`s together may cause four ' +
            'fetches in a row, and then one in each twelfth of this time or in 10 seconds, whichever is shorter. Forged ' +
            '`kid`s cannot delay a key rotation for longer than that.',
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
