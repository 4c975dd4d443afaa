import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { pathText } from '../../../../contract/problem.ts';
import { parseConfig } from '../../../../contract/vocabulary/parse-config.ts';
import type { AccessTokenResolver } from '../../../../dataplane/heap/objects/access-tokens.ts';
import { cacheAccessTokenResolver } from '../../../../dataplane/oauth2/cache/cache-access-token-resolver.ts';
import { documentReading } from '../../../../dataplane/routes/document-reading.ts';
import { TimerExecutor } from '../../../../dataplane/services/timer-executor.ts';
import { checkConfigured } from '../../../support/gateways/configured-gateway.ts';
import { objectParts } from '../../../support/gateways/object-parts.ts';
import { operatorReach } from '../../../support/gateways/operator-reach.ts';
import { plainExchange } from '../../../support/gateways/plain-exchange.ts';
import { startProtected } from '../../../support/identity/resource-server.ts';
import { goodToken, ScriptedResolver } from '../../../support/identity/scripted-resolver.ts';

function cached(resolver: AccessTokenResolver, config: JsonObject = {}): AccessTokenResolver {
  const executor = new TimerExecutor(() => {});
  const built = objectParts({ accessTokenResolver: resolver, executor });
  const reading = documentReading(operatorReach(), [], () => {});
  const { value } = parseConfig(cacheAccessTokenResolver.config, { delegate: 'd', ...config }, reading, []);
  onTestFinished(async () => {
    await built.close();
    await executor.close(0);
  });
  return cacheAccessTokenResolver.create(value!, built.parts);
}

const scripted = (): ScriptedResolver =>
  new ScriptedResolver({ t: async () => goodToken('t', { info: { sub: 'demo' } }), u: async () => goodToken('u') });

describe('a caching access token resolver', () => {
  it('validates a token once and then uses the cached result', async () => {
    const delegate = scripted();
    const resolver = cached(delegate);
    await resolver.resolve('t', plainExchange());
    expect(resolver.resolve('t', plainExchange())).toMatchObject({ kind: 'token', info: { sub: 'demo' } });
    expect(delegate.asked).toEqual(['t']);
  });

  it('validates a token each time when the cache is disabled', async () => {
    const delegate = scripted();
    const resolver = cached(delegate, { enabled: false });
    for (let i = 0; i < 3; i++) await resolver.resolve('t', plainExchange());
    expect(delegate.asked).toEqual(['t', 't', 't']);
  });

  it('caches at most the maximum number of tokens', async () => {
    const delegate = scripted();
    const resolver = cached(delegate, { maximumSize: 1 });
    for (const token of ['t', 'u', 't']) await resolver.resolve(token, plainExchange());
    expect(delegate.asked).toEqual(['t', 'u', 't']);
  });

  it('does not cache tokens without an expiry when defaultTimeout is zero', async () => {
    const delegate = scripted();
    const resolver = cached(delegate, { defaultTimeout: 'zero' });
    for (let i = 0; i < 2; i++) await resolver.resolve('t', plainExchange());
    expect(delegate.asked).toEqual(['t', 't']);
  });

  it('delegates confirmation for every request and returns the schemes of its delegate', async () => {
    const delegate = scripted();
    let confirmed = 0;
    const resolver = cached({
      resolve: delegate.resolve.bind(delegate),
      confirm: () => {
        confirmed++;
        return null;
      },
      schemes: ['DPoP'],
      challenges: [{ scheme: 'DPoP', parameters: [['algs', 'ES256']] }],
    });
    const { ask } = await startProtected(resolver, {}, { says: '${contexts.oauth2.accessToken.info.sub}' });
    for (let i = 0; i < 3; i++) expect((await ask('Authorization: DPoP t')).body).toBe('demo');
    expect([confirmed, delegate.asked.length]).toEqual([3, 1]);
    expect((await ask()).challenges[1]).toBe('DPoP algs="ES256"');
  });

  it('works behind a filter that caches tokens too', async () => {
    const delegate = scripted();
    const says = '${contexts.oauth2.accessToken.info.sub}';
    const { ask } = await startProtected(cached(delegate), { cache: { enabled: true } }, { says });
    for (let i = 0; i < 3; i++) expect((await ask('Authorization: Bearer t')).body).toBe('demo');
    expect(delegate.asked).toEqual(['t']);
  });
});

describe('a configuration', () => {
  it.each<[JsonObject, readonly RegExp[]]>([
    [{}, []],
    [{ maximumTimeToCache: '1 hour', defaultTimeout: '5 minutes', executor: 'ScheduledExecutorService' }, []],
    [{ maximumTimeToCache: 'zero' }, [/^duration maximumTimeToCache$/]],
    [{ maximumTimeToCache: 'unlimited' }, [/^duration maximumTimeToCache$/]],
    [{ maximumSize: 0 }, [/^value maximumSize$/]],
    [{ onNotificationDisconnection: 'NEVER_CLEAR' }, [/^no-effect onNotificationDisconnection$/]],
    [{ executor: 'ClientHandler' }, [/^kind executor$/]],
    [{ delegate: 'ClientHandler' }, [/^kind delegate$/]],
    [{ maxTimeout: '1 day' }, [/^unknown-field maxTimeout$/]],
  ])('with %j has the expected problems', (more, expected) => {
    const delegate = {
      type: 'TokenIntrospectionAccessTokenResolver',
      config: { endpoint: 'https://as.test/introspect', providerHandler: 'ClientHandler' },
    };
    const problems = checkConfigured({
      handler: { type: 'StaticResponseHandler', config: { status: 200 } },
      heap: [{ name: 'it', type: 'CacheAccessTokenResolver', config: { delegate, ...more } }],
    });
    const found = problems.map(({ code, path }) => `${code} ${pathText(path).replace('heap[0].config.', '')}`);
    expect(found).toEqual(expected.map((one) => expect.stringMatching(one)));
  });
});
