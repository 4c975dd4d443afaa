import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import type { Problem } from '../../../contract/problem.ts';
import { catalogue } from '../../../dataplane/catalogue/catalogue.ts';
import { checkDefaultObjects } from '../../../dataplane/heap/default-objects.ts';
import { checkBase, checkRoute } from '../../../dataplane/routes/check-document.ts';
import { documentReading } from '../../../dataplane/routes/document-reading.ts';
import { amDeclaration } from '../../support/access-manager/policy-gateway.ts';
import { checkConfigured } from '../../support/gateways/configured-gateway.ts';
import { operatorReach } from '../../support/gateways/operator-reach.ts';

const amService = amDeclaration({ url: 'https://am.example.com/openam' });
const signOn = { type: 'SingleSignOnFilter', config: { amService } };
const crossDomain = { type: 'CrossDomainSingleSignOnFilter', config: { amService, redirectEndpoint: '/cdsso' } };
const policies = (more: JsonObject = { ssoTokenSubject: '${contexts.ssoToken.value}' }): JsonObject => ({
  type: 'PolicyEnforcementFilter',
  config: { amService, ...more },
});
const sessionInfo = { type: 'SessionInfoFilter', config: { amService } };
const profile = {
  type: 'UserProfileFilter',
  config: {
    username: '${contexts.ssoToken.info.uid}',
    userProfileService: { type: 'UserProfileService', config: { amService } },
  },
};
const idle = { type: 'AmSessionIdleTimeoutFilter', config: { amService, idleTimeout: '5 minutes' } };
const header = (value: string, messageType = 'REQUEST'): JsonObject => ({
  type: 'HeaderFilter',
  config: { messageType, add: { 'X-User': [value] } },
});
const answer = { type: 'StaticResponseHandler', config: { status: 200 } };

function chain(filters: readonly JsonValue[], handler: JsonValue = answer): JsonObject {
  return { type: 'Chain', config: { filters, handler } };
}

const shown = (problems: readonly Problem[]): string[] =>
  problems
    .filter(({ message }) => /which no filter before it sets|checks the session/.test(message))
    .map(({ path, message, severity }) => `${severity} ${path.join('.')}: ${message.split(':')[0]}`);

const warnings = (document: JsonObject): string[] => shown(checkConfigured(document));
const missing = (path: string, context = 'ssoToken'): string =>
  `warning ${path}: reads 'contexts.${context}', which no filter before it sets`;

