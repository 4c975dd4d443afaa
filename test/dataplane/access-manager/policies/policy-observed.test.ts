import { expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { type AccessManager, startAccessManager } from '../../../support/access-manager/access-manager.ts';
import { amDeclaration, EVALUATE } from '../../../support/access-manager/policy-gateway.ts';
import { ask } from '../../../support/clients/answers.ts';
import { startConfigured } from '../../../support/gateways/configured-gateway.ts';

/** What OpenIG sent to an access manager and answered, by the number of the observation. */
interface Observed {
  readonly id: number;
  readonly request: string;
  readonly config?: JsonObject;
  /** Body of the decision request; null for none. */
  readonly sent: object | null;
  readonly status: number;
  readonly body: string;
}

const TOKEN = 'TOKEN';
const application = 'iPlanetAMWebAgentService';
const shown = 'attrs=${contexts.policyDecision.attributes} adv=${contexts.policyDecision.advices}';
const denied = 'denied adv=${contexts.policyDecision.advices} attrs=${contexts.policyDecision.attributes}';
const failureHandler = { type: 'StaticResponseHandler', config: { status: 403, entity: denied } };
const about = (resource: string, more: object = {}) => ({
  resources: [resource],
  application,
  subject: { ssoToken: TOKEN },
  ...more,
});

const observed: readonly Observed[] = [
  { id: 577, request: 'POST /none/a', sent: about('http://app.test/none/a'), status: 403, body: '' },
  { id: 581, request: 'GET /none', sent: about('http://app.test/none'), status: 403, body: '' },
  { id: 583, request: 'BREW /app/a', sent: about('http://app.test/app/a'), status: 403, body: '' },
  {
    id: 585,
    request: 'GET /app/a',
    config: { ssoTokenSubject: "${request.headers['Nope'][0]}" },
    sent: null,
    status: 500,
    body: '',
  },
  {
    id: 587,
    request: 'GET /app/a',
    config: { ssoTokenSubject: 'bogus' },
    sent: about('http://app.test/app/a', { subject: { ssoToken: 'bogus' } }),
    status: 500,
    body: '',
  },
  {
    id: 600,
    request: 'GET /strong/c',
    config: { environment: { IP: ['${contexts.client.remoteAddress}'] }, failureHandler },
    sent: about('http://app.test/strong/c', { environment: { IP: ['127.0.0.1'] } }),
    status: 403,
    body: 'denied adv={AuthLevelConditionAdvice=[5]} attrs={}',
  },
  {
    id: 611,
    request: 'GET /app/a?x=1',
    sent: about('http://app.test/app/a?x=1'),
    status: 200,
    body: 'allowed attrs={role=[gold, x]} adv={}',
  },
  {
    id: 613,
    request: 'POST /app/a',
    config: { failureHandler },
    sent: about('http://app.test/app/a'),
    status: 403,
    body: 'denied adv={} attrs={role=[gold, x]}',
  },
  {
    id: 617,
    request: 'HEAD /app/a',
    config: { failureHandler },
    sent: about('http://app.test/app/a'),
    status: 403,
    body: '',
  },
  {
    id: 622,
    request: 'GET /app/a',
    config: { jwtSubject: 'x', claimsSubject: { sub: 'demo' } },
    sent: about('http://app.test/app/a', { subject: { ssoToken: TOKEN, jwt: 'x', claims: { sub: 'demo' } } }),
    status: 500,
    body: '',
  },
];

async function observedAccessManager(): Promise<{ am: AccessManager; token: string }> {
  const actions = { GET: true, POST: false };
  const am = await startAccessManager({
    policies: [
      {
        name: 'app',
        resources: ['http://app.test/app/*', 'http://app.test/app/*?*'],
        actions,
        attributes: { role: ['gold', 'x'] },
      },
      {
        name: 'strong',
        resources: ['http://app.test/strong/*'],
        actions,
        condition: () => ({ AuthLevelConditionAdvice: ['5'] }),
      },
    ],
  });
  return { am, token: am.sessions.create('demo').tokenId };
}

/** Sends a request through a filter behind a `baseURI`, as the observed routes have it. */
async function enforced(am: AccessManager, config: JsonObject) {
  const filter = { type: 'PolicyEnforcementFilter', config: { amService: amDeclaration(am), application, ...config } };
  const gateway = await startConfigured({
    handler: {
      type: 'Chain',
      baseURI: 'http://app.test',
      config: {
        filters: [filter],
        handler: { type: 'StaticResponseHandler', config: { status: 200, entity: `allowed ${shown}` } },
      },
    },
  });
  onTestFinished(() => gateway.close());
  return (request: string) => ask(gateway.port, `${request} HTTP/1.1\r\nHost: app.example.org\r\n`);
}

it.each(observed)(
  'sends and answers $request as OpenIG did (observation $id)',
  async ({ request, config = {}, ...row }) => {
    const { am, token } = await observedAccessManager();
    const send = await enforced(am, { ssoTokenSubject: token, ...config });
    const { status, body } = await send(request);
    expect([status, body]).toEqual([row.status, row.body]);
    const sent = am.callsTo(EVALUATE).map((call) => JSON.parse(call.body.replaceAll(token, TOKEN)) as object);
    expect(sent).toEqual(row.sent === null ? [] : [row.sent]);
  },
);

it('logs the agent in again after its session ended, as OpenIG did (observation 627)', async () => {
  const { am, token } = await observedAccessManager();
  const send = await enforced(am, { ssoTokenSubject: token });
  expect((await send('GET /app/a')).status).toBe(200);
  for (const { kind, tokenId } of am.sessions.all) if (kind === 'agent') am.sessions.end(tokenId);
  const before = am.calls.length;
  expect((await send('GET /app/a')).body).toBe('allowed attrs={role=[gold, x]} adv={}');
  const paths = am.calls.slice(before).map(({ path }) => path);
  expect([paths[0], paths.at(-1)]).toEqual(['/json/policies', '/json/policies']);
  expect(paths).toContain('/json/authenticate');
});
