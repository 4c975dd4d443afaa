import { expect, it } from 'vitest';
import { startAccessManager } from '../../../support/access-manager/access-manager.ts';
import { amDeclaration } from '../../../support/access-manager/policy-gateway.ts';
import { startTenants, type TenantRoute } from '../../../support/gateways/tenant-gateway.ts';

const EVALUATE = 'POST /json/policies';
const TENANTS = ['shop', 'bank'].map((name) => ({ name, hosts: [`${name}.test`] }));

it('equal services of two tenants share neither log-in nor cache, and two routes of a tenant share the log-in', async () => {
  const am = await startAccessManager({ policies: [{ name: 'p', resources: ['*'], actions: { GET: true } }] });
  const amService = amDeclaration(am, { sessionCache: { enabled: true } });
  const route = (tenant: string, path: string): TenantRoute => ({
    tenant,
    document: {
      condition: `\${request.uri.path == '${path}'}`,
      handler: {
        type: 'Chain',
        config: {
          filters: [
            { type: 'SingleSignOnFilter', config: { amService } },
            {
              type: 'PolicyEnforcementFilter',
              config: { amService, ssoTokenSubject: '${contexts.ssoToken.value}', cache: { enabled: true } },
            },
          ],
          handler: { type: 'StaticResponseHandler', config: { status: 200 } },
        },
      },
    },
  });
  const { port } = new URL(am.url);
  const gateway = await startTenants(
    { one: route('shop', '/one'), two: route('shop', '/two'), three: route('bank', '/three') },
    { trust: { tenants: TENANTS, egress: [`127.0.0.1:${port}`] } },
  );
  expect(gateway.problems).toEqual([]);
  const { tokenId } = am.sessions.create('demo');
  const ask = async (tenant: string, path: string): Promise<number> => {
    const cookie = `${am.cookieName}=${tokenId}`;
    return (await gateway.send(`GET ${path} HTTP/1.1\r\nHost: ${tenant}.test\r\nCookie: ${cookie}\r\n`)).status;
  };
  const logIns = (): number => am.callsTo('authIndexValue=Application').length;
  expect([await ask('shop', '/one'), await ask('shop', '/one'), await ask('shop', '/two')]).toEqual([200, 200, 200]);
  expect(logIns()).toBe(1);
  const asked = am.callsTo(EVALUATE).length;
  expect(await ask('bank', '/three')).toBe(200);
  expect(logIns()).toBe(2);
  expect(am.callsTo(EVALUATE)).toHaveLength(asked + 1);
  const agents = new Set(am.callsTo(EVALUATE).map(({ headers }) => headers[am.cookieName.toLowerCase()]));
  expect(agents.size).toBe(2);
});
