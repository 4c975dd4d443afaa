import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { catalogue } from '../../../../dataplane/catalogue/catalogue.ts';
import { type Refusal, refusals } from '../../../../dataplane/engine/message/refusal.ts';
import { accessService } from '../../../support/audit/access-service.ts';
import { type DecidedCase, SECRET } from '../../../support/audit/decisions/decided-case.ts';
import { guardCases } from '../../../support/audit/decisions/guard-cases.ts';
import { allowingCases, identityCases } from '../../../support/audit/decisions/identity-cases.ts';
import { type FilteredGateway, startFiltered } from '../../../support/gateways/filtered-gateway.ts';
import { startOpenidProvider } from '../../../support/identity/openid-provider.ts';
import { APP, startSignIn } from '../../../support/identity/sign-in-gateway.ts';

/** Filters that pass every request on, or leave the decision to an object that they name. */
const NEVER_REFUSE: readonly string[] = [
  'AssignmentFilter',
  'CaptureFilter',
  'ChainOfFilters',
  'ClientSecretBasicAuthenticationFilter',
  'ClientSecretPostAuthenticationFilter',
  'ConditionalFilter',
  'CookieFilter',
  'DateHeaderFilter',
  'EncryptedPrivateKeyJwtClientAuthenticationFilter',
  'EntityExtractFilter',
  'FileAttributesFilter',
  'ForwardedRequestFilter',
  'HttpBasicAuthenticationClientFilter',
  'JwtBuilderFilter',
  'MirrorFilter',
  'PasswordReplayFilter',
  'PrivateKeyJwtClientAuthenticationFilter',
  'SetCookieUpdateFilter',
  'SwitchFilter',
  'TransactionIdOutboundFilter',
];

const cases = [...guardCases, ...identityCases];

/** What clients send beside the request of a case. */
const BESIDE = [
  `X-Api-Key: ${SECRET}`,
  `Proxy-Authorization: Bearer ${SECRET}`,
  `Referer: https://a.test/?code=${SECRET}`,
];

interface Decision extends JsonObject {
  readonly outcome: string;
  readonly verdicts: readonly JsonObject[];
}

/** Sends the requests of a case. @returns the decision in the event of the last one, and the event as it was written */
async function decided(gateway: FilteredGateway, { target = '/a', ask = {}, before = 0 }: DecidedCase) {
  const whole = `${target}${target.includes('?') ? '&' : '?'}access_token=${SECRET}`;
  const headers = [...(ask.headers ?? []), ...BESIDE];
  for (let sent = 0; sent <= before; sent++) await gateway.ask(whole, { ...ask, headers });
  const event = await gateway.audited.event(before);
  return { event, decision: event['decision'] as Decision, json: gateway.audited.json[before]!.json };
}

async function start(one: Pick<DecidedCase, 'type' | 'filters' | 'handler'>): Promise<FilteredGateway> {
  const filters = (await one.filters()).map((filter, at) => ({ ...(filter as JsonObject), name: `guard-${at}` }));
  return startFiltered(filters, one.handler, { document: { auditService: accessService() } });
}

const decider = { revision: '1', plane: 'plane-1', unit: 0 };
const object = 'gateway.guard-0';
const titled = (some: readonly DecidedCase[]) =>
  some.map((one): [string, DecidedCase] => [`${one.type}: ${one.code ?? one.reason ?? 'passes'}`, one]);

describe('the decision of an access event names the filter that refused, and why', () => {
  it.each(titled(cases.filter(({ code }) => code !== undefined)))('%s', async (_, one) => {
    const { type, code, facts = {} } = one;
    const { decision, json } = await decided(await start(one), one);
    const { reason: usual } = refusals[code as Refusal];
    const reason = one.reason instanceof RegExp ? expect.stringMatching(one.reason) : (one.reason ?? usual);
    expect(decision).toEqual({
      ...{ outcome: 'refused', code, reason, type, object, ...decider },
      verdicts: [{ type, object, outcome: 'refused', code, ...facts }],
    });
    expect(json).not.toContain(SECRET);
    expect(json).not.toContain(Buffer.from(SECRET).toString('base64').slice(0, -4));
  });

  it('in a case for every type of filter but those that never refuse', () => {
    const types = catalogue.definitions.filter(({ kind }) => kind === 'filter').map(({ type }) => type);
    const covered = new Set([...cases.map(({ type }) => type), ...NEVER_REFUSE]);
    expect(types.filter((type) => !covered.has(type))).toEqual([]);
    expect([...covered].filter((type) => !types.includes(type))).toEqual([]);
  });
});

