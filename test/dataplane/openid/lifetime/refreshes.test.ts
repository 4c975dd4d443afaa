import type { ServerResponse } from 'node:http';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { ClientRegistration } from '../../../../dataplane/heap/objects/openid-client.ts';
import type { SignedIn } from '../../../../dataplane/openid/client/signed-in.ts';
import { ProviderUnavailable, Refreshes } from '../../../../dataplane/openid/lifetime/refreshes.ts';
import { SessionMemory } from '../../../../dataplane/sessions/session-memory.ts';
import { SessionTable } from '../../../../dataplane/sessions/session-table.ts';
import { buildObject } from '../../../support/gateways/built-object.ts';
import { keyFolder } from '../../../support/identity/key-folder.ts';
import { CLIENT_ID, ISSUER, ProviderKey, signedInUser } from '../../../support/identity/signed-in-user.ts';
import { startTokenEndpoint, type TokenEndpoint } from '../../../support/identity/token-endpoint.ts';

type Answer = (count: number, response: ServerResponse) => object | null | Promise<object | null>;

const MINUTES = 60_000;
const key = new ProviderKey();

interface Setting {
  readonly endpoint: TokenEndpoint;
  readonly registration: ClientRegistration;
  readonly clock: { now: number };
  readonly logged: Record<string, unknown>[];
  /** As many units as are wanted, on one memory. */
  unit(): Refreshes;
  /** What a unit makes of a session. */
  refresh(signedIn: SignedIn, unit?: Refreshes): Promise<SignedIn | null>;
}

async function setting(answer: Answer, limits = { sessions: 100, bytes: 1 << 20 }): Promise<Setting> {
  const endpoint = await startTokenEndpoint(answer);
  const { object: registration } = buildObject('clientRegistration', 'ClientRegistration', {
    clientId: CLIENT_ID,
    issuer: {
      type: 'Issuer',
      config: { issuer: ISSUER, authorizeEndpoint: `${ISSUER}/authorize`, tokenEndpoint: endpoint.url },
    },
    idTokenVerificationSecretId: 'verify',
    secretsProvider: keyFolder({ verify: key.halves.other.key }),
  });
  const clock = { now: Date.now() };
  const now = (): number => clock.now;
  const memory = new SharedArrayBuffer(SessionMemory.bytes(limits));
  const logged: Record<string, unknown>[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => logged.push(JSON.parse(line)) });
  const unit = (): Refreshes => {
    const table = new SessionTable(memory, limits, { idle: 3 * MINUTES, absolute: 3 * MINUTES }, now);
    return new Refreshes({ table: () => table, log, now });
  };
  const first = unit();
  return {
    endpoint,
    registration,
    clock,
    logged,
    unit,
    refresh: async (signedIn, one = first) => one.refreshed(signedIn, registration, null),
  };
}

/** Answer n issues access-(n+1) and refresh-(n+1). */
const rotating: Answer = (count) => ({
  access_token: `access-${count + 1}`,
  token_type: 'Bearer',
  expires_in: 300,
  refresh_token: `refresh-${count + 1}`,
});

/** A user whose access token expired a second ago. */
function expired(clock: { readonly now: number }, changes: Partial<SignedIn> = {}): SignedIn {
  return signedInUser({ since: clock.now - 5 * MINUTES, expiresAt: clock.now - 1000, ...changes });
}

const endpointError =
  (status: number, error: string): Answer =>
  (_, response) => {
    response.statusCode = status;
    return { error };
  };

function cut(response: ServerResponse): null {
  response.destroy();
  return null;
}

function html(response: ServerResponse): null {
  response.end('<html>');
  return null;
}

const tokens = (signedIn: SignedIn | null): unknown => signedIn && [signedIn.accessToken, signedIn.refreshToken];

