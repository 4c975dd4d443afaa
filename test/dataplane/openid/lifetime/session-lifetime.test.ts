import { expect, it } from 'vitest';
import { z } from 'zod';
import type { EndedRecord } from '../../../../contract/channel.ts';
import { textResponse } from '../../../../dataplane/engine/message/response.ts';
import { defineHandler } from '../../../../dataplane/heap/definition.ts';
import { namedMemory } from '../../../../dataplane/heap/shared-memory.ts';
import { SessionLifetime } from '../../../../dataplane/openid/lifetime/session-lifetime.ts';
import { buildObject } from '../../../support/gateways/built-object.ts';
import { objectParts } from '../../../support/gateways/object-parts.ts';
import { plainExchange } from '../../../support/gateways/plain-exchange.ts';
import { startTenants } from '../../../support/gateways/tenant-gateway.ts';
import { CLIENT_ID, ISSUER, signedInUser } from '../../../support/identity/signed-in-user.ts';

const OPTIONS = { cacheExpiration: 0, revokesTokens: false, endsProviderSession: false, prover: null };
const CLAIMS = { iss: ISSUER, sub: 'alice', sid: 's1' };

function registration() {
  const config = { issuer: ISSUER, authorizeEndpoint: `${ISSUER}/authorize`, tokenEndpoint: `${ISSUER}/token` };
  const issuer = { type: 'Issuer', config };
  return buildObject('clientRegistration', 'ClientRegistration', { clientId: CLIENT_ID, issuer }).object;
}

it('the end of a session is announced to other data planes, until the filter is closed', async () => {
  const announced: EndedRecord[] = [];
  const { parts, close } = objectParts({}, { announce: (entries) => void announced.push(...entries) });
  const lifetime = new SessionLifetime(OPTIONS, parts);
  const client = registration();
  await lifetime.signOut(signedInUser(), CLAIMS, client, plainExchange(), null);
  lifetime.endNamed(signedInUser(), CLAIMS, client, { issuer: ISSUER, sid: 's1' });
  expect(announced).toHaveLength(2);
  expect(JSON.stringify(announced)).not.toMatch(/alice|s1"|op\.test/);
  await close();
  await lifetime.signOut(signedInUser(), CLAIMS, client, plainExchange(), null);
  expect(announced).toHaveLength(2);
});

it('a tenant ends no session of another tenant, although issuer, client and user are the same', () => {
  const sharedMemory = namedMemory();
  const [one, same, other] = ['a', 'a', 'b'].map(
    (realm) => new SessionLifetime(OPTIONS, { ...objectParts({}, { sharedMemory }).parts, realm }),
  );
  const client = registration();
  const user = signedInUser();
  expect(one!.endNamed(user, CLAIMS, client, { issuer: ISSUER, sid: 's1' })).toBe(true);
  expect([one, same, other].map((lifetime) => lifetime!.isEnded(user, CLAIMS, client))).toEqual([true, true, false]);
});

it('objects know the tenant whose route declares them', async () => {
  const teller = defineHandler({
    type: 'RealmHandler',
    summary: 'Answers with its realm.',
    config: z.strictObject({}),
    create:
      (_, { realm }) =>
      () =>
        textResponse(200, `realm '${realm}'`),
  });
  const document = (path: string) => ({
    condition: `\${request.uri.path == '/${path}'}`,
    handler: { type: 'RealmHandler', config: {} },
  });
  const gateway = await startTenants(
    { a: { tenant: 'a', document: document('a') }, own: { document: document('own') } },
    {
      types: [teller],
      trust: { tenants: [{ name: 'a', hosts: ['a.test'] }], egress: [], sharedObjects: [] },
    },
  );
  expect(gateway.problems).toEqual([]);
  expect((await gateway.get('/a', 'a.test')).body).toBe("realm 'a'");
  expect((await gateway.get('/own', 'own.test')).body).toBe("realm ''");
});