describe('the decision of an access event says that the browser was sent elsewhere', () => {
  it.each(titled(cases.filter(({ isRedirected }) => isRedirected === true)))('%s', async (_, one) => {
    const { type, facts = {} } = one;
    const { decision, json } = await decided(await start(one), one);
    expect(decision).toEqual({
      ...{ outcome: 'redirected', ...decider },
      verdicts: [{ type, object, outcome: 'redirected', ...facts }],
    });
    expect(json).not.toContain(SECRET);
  });
});

describe('the decision of an access event names the filters that let the request pass, and what they found out', () => {
  it.each(titled(allowingCases))('%s', async (_, one) => {
    const { type, facts = {}, user, trackingIds } = one;
    const { event, decision, json } = await decided(await start(one), one);
    expect(decision).toEqual({
      ...{ outcome: 'allowed', ...decider },
      verdicts: [{ type, object, outcome: 'allowed', ...facts }],
    });
    expect([event['userId'], event['trackingIds']]).toEqual([user, trackingIds]);
    expect(json).not.toContain(SECRET);
  });

  it('in the order in which they decided, the last one being that which refused', async () => {
    const allowed = { type: 'ConditionEnforcementFilter', config: { condition: '${true}' } };
    const refused = { type: 'ConditionEnforcementFilter', config: { condition: '${false}' } };
    const { decision } = await decided(
      await start({ type: '', filters: () => [allowed, allowed, refused, allowed] }),
      guardCases[0]!,
    );
    expect(decision.verdicts.map(({ object: name, outcome }) => [name, outcome])).toEqual([
      ['gateway.guard-0', 'allowed'],
      ['gateway.guard-1', 'allowed'],
      ['gateway.guard-2', 'refused'],
    ]);
    expect(decision).toMatchObject({ outcome: 'refused', object: 'gateway.guard-2' });
  });

  it('but for more than 32 of them, of which the last one stays', async () => {
    const allowed = { type: 'ConditionEnforcementFilter', config: { condition: '${true}' } };
    const filters = [...Array.from({ length: 40 }, () => allowed), { ...allowed, config: { condition: '${false}' } }];
    const { decision } = await decided(await start({ type: '', filters: () => filters }), guardCases[0]!);
    expect(decision.verdicts).toHaveLength(32);
    expect(decision.verdicts.at(-1)).toMatchObject({ object: 'gateway.guard-40', outcome: 'refused' });
  });

  it('with the issuer of a user who signed in, and with the redirect to the provider before', async () => {
    const provider = await startOpenidProvider();
    const document = { auditService: accessService() };
    const { browser, audited } = await startSignIn(provider.issuer, { document });
    await browser().open(`${APP}/orders`);
    const type = 'AuthorizationCodeOAuth2ClientFilter';
    const events = [await audited.event(0), await audited.event(1), await audited.event(2)];
    expect(events.map(({ decision, userId }) => [(decision as Decision).outcome, userId])).toEqual([
      ['redirected', undefined],
      ['allowed', undefined],
      ['allowed', 'ada'],
    ]);
    expect((events[0]!['decision'] as Decision).verdicts).toMatchObject([{ type, registration: 'gateway' }]);
    expect((events[2]!['decision'] as Decision).verdicts).toMatchObject([
      { type, outcome: 'allowed', issuer: provider.issuer, registration: 'gateway' },
    ]);
    expect(events[1]).toMatchObject({ http: { request: { path: `${APP}:80/openid/callback`, queryParameters: {} } } });
  });
});
