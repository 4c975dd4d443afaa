import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import type { Exchange } from '../../../../dataplane/engine/message/exchange.ts';
import type { SessionPlace } from '../../../../dataplane/engine/message/session.ts';
import type { DirectCipher } from '../../../../dataplane/jose/direct-cipher.ts';
import type { SignedIn } from '../../../../dataplane/openid/client/signed-in.ts';
import { GroupRefreshes } from '../../../../dataplane/openid/lifetime/group-refreshes.ts';
import { Refreshes } from '../../../../dataplane/openid/lifetime/refreshes.ts';
import { LEASE } from '../../../../dataplane/openid/lifetime/shared-refreshes.ts';
import { SealedContents } from '../../../../dataplane/sessions/sealed-contents.ts';
import { SessionMemory } from '../../../../dataplane/sessions/session-memory.ts';
import { SessionTable } from '../../../../dataplane/sessions/session-table.ts';
import { buildObject } from '../../../support/gateways/built-object.ts';
import { plainExchange } from '../../../support/gateways/plain-exchange.ts';
import { CLIENT_ID, ISSUER, signedInUser } from '../../../support/identity/signed-in-user.ts';
import { startTokenEndpoint, type TokenEndpoint } from '../../../support/identity/token-endpoint.ts';
import { RefreshHub } from '../../../support/state/refresh-hub.ts';
import { randomCipher } from '../../../support/state/sealed-sessions.ts';

const MINUTES = 60_000;
const LIMITS = { sessions: 100, bytes: 1 << 20 };
const PLANES = 3;
/** Longer than a lease and the wait for a claim that nobody passes on. */
const patience = { timeout: 60_000, interval: 20 };

/** A provider that accepts each refresh token once, and refuses everything after a second use. */
function oneTime(lifetime: number) {
  const used = new Set<string>();
  return async (requests: TokenEndpoint['requests']): Promise<object> => {
    const token = requests.at(-1)!.form.get('refresh_token')!;
    if (used.has(token)) return { error: 'invalid_grant' };
    used.add(token);
    const count = used.size;
    return {
      ...{ access_token: `access-${count}`, token_type: 'Bearer' },
      ...{ expires_in: lifetime, refresh_token: `refresh-${count}` },
    };
  };
}

type Answer = (requests: TokenEndpoint['requests']) => Promise<object>;

/** A place whose sessions all planes with these keys can open. */
function placeOf(ciphers: readonly DirectCipher[]): SessionPlace {
  const sealer = new SealedContents({ realm: '', cookieName: 's', method: 'A256GCM', ciphers: () => ciphers });
  return {
    ...{ cookieName: 's', configuredName: 's', cookieScope: { path: '/', secure: false, sameSite: 'LAX' } },
    seal: (...parts) => sealer.seal(...parts),
    unseal: (...parts) => sealer.unseal(...parts),
    begin: () => {
      throw new Error('nobody begins a session here');
    },
  };
}

/** Planes of one group with two units each, on a memory of their own. */
async function setting(answer: Answer = oneTime(300)) {
  const endpoint: TokenEndpoint = await startTokenEndpoint(async (_, response) => {
    const said = await answer(endpoint.requests);
    if ('error' in said) response.statusCode = 400;
    return said;
  });
  const { object: registration } = buildObject('clientRegistration', 'ClientRegistration', {
    clientId: CLIENT_ID,
    issuer: {
      type: 'Issuer',
      config: { issuer: ISSUER, authorizeEndpoint: `${ISSUER}/authorize`, tokenEndpoint: endpoint.url },
    },
  });
  const hub = new RefreshHub();
  const ciphers = [randomCipher()];
  const place = placeOf(ciphers);
  const log = pino({ enabled: false });
  const planes = Array.from({ length: PLANES }, () => {
    const memory = new SharedArrayBuffer(SessionMemory.bytes(LIMITS));
    const exchange = hub.member();
    return [0, 1].map((unit) => {
      const table = new SessionTable(memory, LIMITS, { idle: 3 * MINUTES, absolute: 3 * MINUTES });
      // of the units of a plane, one hears what others say
      const hears = unit === 0 ? exchange : { ...exchange, hear: () => () => {} };
      const group = new GroupRefreshes({ exchange: hears, table: () => table, realm: '', now: Date.now });
      return new Refreshes({ table: () => table, log, group, post: (one, at, form) => one.post(at, form, null) });
    });
  });
  const refresh = async (unit: Refreshes, user: SignedIn, own: SessionPlace = place): Promise<SignedIn | null> => {
    const exchange: Exchange = plainExchange();
    exchange.sessionPlace = own;
    return unit.refreshed(user, registration, exchange);
  };
  const all = (user: SignedIn): Promise<(SignedIn | null)[]> =>
    Promise.all(planes.flat().flatMap((unit) => [refresh(unit, user), refresh(unit, user)]));
  return { endpoint, hub, planes, refresh, all };
}