describe('the order of filters', () => {
  it.each<[string, JsonObject, string]>([
    ['a PolicyEnforcementFilter', policies(), 'ssoTokenSubject'],
    ['a SessionInfoFilter', sessionInfo, 'ssoToken'],
    ['a UserProfileFilter', profile, 'username'],
    [
      'an AmSessionIdleTimeoutFilter with the token of the sign-on',
      { type: idle.type, config: { ...idle.config, sessionToken: '${contexts.ssoToken.value}' } },
      'sessionToken',
    ],
    ['any other filter', header('${contexts.ssoToken.info.uid}'), 'add.X-User.0'],
    ['a filter with another spelling', header("user ${contexts['ssoToken'].value}"), 'add.X-User.0'],
  ])('has a warning for %s before or without the sign-on, and none behind it', (_, filter, field) => {
    const path = `handler.config.filters.0.config.${field}`;
    expect(warnings({ handler: chain([filter]) })).toEqual([missing(path)]);
    expect(warnings({ handler: chain([filter, signOn]) })).toEqual([missing(path)]);
    for (const first of [signOn, crossDomain]) expect(warnings({ handler: chain([first, filter]) })).toEqual([]);
  });

  it('has a warning for the contexts of each filter', () => {
    const reads = header(
      '${contexts.cdsso.token} ${contexts.amSession.realm} ${contexts.userProfile.username} ' +
        '${contexts.policyDecision.resource}',
    );
    const path = 'handler.config.filters.1.config.add.X-User.0';
    const names = ['cdsso', 'amSession', 'userProfile', 'policyDecision'];
    expect(warnings({ handler: chain([signOn, reads]) })).toEqual(names.map((name) => missing(path, name)));
    expect(warnings({ handler: chain([crossDomain, sessionInfo, profile, policies(), reads]) })).toEqual([]);
  });

  it('is looked at in objects of the heap and in nested chains', () => {
    const heap = [
      { name: 'decide', ...policies() },
      { name: 'sign', ...signOn },
      { name: 'group', type: 'ChainOfFilters', config: { filters: ['decide', 'sign'] } },
      { name: 'inner', ...chain([sessionInfo]) },
    ];
    const condition = "${request.method == 'GET'}";
    const sometimes = { type: 'ConditionalFilter', config: { condition, delegate: 'sign' } };
    expect(warnings({ heap, handler: chain(['group'], 'inner') })).toEqual([missing('heap.0.config.ssoTokenSubject')]);
    expect(warnings({ heap, handler: chain(['sign', 'decide'], 'inner') })).toEqual([]);
    expect(warnings({ heap, handler: chain([sometimes, 'decide'], 'inner') })).toEqual([]);
    expect(warnings({ heap, handler: 'inner' })).toEqual([missing('heap.3.config.filters.0.config.ssoToken')]);
    const bindings = [{ condition, handler: chain([signOn], 'inner') }, { handler: 'inner' }];
    expect(warnings({ heap, handler: { type: 'DispatchHandler', config: { bindings } } })).toEqual([
      missing('heap.3.config.filters.0.config.ssoToken'),
    ]);
  });

  it.each<[string, readonly JsonValue[]]>([
    ['a subject by claims', [policies({ claimsSubject: { sub: '${attributes.openid.id_token_claims.sub}' } })]],
    ['a subject by a JWT', [policies({ jwtSubject: '${attributes.openid.id_token}' })]],
    ['a session token of a header', [policies({ ssoTokenSubject: "${request.headers['X-Token'][0]}" })]],
    [
      'a user of a header',
      [{ ...profile, config: { ...profile.config, username: "${request.headers['X-User'][0]}" } }],
    ],
    ['a filter that changes the response', [header('${contexts.ssoToken.info.uid}', 'RESPONSE'), signOn]],
    ['a filter that asks first', [header("${empty contexts.ssoToken ? 'nobody' : contexts.ssoToken.info.uid}")]],
    ['a comparison with null', [header('${contexts.ssoToken != null}')]],
    ['the idle time before the sign-on', [idle, signOn]],
    ['the idle time before policies', [idle, policies({ ssoTokenSubject: "${request.headers['X-Token'][0]}" })]],
    ['another context', [header('${contexts.client.remoteAddress}')]],
  ])('has no warning for %s', (_, filters) => {
    expect(warnings({ handler: chain(filters) })).toEqual([]);
  });

  it('has a warning for idle sessions that no filter checks', () => {
    expect(warnings({ handler: chain([idle]) })).toEqual([
      'warning handler.config.filters.0: no filter behind this AmSessionIdleTimeoutFilter checks the session',
    ]);
  });

  it('counts the filters in front of a router for its routes', () => {
    const check = (base: JsonObject): string[] => {
      const route = { handler: chain([policies()]) };
      const reading = documentReading(operatorReach(), [base, route], () => {});
      const options = { catalogue, reading, report: (): void => {} };
      const { document } = checkBase(base, checkDefaultObjects(options), options);
      const verdict = checkRoute(route, 'gateway.main.r', document!.scope, { ...options, router: 'gateway.main' });
      return shown(verdict.problems);
    };
    const heap = [{ name: 'main', type: 'Router' }];
    expect(check({ heap, handler: chain([signOn], 'main') })).toEqual([]);
    expect(check({ heap, handler: 'main' })).toEqual([missing('handler.config.filters.0.config.ssoTokenSubject')]);
  });
});
