import { expect, it } from 'vitest';
import { startAccessManager } from '../../../support/access-manager/access-manager.ts';
import { authLevel } from '../../../support/access-manager/am-policies.ts';
import { amDeclaration, startPolicyGateway } from '../../../support/access-manager/policy-gateway.ts';

/** A SingleSignOnFilter before the policies, of which one asks for a level of authentication. */
async function signedOn() {
  const am = await startAccessManager({
    policies: [
      { name: 'all', resources: ['http://gw.test/a*'], actions: { GET: true } },
      {
        name: 'strong',
        resources: ['http://gw.test/strong*', 'http://gw.test/strong*?*'],
        actions: { GET: true },
        condition: authLevel(5),
      },
    ],
  });
  const before = [{ type: 'SingleSignOnFilter', config: { amService: amDeclaration(am) } }];
  const config = { ssoTokenSubject: '${contexts.ssoToken.value}', cache: { enabled: true } };
  const gateway = await startPolicyGateway(am, config, { before });
  const session = am.sessions.create('demo');
  const askSigned = (target: string, headers: readonly string[] = []) =>
    gateway.ask(target, { headers: [`Cookie: ${am.cookieName}=${session.tokenId}`, ...headers] });
  return { am, gateway, session, askSigned };
}

it('lets users of a SingleSignOnFilter follow advices, and passes them when they have', async () => {
  const { am, gateway, session, askSigned } = await signedOn();
  expect((await askSigned('/a')).status).toBe(200);
  const advised = await askSigned('/strong?x=1');
  expect(advised.status).toBe(307);
  const url = new URL(advised.values('location')[0]!);
  expect(`${url.origin}${url.pathname}`).toBe(`${am.url}/`);
  expect(Object.fromEntries(url.searchParams)).toEqual({
    goto: 'http://gw.test/strong?x=1',
    realm: '/',
    authIndexType: 'composite_advice',
    authIndexValue: expect.stringContaining('<Attribute name="AuthLevelConditionAdvice"/><Value>5</Value>'),
  });
  const challenged = await askSigned('/strong', ['X-Authenticate-Response: header']);
  expect([challenged.status, challenged.values('location')]).toEqual([401, []]);
  expect(challenged.values('www-authenticate')[0]).toMatch(/^SSOADVICE /);
  expect(gateway.seen.map(({ url: target }) => target)).toEqual(['/a']);
  session.authLevel = 5;
  expect((await askSigned('/strong')).status).toBe(200);
});

it('is not reached by users without a session', async () => {
  const { gateway } = await signedOn();
  expect((await gateway.ask('/a')).status).toBe(302);
  expect(gateway.questions()).toEqual([]);
});
