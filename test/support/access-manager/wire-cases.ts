import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { ENDLESS } from './am-policies.ts';
import {
  amFetch,
  amPost,
  logIn,
  logInAgent,
  TOKEN_HEADER,
  version,
  type WireAnswer,
  WireListener,
  type WirePolicy,
  type WireTarget,
} from './wire-target.ts';

/** One fact about an access manager on the wire. */
export interface WireCase {
  readonly title: string;
  run(target: WireTarget): Promise<void>;
}

/** Milliseconds after which an event is taken for lost. */
const EVENT_PATIENCE = 2000;

/** Policies that the cases are about. */
export const APP_POLICY: WirePolicy = {
  name: 'app',
  resource: 'http://app.test:80/app/*',
  actions: { GET: true, POST: false },
  attributes: { role: ['gold', 'x'] },
};
export const STRONG_POLICY: WirePolicy = {
  name: 'strong',
  resource: 'http://app.test:80/strong/*',
  actions: { GET: true },
  authLevel: 5,
};

function evaluate(target: WireTarget, token: string | null, body: object, resource = '2.0'): Promise<WireAnswer> {
  const headers = token === null ? {} : { [TOKEN_HEADER]: token };
  return amPost(target, '/json/policies?_action=evaluate', { ...version(resource), ...headers }, body);
}

/** Evaluates as the agent, for the user. */
async function evaluated(target: WireTarget, body: object): Promise<WireAnswer> {
  const ssoToken = await logIn(target, target.user);
  return evaluate(target, await logInAgent(target), { subject: { ssoToken }, ...body });
}

