import { z } from 'zod';
import { flag, text } from '../../../contract/vocabulary/configured.ts';
import { deprecated } from '../../../contract/vocabulary/field-notes.ts';
import { oneRequired } from '../../../contract/vocabulary/groups.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';
import { defineFilter } from '../../heap/definition.ts';
import { denials } from '../../heap/objects/denials.ts';
import { Verdicts } from '../../heap/objects/verdicts.ts';
import { formerPolicyFields } from '../service/former-fields.ts';
import { realm } from '../service/realm.ts';
import { decisionCache, decisionCacheFields } from './decision-cache.ts';
import { QuestionTemplate } from './decision-question.ts';
import { PolicyEnforcer, policyDenials } from './policy-enforcer.ts';
import { questionFields } from './question-fields.ts';
import { requestResource } from './request-resource.ts';

const exampleService = {
  type: 'AmService',
  config: {
    url: 'https://am.example.com/openam',
    agent: { username: 'gateway', passwordSecretId: 'agent.password' },
    secretsProvider: { type: 'SystemAndEnvSecretStore', config: { format: 'PLAIN' } },
  },
};

/** Passes on requests that a policy of an access manager allows. */
export const policyEnforcementFilter = defineFilter({
  type: 'PolicyEnforcementFilter',
  provides: ['policyDecision'],
  checksSession: true,
  summary:
    'Passes a request on if a policy of the access manager allows its method for its URI and its subject. The ' +
    'decision is in the context `policyDecision`, with `attributes`, `advices`, `actions`, `jsonAttributes`, ' +
    '`jsonAdvices` and `resource`. Denied requests go to `failureHandler`. After a SingleSignOnFilter or a ' +
    'CrossDomainSingleSignOnFilter, a denial with advices sends the browser to the login page of the access manager, ' +
    'or answers 401 with a challenge `SSOADVICE` if the client asks for it by a header. Advices that are followed: ' +
    '`AuthLevelConditionAdvice`, `AuthSchemeConditionAdvice`, `AuthenticateToRealmConditionAdvice`, ' +
    '`AuthenticateToServiceConditionAdvice`, `AuthenticateToTreeConditionAdvice`, `TransactionConditionAdvice`. A user ' +
    'who confirmed a transaction comes back with the query parameter `_txid`, which the filter removes. The request ' +
    'fails with 500 if it has no subject or if the access manager gives no valid decision. Rejected requests are ' +
    'counted by `reason` in `gw_denied_total`. The metrics of the cache are `gw_cache_gets_total`, ' +
    '`gw_cache_evictions` and `gw_cache_loads_seconds` with `content="policy_decision"`.',
  config: z
    .strictObject({
      amService: ref('amService').describe('Access manager that decides.'),
      pepRealm: realm().optional().describe('Realm of the policy set; by default the realm of the AmService.'),
      ...questionFields,
      application: text()
        .optional()
        .describe('Name of the policy set; by default the one that the access manager uses.'),
      cache: decisionCacheFields
        .optional()
        .describe(
          'Cache of decisions, which notifications of the access manager evict from. Decisions with advices are not ' +
            'cached. Without a cache every request asks for a decision.',
        ),
      failureHandler: ref('handler')
        .optional()
        .describe('Handler of denied requests; by default an empty 403. It sees the context `policyDecision`.'),
      resourceUriProvider: ref('resourceUriProvider')
        .optional()
        .describe('Provider of the resource URL; by default the URI of the request with all query parameters.'),
      authenticateResponseRequestHeader: text()
        .refine((name) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name), { error: 'must be the name of a header' })
        .default('x-authenticate-response')
        .describe(
          'Request header by which clients choose how they get advices. With the value `HEADER` in any case, they get ' +
            'them as base64-encoded JSON in `WWW-Authenticate`; otherwise as parameters of a redirect.',
        ),
      useLegacyAdviceEncoding: deprecated(
        flag(),
        'leave it out: the version of the access manager decides on the encoding',
      ).describe('Whether advices in redirects are never base64url-encoded, which AM 7 and later read.'),
      ...formerPolicyFields,
    })
    .check(oneRequired('ssoTokenSubject', 'jwtSubject', 'claimsSubject')),
  examples: [
    {
      title: 'Users with a session, with cached decisions',
      config: {
        amService: exampleService,
        application: 'orders',
        ssoTokenSubject: '${contexts.ssoToken.value}',
        environment: { IP: ['${contexts.client.remoteAddress}'] },
        cache: { enabled: true, maximumTimeToCache: '5 minutes' },
      },
    },
    {
      title: 'Users of an OpenID provider, by claims',
      config: {
        amService: exampleService,
        claimsSubject: { sub: '${attributes.openid.id_token_claims.sub}' },
        resourceUriProvider: { type: 'RequestResourceUriProvider', config: { includeQueryParams: false } },
      },
    },
  ],
  create(config, parts) {
    const am = parts.resolve(config.amService);
    const { pepRealm = am.realm, application = null, cache, resourceUriProvider } = config;
    const enforcer = new PolicyEnforcer({
      am,
      realm: pepRealm,
      application,
      resources: resourceUriProvider === undefined ? requestResource(true) : parts.resolve(resourceUriProvider),
      questions: new QuestionTemplate(config),
      cache: cache?.enabled === true ? decisionCache(cache, am, { realm: pepRealm, application }, parts) : null,
      defaultTimeout: cache?.defaultTimeout.milliseconds ?? 0,
      adviceHeader: config.authenticateResponseRequestHeader.toLowerCase(),
      isLegacyEncoding: config.useLegacyAdviceEncoding ?? false,
      denials: denials(parts, policyDenials, config.failureHandler),
      verdicts: new Verdicts(parts),
      log: parts.log,
    });
    return (exchange, next) => enforcer.enforce(exchange, next);
  },
});
