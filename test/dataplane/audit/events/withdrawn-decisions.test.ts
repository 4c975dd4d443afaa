import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../contract/document/json-value.ts';
import { accessService } from '../../../support/audit/access-service.ts';
import { identityCases } from '../../../support/audit/decisions/identity-cases.ts';
import { CookieJar } from '../../../support/clients/cookie-jar.ts';
import { type FilteredGateway, startFiltered } from '../../../support/gateways/filtered-gateway.ts';
import { startTokenEndpoint } from '../../../support/identity/token-endpoint.ts';

const type = 'ConditionEnforcementFilter';

/** A handler that answers, behind a guard that refuses where the condition is false. */
function guarded(condition: string, response: JsonObject, failure?: JsonObject): JsonObject {
  const failureHandler = failure === undefined ? {} : { failureHandler: stated(failure) };
  const guard = { type, name: 'guard', config: { condition, ...failureHandler } };
  return { type: 'Chain', config: { filters: [guard], handler: stated(response) } };
}

function stated(config: JsonObject): JsonObject {
  return { type: 'StaticResponseHandler', config };
}

function start(filters: readonly JsonValue[], handler: JsonValue): Promise<FilteredGateway> {
  return startFiltered(filters, handler, { document: { auditService: accessService() } });
}

function inSequence(...handlers: readonly JsonObject[]): JsonObject {
  return { type: 'SequenceHandler', config: { bindings: handlers.map((handler) => ({ handler })) } };
}

/** The n-th request in the audit event and in the access log. */
async function recorded({ audited, finished }: FilteredGateway, at = 0) {
  const { decision, response } = await audited.event(at);
  const { outcome, verdicts, code = null } = decision as JsonObject;
  const { status, refusal, decision: logged } = finished[at]!;
  return {
    audited: { outcome, code, verdicts: (verdicts as JsonObject[]).map((verdict) => verdict['outcome']) },
    response: (response as JsonObject)['statusCode'],
    logged: { status, refusal, object: logged?.object ?? null },
  };
}

const wentOn = (verdict = 'refused') => ({
  audited: { outcome: 'allowed', code: null, verdicts: [verdict] },
  response: '200',
  logged: { status: 200, refusal: null, object: null },
});

const refused = (status: number) => ({
  audited: { outcome: 'refused', code: 'condition', verdicts: ['refused'] },
  response: `${status}`,
  logged: { status, refusal: 'condition', object: expect.stringContaining('guard') },
});

describe('a request that goes on after an object refused it is not recorded as refused', () => {
  it('by a SequenceHandler', async () => {
    const gateway = await start([], inSequence(guarded('${false}', { status: 200 }), stated({ status: 200 })));
    await gateway.ask('/a');
    expect(await recorded(gateway)).toEqual(wentOn());
  });

  it('by a SequenceHandler, nor as redirected', async () => {
    const { filters, ask } = identityCases.find(({ isRedirected }) => isRedirected === true)!;
    const first = { type: 'Chain', config: { filters: [...(await filters())], handler: stated({ status: 200 }) } };
    const gateway = await start([], inSequence(first, stated({ status: 200 })));
    await gateway.ask('/a', ask);
    expect(await recorded(gateway)).toEqual(wentOn('redirected'));
  });

  it('by an HttpBasicAuthFilter that sends it with other credentials', async () => {
    const filter = {
      type: 'HttpBasicAuthFilter',
      config: {
        username: 'ada',
        password: "${request.headers['X-Password'][0]}",
        failureHandler: stated({ status: 418 }),
      },
    };
    const old = `Basic ${Buffer.from('ada:one').toString('base64')}`;
    const condition = `\${request.headers['X-Password'][0] == 'one' || request.headers['Authorization'][0] != '${old}'}`;
    const gateway = await start([filter], guarded(condition, { status: 200 }, { status: 401 }));
    const jar = new CookieJar();
    const { values } = await gateway.ask('/a', { headers: ['X-Password: one'] });
    jar.take(values('set-cookie'));
    await gateway.ask('/a', { headers: ['X-Password: two', ...jar.header] });
    expect(await recorded(gateway, 1)).toEqual({
      ...wentOn(),
      audited: { outcome: 'allowed', code: null, verdicts: ['refused', 'allowed'] },
    });
  });

  it('by a PasswordReplayFilter that signs the user in', async () => {
    const filter = {
      type: 'PasswordReplayFilter',
      config: { loginPageContentMarker: 'sign in', request: { method: 'POST', uri: 'http://app.test/session' } },
    };
    const page = { status: 403, headers: { 'Content-Type': ['text/html'] }, entity: 'sign in' };
    const gateway = await start([filter], guarded("${request.method == 'POST'}", { status: 200 }, page));
    await gateway.ask('/a');
    expect(await recorded(gateway)).toEqual({
      ...wentOn(),
      audited: { outcome: 'allowed', code: null, verdicts: ['refused', 'allowed'] },
    });
  });

  it('by a ClientCredentialsOAuth2ClientFilter that sends it with another token', async () => {
    const { url } = await startTokenEndpoint((count) => ({
      ...{ access_token: `token-${count}`, token_type: 'Bearer', expires_in: 600 },
    }));
    const filter = {
      type: 'ClientCredentialsOAuth2ClientFilter',
      config: { tokenEndpoint: url, endpointHandler: 'ClientHandler' },
    };
    const condition = "${request.headers['Authorization'][0] != 'Bearer token-0'}";
    const gateway = await start([filter], guarded(condition, { status: 200 }, { status: 401 }));
    await gateway.ask('/a');
    expect(await recorded(gateway)).toEqual({
      ...wentOn(),
      audited: { outcome: 'allowed', code: null, verdicts: ['refused', 'allowed'] },
    });
  });
});

describe('a refused request stays refused', () => {
  it('where the last handler of a SequenceHandler refuses it', async () => {
    const gateway = await start([], inSequence(stated({ status: 200 }), guarded('${false}', { status: 200 })));
    await gateway.ask('/a');
    expect(await recorded(gateway)).toEqual(refused(403));
  });

  it('where a postcondition keeps it from the next handler', async () => {
    const first = { handler: guarded('${false}', { status: 200 }), postcondition: '${response.status.code == 200}' };
    const bindings = [first, { handler: stated({ status: 200 }) }];
    const gateway = await start([], { type: 'SequenceHandler', config: { bindings } });
    await gateway.ask('/a');
    expect(await recorded(gateway)).toEqual(refused(403));
  });

  it('where a failureHandler answers with 200', async () => {
    const gateway = await start([], guarded('${false}', { status: 200 }, { status: 200 }));
    await gateway.ask('/a');
    expect(await recorded(gateway)).toEqual(refused(200));
  });

  it('where a SwitchFilter replaces the response by one with 200', async () => {
    const filter = { type: 'SwitchFilter', config: { onResponse: [{ handler: stated({ status: 200 }) }] } };
    const gateway = await start([filter], guarded('${false}', { status: 200 }));
    await gateway.ask('/a');
    expect(await recorded(gateway)).toEqual(refused(200));
  });
});
