import { describe, expect, it } from 'vitest';
import { CookieJar } from '../../support/clients/cookie-jar.ts';
import { sessionRoute, startSessions } from '../../support/state/session-gateway.ts';

const GROOVY = 'application/x-groovy';
const JAVASCRIPT = 'application/javascript';
const session = { type: 'InMemorySessionManager' };

/** Scripts that count requests in the session, by the way in which they find it. */
const counting: [type: string, way: string, source: string][] = [
  [GROOVY, 'the variable', 'session.n = (session.n ?: 0) + 1; session.n'],
  [GROOVY, 'a name that is made', "def s = binding.getVariable('ses' + 'sion'); s.n = (s.n ?: 0) + 1; s.n"],
  [GROOVY, 'its context', "def s = contexts['ses' + 'sion'].session; s.n = (s.n ?: 0) + 1; s.n"],
  [JAVASCRIPT, 'the variable', 'session.n = (session.n ?? 0) + 1; return session.n'],
  [JAVASCRIPT, 'an escaped name', '\\u0073ession.n = (\\u0073ession.n ?? 0) + 1; return \\u0073ession.n'],
  [JAVASCRIPT, 'its context', "const s = contexts['ses' + 'sion'].session; s.n = (s.n ?? 0) + 1; return s.n"],
  [
    JAVASCRIPT,
    'all contexts',
    "const { ['ses' + 'sion']: { session: s } } = contexts; s.n = (s.n ?? 0) + 1; return s.n",
  ],
];

const answering = (type: string, source: string) => {
  const whole =
    type === GROOVY
      ? `def count() { ${source} }; def r = new Response(Status.OK); r.entity = count() as String; r`
      : `const count = async () => { ${source} }; return new Response(200, { body: String(await count()) })`;
  return sessionRoute(session, [{ type: 'ScriptableFilter', config: { type, source: whole } }]);
};

describe('the session of a script', () => {
  it.each(counting)('in %s, found by %s, keeps values for the client', async (type, _way, source) => {
    const { visit } = await startSessions({ app: answering(type, source) });
    const jar = new CookieJar();
    const bodies = [await visit('/', jar), await visit('/', jar), await visit('/')].map(({ body }) => body);
    expect(bodies).toEqual(['1', '2', '1']);
  });

  it.each([
    [GROOVY, 'contexts.client.remoteAddress'],
    [JAVASCRIPT, 'return contexts.client.remoteAddress'],
  ])('in %s does not begin with a script that does not use it', async (type, source) => {
    const { visit } = await startSessions({ app: answering(type, source) });
    expect((await visit('/')).setCookies).toEqual([]);
  });
});