describe('Refreshes', () => {
  it('returns the same user while the access token is fresh or its lifetime unknown', async () => {
    const { endpoint, refresh, clock } = await setting(rotating);
    const fresh = signedInUser({ since: clock.now, expiresAt: clock.now + 5 * MINUTES });
    expect(await refresh(fresh)).toBe(fresh);
    const endless = signedInUser({ expiresAt: null });
    expect(await refresh(endless)).toBe(endless);
    expect(endpoint.requests).toEqual([]);
  });

  it('renews a token ten seconds before it expires, with the refresh token', async () => {
    const { endpoint, refresh, clock } = await setting(rotating);
    const due = signedInUser({ since: clock.now - 5 * MINUTES, expiresAt: clock.now + 10_001 });
    expect(await refresh(due)).toBe(due);
    clock.now += 1;
    expect(await refresh(due)).toEqual({
      ...due,
      accessToken: 'access-1',
      refreshToken: 'refresh-1',
      expiresAt: clock.now + 300_000,
    });
    const forms = endpoint.requests.map(({ form }) => form.toString());
    expect(forms).toEqual([`grant_type=refresh_token&refresh_token=refresh-0&client_id=${CLIENT_ID}`]);
  });

  it('keeps the refresh token that the provider does not replace, and renews with it again', async () => {
    const { endpoint, refresh, clock } = await setting((count) => ({
      access_token: `access-${count + 1}`,
      token_type: 'bearer',
      expires_in: 60,
      scope: 'openid email',
    }));
    const first = await refresh(expired(clock));
    expect([tokens(first), first?.scope]).toEqual([['access-1', 'refresh-0'], 'openid email']);
    clock.now += 61_000;
    expect(tokens(await refresh(first!))).toEqual(['access-2', 'refresh-0']);
    expect(endpoint.requests).toHaveLength(2);
  });

  it('sends one request for ten parallel requests at each of two units', async () => {
    const { endpoint, refresh, clock, unit } = await setting(rotating);
    const units = [unit(), unit()];
    const user = expired(clock);
    const all = await Promise.all(units.flatMap((one) => Array.from({ length: 10 }, () => refresh(user, one))));
    expect([...new Set(all.map((one) => JSON.stringify(tokens(one))))]).toEqual(['["access-1","refresh-1"]']);
    expect(endpoint.requests).toHaveLength(1);
  });

  it('gives a late request with the former refresh token the same result, also at another unit', async () => {
    const { endpoint, refresh, clock, unit } = await setting(rotating);
    const old = expired(clock);
    await refresh(old); // and its cookie never reaches the client
    clock.now += 2 * MINUTES;
    expect(tokens(await refresh(old, unit()))).toEqual(['access-1', 'refresh-1']);
    expect(endpoint.requests).toHaveLength(1);
  });

  it('follows a former refresh token to the newest one, and renews with that', async () => {
    const { endpoint, refresh, clock, unit } = await setting((count) => ({
      ...rotating(count, null as never),
      expires_in: 60,
    }));
    const old = expired(clock);
    const first = await refresh(old);
    clock.now += 61_000;
    await refresh(first!, unit());
    expect(tokens(await refresh(old, unit()))).toEqual(['access-2', 'refresh-2']);
    clock.now += 61_000;
    expect(tokens(await refresh(old, unit()))).toEqual(['access-3', 'refresh-3']);
    const sent = endpoint.requests.map(({ form }) => form.get('refresh_token'));
    expect(sent).toEqual(['refresh-0', 'refresh-1', 'refresh-2']);
  });

  it('does not renew a short-lived token with every request', async () => {
    const { endpoint, refresh, clock, unit } = await setting((count) => ({
      ...rotating(count, null as never),
      expires_in: 8,
    }));
    const user = await refresh(expired(clock));
    clock.now += 5000;
    expect(tokens(await refresh(user!, unit()))).toEqual(['access-1', 'refresh-1']);
    expect(endpoint.requests).toHaveLength(1);
    clock.now += 2000;
    expect(tokens(await refresh(user!, unit()))).toEqual(['access-2', 'refresh-2']);
  });

  it.each([
    [400, 'invalid_grant'],
    [400, 'invalid_scope'],
    [403, 'access_denied'],
  ])('has the user sign in again after %d %s, and asks no second time', async (status, error) => {
    const { endpoint, refresh, clock, logged } = await setting(endpointError(status, error));
    expect(await refresh(expired(clock))).toBeNull();
    expect(await refresh(expired(clock))).toBeNull();
    expect(endpoint.requests).toHaveLength(1);
    expect(logged).toMatchObject([{ msg: 'refresh token rejected; the user has to sign in again', level: 30 }]);
  });

  it('uses an access token that is still valid after the refresh token was rejected', async () => {
    const { refresh, clock } = await setting(endpointError(400, 'invalid_grant'));
    const due = signedInUser({ since: clock.now - 5 * MINUTES, expiresAt: clock.now + 5000 });
    expect(await refresh(due)).toBe(due);
    clock.now += 5000;
    expect(await refresh(due)).toBeNull();
  });

  it.each<[string, Answer]>([
    ['503', endpointError(503, 'temporarily_unavailable')],
    ['500 with invalid_grant', endpointError(500, 'invalid_grant')],
    ['401 invalid_client', endpointError(401, 'invalid_client')],
    ['429', endpointError(429, 'slow_down')],
    ['nothing', (_, response) => cut(response)],
    ['HTML', (_, response) => html(response)],
    ['no access token', () => ({ token_type: 'Bearer' })],
    ['an access token that breaks a header', () => ({ access_token: 'a\r\nb', token_type: 'Bearer' })],
    ['another token type', () => ({ access_token: 'a', token_type: 'mac' })],
  ])('does not sign the user out when the provider answers %s', async (_, answer) => {
    let isWell = false;
    const { refresh, clock, logged, endpoint } = await setting((count, response) =>
      isWell ? rotating(count, response) : answer(count, response),
    );
    const due = signedInUser({ since: clock.now - 5 * MINUTES, expiresAt: clock.now + 5000 });
    expect(await refresh(due)).toBe(due);
    clock.now += 1000;
    expect(await refresh(due)).toBe(due);
    expect(endpoint.requests).toHaveLength(1);
    clock.now += 4000;
    await expect(refresh(due)).rejects.toThrow(ProviderUnavailable);
    isWell = true;
    clock.now += 2000;
    expect(tokens(await refresh(due))).toEqual(['access-3', 'refresh-3']);
    expect(logged[0]).toMatchObject({ msg: 'could not refresh an access token', registration: CLIENT_ID });
    expect(JSON.stringify(logged)).not.toMatch(/refresh-0|access-0/);
  });

  it('has a user without a refresh token sign in again once the access token has expired', async () => {
    const { refresh, clock } = await setting(rotating);
    const due = signedInUser({ refreshToken: null, since: clock.now - 5 * MINUTES, expiresAt: clock.now + 1000 });
    expect(await refresh(due)).toBe(due);
    clock.now += 1000;
    expect(await refresh(due)).toBeNull();
  });

  it('takes a new ID token over, and keeps the former one otherwise', async () => {
    const next = key.idToken({ jti: 'next' });
    let idToken: string | undefined = next;
    const { refresh, clock } = await setting((count, response) => ({
      ...rotating(count, response),
      id_token: idToken,
    }));
    const user = await refresh(expired(clock, { idToken: key.idToken({ nonce: 'n' }) }));
    expect(user?.idToken).toBe(next);
    idToken = undefined;
    clock.now += 300_000;
    expect((await refresh(user!))?.idToken).toBe(next);
  });

  it.each<[string, (former: ProviderKey) => string]>([
    ['of another user', () => key.idToken({ sub: 'mallory' })],
    ['of another issuer', () => key.idToken({ iss: 'https://other.test' })],
    ['for another client', () => key.idToken({ aud: 'other' })],
    ['for several clients, authorized for another', () => key.idToken({ aud: [CLIENT_ID, 'other'], azp: 'other' })],
    ['of another sign-in', () => key.idToken({ nonce: 'other' })],
    ['that has expired', () => key.idToken({ exp: 1 })],
    ['without iat', () => key.idToken({ iat: undefined })],
    ['signed with another key', () => new ProviderKey().idToken()],
    ['without a signature', () => `${key.idToken().split('.').slice(0, 2).join('.')}.`],
  ])('rejects tokens that come with an ID token %s', async (_, make) => {
    const { refresh, clock, logged } = await setting((count, response) => ({
      ...rotating(count, response),
      id_token: make(key),
    }));
    expect(await refresh(expired(clock, { idToken: key.idToken({ nonce: 'n' }) }))).toBeNull();
    expect(logged).toMatchObject([{ reason: expect.stringMatching(/ID token/) }]);
  });

  it('renews without sharing, and says so, when there is no room', async () => {
    const { refresh, clock, logged, endpoint } = await setting(rotating, { sessions: 1, bytes: 4096 });
    expect(tokens(await refresh(expired(clock)))).toEqual(['access-1', 'refresh-1']);
    expect(tokens(await refresh(expired(clock, { refreshToken: 'other' })))).toEqual(['access-2', 'refresh-2']);
    expect(endpoint.requests).toHaveLength(2);
    expect(logged).toMatchObject([{ msg: 'no room to share refreshed tokens; units refresh them separately' }]);
  });

  it('does not ask with a used refresh token when the result is too large to share', async () => {
    const { refresh, clock, unit, endpoint, logged } = await setting(
      (count) => ({ ...rotating(count, null as never), access_token: 'a'.repeat(4000) }),
      { sessions: 10, bytes: 2048 },
    );
    expect((await refresh(expired(clock)))?.refreshToken).toBe('refresh-1');
    expect(await refresh(expired(clock), unit())).toBeNull();
    expect(endpoint.requests).toHaveLength(1);
    expect(logged[0]).toMatchObject({ msg: 'no room to share refreshed tokens; units refresh them separately' });
  });

  it('does not keep a request with a valid token waiting for a slow provider', async () => {
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { refresh, clock, unit } = await setting(async (count, response) => {
      await held;
      return rotating(count, response);
    });
    const due = signedInUser({ since: clock.now - 5 * MINUTES, expiresAt: clock.now + 9000 });
    const one = unit();
    expect(await refresh(due, one)).toBe(due);
    release();
    await expect.poll(async () => tokens(await refresh(due, one))).toEqual(['access-1', 'refresh-1']);
  });
});