function expired(): SignedIn {
  return signedInUser({ since: Date.now() - 5 * MINUTES, expiresAt: Date.now() - 1000 });
}

const tokens = (signedIn: SignedIn | null): string | null =>
  signedIn && `${signedIn.accessToken} ${signedIn.refreshToken}`;

describe('GroupRefreshes', () => {
  it('has one of three data planes send a refresh token, and gives its answer to requests at all of them', async () => {
    const { endpoint, all } = await setting();
    const found = await all(expired());
    expect([...new Set(found.map(tokens))]).toEqual(['access-1 refresh-1']);
    expect(endpoint.requests).toHaveLength(1);
  });

  it('gives a late request with the former refresh token the tokens that another data plane got', async () => {
    const { endpoint, planes, refresh } = await setting();
    const user = expired();
    expect(tokens(await refresh(planes[0]![1]!, user))).toBe('access-1 refresh-1');
    expect(tokens(await refresh(planes[2]![1]!, user))).toBe('access-1 refresh-1');
    expect(endpoint.requests).toHaveLength(1);
  });

  it('follows several refreshes that other data planes made', async () => {
    const { endpoint, planes, refresh } = await setting(oneTime(1));
    const first = expired();
    let user = first;
    for (const plane of planes) {
      user = { ...(await refresh(plane[0]!, user))!, expiresAt: Date.now() - 1000 };
      await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(user.expiresAt! + 1000), patience);
    }
    expect(endpoint.requests.map(({ form }) => form.get('refresh_token'))).toEqual([
      'refresh-0',
      'refresh-1',
      'refresh-2',
    ]);
    const late = await refresh(planes[0]![1]!, first);
    expect(late).not.toBeNull();
    expect(new Set(endpoint.requests.map(({ form }) => form.get('refresh_token'))).size).toBe(endpoint.requests.length);
  });

  it('tells data planes that wait when the provider rejects the refresh token', async () => {
    const { endpoint, all } = await setting(async () => ({ error: 'invalid_grant' }));
    expect(await all(expired())).toEqual(Array.from({ length: 4 * PLANES }, () => null));
    expect(endpoint.requests).toHaveLength(1);
  });

  it('renews a refresh token that the provider does not replace again once its access token has expired', async () => {
    let count = 0;
    const { endpoint, planes, refresh } = await setting(async () => ({
      ...{ access_token: `access-${++count}`, token_type: 'Bearer', expires_in: 1 },
    }));
    const user = expired();
    expect((await refresh(planes[0]![0]!, user))?.accessToken).toBe('access-1');
    const over = Date.now() + 1000;
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(over), patience);
    expect((await refresh(planes[1]![0]!, user))?.accessToken).toBe('access-2');
    expect(endpoint.requests).toHaveLength(2);
  });

  it('asks at once where no other data plane can be told', async () => {
    const { endpoint, hub, planes, refresh } = await setting();
    hub.isAway = true;
    expect(tokens(await refresh(planes[0]![0]!, expired()))).toBe('access-1 refresh-1');
    expect([endpoint.requests.length, hub.told]).toEqual([1, []]);
  });

  it('asks after a while where nobody passes its claim on', async () => {
    const { hub, planes, refresh } = await setting();
    hub.isLost = true;
    expect(tokens(await refresh(planes[0]![0]!, expired()))).toBe('access-1 refresh-1');
  });

  it('asks itself once the lease of a data plane whose claim came first is over', async () => {
    const { hub, planes, refresh, endpoint } = await setting();
    hub.ahead = (news) => (hub.told.length === 0 ? { ...news, claim: 1 } : null);
    const began = Date.now();
    expect(tokens(await refresh(planes[1]![0]!, expired()))).toBe('access-1 refresh-1');
    expect(Date.now() - began).toBeGreaterThanOrEqual(LEASE - 1);
    expect(endpoint.requests).toHaveLength(1);
  });

  it('says nothing of tokens in clear text', async () => {
    const { hub, all } = await setting();
    await all(expired());
    expect(hub.told.some(({ sealed }) => sealed !== undefined)).toBe(true);
    expect(JSON.stringify(hub.told)).not.toMatch(/access-|refresh-/);
  });

  it('has the user sign in again at a data plane that does not share the keys of the session', async () => {
    const { planes, refresh } = await setting();
    const user = expired();
    expect(await refresh(planes[0]![0]!, user)).not.toBeNull();
    expect(await refresh(planes[1]![0]!, user, placeOf([randomCipher()]))).toBeNull();
  });
});