/** Facts about the double and about OpenAM 16.0.5. */
export const wireCases: readonly WireCase[] = [
  {
    title: 'a log-in answers with a token, a URL and the realm',
    async run(target) {
      const { username, password } = target.user;
      const headers = { 'X-OpenAM-Username': username, 'X-OpenAM-Password': password, ...version('2.0') };
      const { status, body } = await amPost(target, '/json/authenticate', headers);
      expect(status).toBe(200);
      expect(body).toEqual({ tokenId: expect.any(String), successUrl: expect.any(String), realm: '/' });
    },
  },
  {
    title: 'a log-in with a wrong password answers 401',
    async run(target) {
      const headers = { 'X-OpenAM-Username': target.user.username, 'X-OpenAM-Password': 'wrong', ...version('2.0') };
      expect(await amPost(target, '/json/authenticate', headers)).toEqual({
        status: 401,
        body: { code: 401, reason: 'Unauthorized', message: 'Authentication Failed' },
      });
    },
  },
  {
    title: 'a log-in without credentials answers with callbacks',
    async run(target) {
      const { status, body } = await amPost(target, '/json/authenticate', version('2.0'));
      expect(status).toBe(200);
      expect(body).toMatchObject({ authId: expect.any(String), callbacks: expect.any(Array) });
    },
  },
  {
    title: 'an agent logs in at the module Application only',
    async run(target) {
      await expect(logInAgent(target)).resolves.toEqual(expect.any(String));
      await expect(logIn(target, target.agent)).rejects.toThrow('401');
    },
  },
  {
    title: 'the cookie name is told to everybody',
    async run({ url }) {
      const response = await fetch(`${url}/json/serverinfo/*`);
      expect(await response.json()).toMatchObject({ cookieName: TOKEN_HEADER });
    },
  },
  {
    title: 'validate tells valid and invalid tokens apart with status 200',
    async run(target) {
      const token = encodeURIComponent(await logIn(target, target.user));
      const path = (of: string): string => `/json/sessions/${of}?_action=validate`;
      expect(await amPost(target, path(token), version('1.1'))).toEqual({
        status: 200,
        body: { valid: true, uid: target.user.username, realm: '/' },
      });
      expect(await amPost(target, path('unknown'), version('1.1'))).toEqual({ status: 200, body: { valid: false } });
    },
  },
  {
    title: 'validate without a version answers 501',
    async run(target) {
      const token = encodeURIComponent(await logIn(target, target.user));
      expect((await amPost(target, `/json/sessions/${token}?_action=validate`)).status).toBe(501);
    },
  },
  {
    title: 'getSessionInfo tells who has a session and until when',
    async run(target) {
      const token = await logIn(target, target.user);
      const headers = { ...version('2.0'), [TOKEN_HEADER]: token };
      const { status, body } = await amPost(target, '/json/sessions?_action=getSessionInfo', headers);
      expect(status).toBe(200);
      expect(body).toEqual({
        username: target.user.username,
        universalId: expect.stringMatching(`^id=${target.user.username},ou=user,`),
        realm: '/',
        sessionHandle: expect.stringMatching(/^shandle:/),
        latestAccessTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        maxIdleExpirationTime: expect.any(String),
        maxSessionExpirationTime: expect.any(String),
      });
    },
  },
  {
    title: 'getSessionInfo counts as a use of the session',
    async run(target) {
      const headers = { ...version('2.0'), [TOKEN_HEADER]: await logIn(target, target.user) };
      const lastUse = async (): Promise<unknown> => {
        const { body } = await amPost(target, '/json/sessions?_action=getSessionInfo', headers);
        return (body as { readonly latestAccessTime: unknown }).latestAccessTime;
      };
      const first = await lastUse();
      await expect.poll(lastUse, { timeout: 20_000 }).not.toBe(first);
    },
  },
  {
    title: 'getSessionInfo and getSessionProperties of others are forbidden to an agent',
    async run(target) {
      const token = encodeURIComponent(await logIn(target, target.user));
      const headers = { ...version('2.0'), [TOKEN_HEADER]: await logInAgent(target) };
      for (const action of ['getSessionInfo', 'getSessionProperties', 'refresh']) {
        const path = `/json/sessions?_action=${action}&tokenId=${token}`;
        expect(await amPost(target, path, headers)).toEqual({
          status: 403,
          body: { code: 403, reason: 'Forbidden', message: 'Forbidden' },
        });
      }
    },
  },
  {
    title: 'getSessionInfo of a token that is not valid answers 401',
    async run(target) {
      const headers = { ...version('2.0'), [TOKEN_HEADER]: 'unknown' };
      expect((await amPost(target, '/json/sessions?_action=getSessionInfo', headers)).status).toBe(401);
    },
  },
  {
    title: 'getSessionInfo has version 2.0 only',
    async run(target) {
      const token = await logIn(target, target.user);
      for (const [resource, status] of [
        ['1.1', 501],
        ['2.1', 404],
        ['4.0', 404],
      ] as const) {
        const headers = { ...version(resource), [TOKEN_HEADER]: token };
        expect((await amPost(target, '/json/sessions?_action=getSessionInfo', headers)).status).toBe(status);
      }
    },
  },
  {
    title: 'an agent logs out the session of a user, once',
    async run(target) {
      const token = encodeURIComponent(await logIn(target, target.user));
      const headers = { ...version('2.0'), [TOKEN_HEADER]: await logInAgent(target) };
      const logout = (): Promise<WireAnswer> =>
        amPost(target, `/json/sessions?_action=logout&tokenId=${token}`, headers);
      expect((await logout()).body).toEqual({ result: 'Successfully logged out' });
      expect((await logout()).body).toEqual({ result: 'Token has expired' });
    },
  },
  {
    title: 'the version is told to agents only',
    async run(target) {
      const url = `${target.url}/json/serverinfo/version`;
      expect((await amFetch(url)).status).toBe(403);
      const { status, body } = await amFetch(url, { headers: { [TOKEN_HEADER]: await logInAgent(target) } });
      expect(status).toBe(200);
      expect(body).toMatchObject({ _id: 'version', version: '16.0.5' });
      const asUser = { headers: { [TOKEN_HEADER]: await logIn(target, target.user) } };
      expect((await amFetch(url, asUser)).status).toBe(403);
    },
  },
  {
    title: 'a profile is shown to its user and to nobody without a session',
    async run(target) {
      const { username } = target.user;
      const url = `${target.url}/json/users/${username}`;
      const own = await amFetch(url, { headers: { [TOKEN_HEADER]: await logIn(target, target.user) } });
      expect(own.body).toMatchObject({ _id: username, username, realm: '/', uid: [username] });
      expect((await amFetch(url)).status).toBe(401);
    },
  },
  {
    title: 'both shapes of URLs name a realm, and an unknown realm answers 404',
    async run({ url }) {
      expect((await amFetch(`${url}/json/realms/root/serverinfo/*`)).body).toMatchObject({ realm: '/' });
      expect((await amFetch(`${url}/json/realms/root/realms/none/serverinfo/*`)).status).toBe(404);
      expect((await amFetch(`${url}/json/none/serverinfo/*`)).status).toBe(404);
    },
  },
  {
    title: 'a session that logged out is not valid',
    async run(target) {
      const token = await logIn(target, target.user);
      const headers = { ...version('2.0'), [TOKEN_HEADER]: token };
      expect(await amPost(target, '/json/sessions?_action=logout', headers)).toEqual({
        status: 200,
        body: { result: 'Successfully logged out' },
      });
      const path = `/json/sessions/${encodeURIComponent(token)}?_action=validate`;
      expect((await amPost(target, path, version('1.1'))).body).toEqual({ valid: false });
    },
  },
  {
    title: 'a decision has actions, attributes and an endless ttl',
    async run(target) {
      await target.setPolicy(APP_POLICY);
      const { status, body } = await evaluated(target, { resources: ['http://app.test/app/a'] });
      expect(status).toBe(200);
      expect(body).toEqual([
        {
          resource: 'http://app.test/app/a',
          actions: { GET: true, POST: false },
          attributes: { role: expect.arrayContaining(['gold', 'x']) },
          advices: {},
          ttl: Number(ENDLESS),
        },
      ]);
    },
  },
  {
    title: 'a resource without a policy has no actions',
    async run(target) {
      const { status, body } = await evaluated(target, { resources: ['http://app.test/nothing'] });
      expect(status).toBe(200);
      expect(body).toMatchObject([{ resource: 'http://app.test/nothing', actions: {}, advices: {} }]);
    },
  },
  {
    title: 'a condition that fails gives an advice and no actions',
    async run(target) {
      await target.setPolicy(STRONG_POLICY);
      const { body } = await evaluated(target, { resources: ['http://app.test/strong/a'] });
      expect(body).toMatchObject([{ actions: {}, advices: { AuthLevelConditionAdvice: ['5'] } }]);
    },
  },
  {
    title: 'decisions of several resources are found by their resource',
    async run(target) {
      await target.setPolicy(APP_POLICY);
      const resources = ['http://app.test/app/a', 'http://app.test/app/b', 'http://app.test/nothing'];
      const { body } = await evaluated(target, { resources });
      const found = (body as readonly { readonly resource: string }[]).map(({ resource }) => resource);
      expect(found.toSorted()).toEqual(resources.toSorted());
    },
  },
  {
    title: 'version 1.0 of a decision has no ttl',
    async run(target) {
      const agent = await logInAgent(target);
      const { body } = await evaluate(target, agent, { resources: ['http://app.test/app/a'] }, '1.0');
      expect((body as readonly object[])[0]).not.toHaveProperty('ttl');
    },
  },
  {
    title: 'an unknown application answers 404',
    async run(target) {
      const { status, body } = await evaluated(target, { resources: ['http://app.test/app/a'], application: 'no' });
      expect({ status, body }).toEqual({
        status: 404,
        body: { code: 404, reason: 'Not Found', message: 'Unable to retrieve application under realm /.' },
      });
    },
  },
  {
    title: 'a subject that is not valid answers 400',
    async run(target) {
      const body = { resources: ['http://app.test/app/a'], subject: { ssoToken: 'unknown' } };
      expect(await evaluated(target, body)).toEqual({
        status: 400,
        body: { code: 400, reason: 'Bad Request', message: 'Invalid value subject' },
      });
    },
  },
  {
    title: 'an environment whose values are not lists answers 500',
    async run(target) {
      const body = { resources: ['http://app.test/app/a'], environment: { IP: '127.0.0.1' } };
      expect(await evaluated(target, body)).toEqual({ status: 500, body: null });
    },
  },
  {
    title: 'a request without resources answers 400',
    async run(target) {
      expect((await evaluated(target, { resources: [] })).status).toBe(400);
    },
  },
  {
    title: 'a caller without a session gets 401, and a user 403',
    async run(target) {
      const body = { resources: ['http://app.test/app/a'] };
      expect(await evaluate(target, null, body)).toEqual({
        status: 401,
        body: { code: 401, reason: 'Unauthorized', message: 'Access Denied' },
      });
      expect((await evaluate(target, await logIn(target, target.user), body)).status).toBe(403);
    },
  },
  {
    title: 'a version of decisions that does not exist answers 404',
    async run(target) {
      const body = { resources: ['http://app.test/app/a'] };
      expect(await evaluate(target, await logInAgent(target), body, '9.0')).toEqual({
        status: 404,
        body: { code: 404, reason: 'Not Found', message: 'Resource &#39;&#39; not found' },
      });
    },
  },
  {
    title: 'the notification service accepts the token of an agent in the header only',
    async run(target) {
      const agent = await logInAgent(target);
      expect(await WireListener.handshake(target, { [TOKEN_HEADER]: agent })).toBe(101);
      expect(await WireListener.handshake(target, {})).toBe(401);
      expect(await WireListener.handshake(target, { Cookie: `${TOKEN_HEADER}=${agent}` })).toBe(401);
      expect(await WireListener.handshake(target, { [TOKEN_HEADER]: await logIn(target, target.user) })).toBe(403);
    },
  },
  {
    title: 'the notification service confirms subscriptions and names errors',
    async run(target) {
      const listener = await WireListener.open(target, await logInAgent(target));
      expect(listener.socket.protocol).toBe('v1.notifications.forgerock.org');
      expect(await listener.subscribe('/agent/policy')).toEqual({
        topic: '/agent/policy',
        message: 'subscription registered',
      });
      listener.send({ action: 'subscribe' });
      const isError = (message: object): boolean => 'error' in message;
      expect(await listener.next(isError)).toEqual({ error: 'missing required field "topic"' });
      listener.send('{');
      expect(await listener.next(isError)).toEqual({ error: 'Failed to parse json' });
    },
  },
  {
    title: 'an event tells of a changed policy',
    async run(target) {
      await target.setPolicy(APP_POLICY);
      const listener = await WireListener.open(target, await logInAgent(target));
      await listener.subscribe('/agent/policy');
      await target.setPolicy({ ...APP_POLICY, actions: { GET: false } });
      const isUpdate = ({ body }: { readonly body?: { readonly eventType?: string } }): boolean =>
        body?.eventType === 'UPDATE';
      expect(await listener.next(isUpdate)).toMatchObject({
        topic: '/agent/policy',
        timestamp: expect.anything(),
        body: { realm: '/', policy: 'app', policySet: 'iPlanetAMWebAgentService', eventType: 'UPDATE' },
      });
      await target.setPolicy(APP_POLICY);
    },
  },
  {
    title: 'a decision that is asked for after the event of a changed policy is made by the new policy',
    async run(target) {
      await target.setPolicy(APP_POLICY);
      const agent = await logInAgent(target);
      const ssoToken = await logIn(target, target.user);
      const listener = await WireListener.open(target, agent);
      await listener.subscribe('/agent/policy');
      const isOf =
        (policy: string) =>
        ({ body }: { readonly body?: { readonly policy?: string } }): boolean =>
          body?.policy === policy;
      // OpenAM tells of changes some time after it has answered: events of earlier ones arrive before that of the fence.
      const fence = { ...APP_POLICY, name: `fence-${randomUUID()}`, resource: 'http://fence.test/*' };
      await target.setPolicy(fence);
      await listener.next(isOf(fence.name));
      listener.forget();
      const body = { resources: ['http://app.test/app/a'], subject: { ssoToken } };
      for (let change = 0; change < 10; change++) {
        const isAllowed = change % 2 === 1;
        const changed = target.setPolicy({ ...APP_POLICY, actions: { GET: isAllowed } });
        await listener.next(isOf(APP_POLICY.name));
        expect((await evaluate(target, agent, body)).body).toMatchObject([{ actions: { GET: isAllowed } }]);
        await changed;
      }
      await target.setPolicy(APP_POLICY);
    },
  },
  {
    title: 'an event tells of a logout',
    async run(target) {
      const listener = await WireListener.open(target, await logInAgent(target));
      await listener.subscribe('/agent/session');
      // OpenAM 16.0.5 loses session events that are less than 100 ms apart: each waits for the one before it.
      const isOf =
        (tokenId: string, eventType: string) =>
        ({ body }: { readonly body?: Readonly<Record<string, unknown>> }): boolean =>
          body?.['tokenId'] === tokenId && body['eventType'] === eventType;
      for (;;) {
        const tokenId = await logIn(target, target.user);
        await listener.nextWithin(EVENT_PATIENCE, isOf(tokenId, 'SESSION_CREATION'));
        await amPost(target, '/json/sessions?_action=logout', { ...version('2.0'), [TOKEN_HEADER]: tokenId });
        const event = await listener.nextWithin(EVENT_PATIENCE, isOf(tokenId, 'LOGOUT'));
        if (event === null) continue;
        expect(event).toEqual({
          topic: '/agent/session',
          timestamp: expect.any(String),
          body: { tokenId, eventType: 'LOGOUT' },
        });
        return;
      }
    },
  },
];
