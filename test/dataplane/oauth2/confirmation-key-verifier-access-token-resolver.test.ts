import { createHash, X509Certificate } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { Secret } from '../../../contract/secret.ts';
import { Response } from '../../../dataplane/engine/message/response.ts';
import type { AccessTokenResolver, TokenRefusal } from '../../../dataplane/heap/objects/access-tokens.ts';
import type { SecretsProvider } from '../../../dataplane/heap/objects/secrets.ts';
import { namedMemory, type TakeMemory } from '../../../dataplane/heap/shared-memory.ts';
import { confirmationKeyVerifierAccessTokenResolver } from '../../../dataplane/oauth2/confirmation-key-verifier-access-token-resolver.ts';
import { DpopNonces, ownNonceKeys } from '../../../dataplane/oauth2/dpop-nonces.ts';
import { ask } from '../../support/clients/answers.ts';
import { askSecurely } from '../../support/clients/secure-client.ts';
import { buildObjects } from '../../support/gateways/built-object.ts';
import { startFiltered } from '../../support/gateways/filtered-gateway.ts';
import { startGateway } from '../../support/gateways/gateway.ts';
import { objectParts } from '../../support/gateways/object-parts.ts';
import { startSecure } from '../../support/gateways/secure-gateway.ts';
import { startAuthorizationServer } from '../../support/identity/authorization-server.ts';
import { type Certified, certificateAuthority } from '../../support/identity/certificates.ts';
import { changingKeys, changingTrust } from '../../support/identity/changing-tls-secrets.ts';
import { DpopClient } from '../../support/identity/dpop-client.ts';
import { introspectingResolver } from '../../support/identity/introspecting-resolver.ts';
import { resolvingHandler, type Told } from '../../support/identity/resolving-handler.ts';
import { startProtected } from '../../support/identity/resource-server.ts';

const authority = certificateAuthority('everybody');
const TOKEN = 'the-token';

function thumbprintOf({ certificate }: Pick<Certified, 'certificate'>): string {
  return createHash('sha256').update(new X509Certificate(certificate).raw).digest('base64url');
}

/** The verifier in front of a resolver that takes every token for one with this `cnf`. */
function verifying(
  cnf: JsonValue | undefined,
  config: JsonObject = {},
  delegate: Partial<AccessTokenResolver> = {},
): AccessTokenResolver {
  const info = cnf === undefined ? {} : { cnf };
  const resolver: AccessTokenResolver = {
    resolve: (token) => ({ kind: 'token', token, info, scopes: new Set(), expiresAt: Number.POSITIVE_INFINITY }),
    ...delegate,
  };
  const { parts, close } = objectParts({ accessTokenResolver: resolver });
  onTestFinished(close);
  const read = confirmationKeyVerifierAccessTokenResolver.config.parse({ delegate: 'it', ...config });
  return confirmationKeyVerifierAccessTokenResolver.create(read, parts);
}

/** What is told to a client with these header lines. */
async function told(resolver: AccessTokenResolver, headers: readonly string[], target = '/'): Promise<Told> {
  const gateway = await startGateway({ handler: () => resolvingHandler(resolver) });
  onTestFinished(() => gateway.close());
  const lines = headers.map((line) => `${line}\r\n`).join('');
  const answer = await ask(gateway.port, `GET ${target} HTTP/1.1\r\nHost: gw.test\r\n${lines}`);
  return JSON.parse(answer.body) as Told;
}

describe('tokens that are bound to a certificate', () => {
  const own = authority.issue({ names: ['gateway.test'] });
  const [client, stranger] = [authority.issue({ client: true }), authority.issue({ client: true })];

  /** Asks over TLS with a client certificate, or without one. */
  async function toldSecurely(resolver: AccessTokenResolver, token: string, shown: Certified | null): Promise<Told> {
    const { port } = await startSecure({
      keys: [changingKeys(own).manager],
      trust: [changingTrust({ certificates: [authority.certificate] }).manager],
      clientAuth: 'REQUEST',
      handler: () => resolvingHandler(resolver),
    });
    const identity = shown === null ? {} : { key: shown.key, cert: shown.certificate };
    const { text } = await askSecurely(
      port,
      { ca: authority.certificate, ...identity },
      `Authorization: Bearer ${token}\r\n`,
    );
    return JSON.parse(text.slice(text.indexOf('\r\n\r\n'))) as Told;
  }

  it('of a real authorization server are accepted from the client with this certificate in the handshake', async () => {
    const server = await startAuthorizationServer();
    const config = { delegate: introspectingResolver(server) };
    const declared = [{ name: 'it', type: 'ConfirmationKeyVerifierAccessTokenResolver', config }];
    const resolver = buildObjects(declared).get('accessTokenResolver', 'it');
    const bound = await server.token({ certificate: client.certificate });
    expect(await toldSecurely(resolver, bound, client)).toMatchObject({
      kind: 'token',
      info: { cnf: { 'x5t#S256': thumbprintOf(client) } },
    });
    for (const shown of [stranger, null]) {
      expect(await toldSecurely(resolver, bound, shown)).toMatchObject({
        error: 'invalid_token',
        description: 'the token is bound to another certificate',
      });
    }
    expect(await toldSecurely(resolver, await server.token(), null)).toMatchObject({ kind: 'token' });
    expect(await toldSecurely(resolver, 'unknown', client)).toMatchObject({ description: 'the token is not active' });
  });

  it('of a real authorization server are accepted from the client whose certificate a proxy forwards', async () => {
    const server = await startAuthorizationServer();
    const accessTokenResolver = {
      type: 'ConfirmationKeyVerifierAccessTokenResolver',
      config: { delegate: introspectingResolver(server) },
    };
    const { ask: request } = await startFiltered([
      { type: 'CertificateThumbprintFilter', config: { certificate: "${request.headers['X-Cert'][0]}" } },
      { type: 'OAuth2ResourceServerFilter', config: { accessTokenResolver, scopes: ['read'], requireHttps: false } },
    ]);
    const bound = await server.token({ certificate: client.certificate });
    const status = async ({ certificate }: Certified): Promise<number> =>
      (
        await request('/', {
          headers: [`Authorization: Bearer ${bound}`, `X-Cert: ${encodeURIComponent(certificate)}`],
        })
      ).status;
    expect(await status(client)).toBe(200);
    expect(await status(stranger)).toBe(401);
  });

  it('use the thumbprint of the filter even if the connection has a certificate', async () => {
    const proxy = authority.issue({ client: true });
    const resolver = verifying({ 'x5t#S256': thumbprintOf(proxy) });
    expect(await toldSecurely(resolver, TOKEN, proxy)).toMatchObject({ kind: 'token' });
    const { get } = buildObjects([
      {
        name: 'it',
        type: 'CertificateThumbprintFilter',
        config: { certificate: encodeURIComponent(client.certificate) },
      },
    ]);
    const filter = get('filter', 'it');
    const behind: AccessTokenResolver = {
      resolve: (token, exchange) => resolver.resolve(token, exchange),
      async confirm(token, exchange) {
        let refusal: TokenRefusal | null = null;
        await filter(exchange, async (after) => {
          refusal = (await resolver.confirm?.(token, after)) ?? null;
          return new Response(200);
        });
        return refusal;
      },
    };
    expect(await toldSecurely(behind, TOKEN, proxy)).toMatchObject({ error: 'invalid_token' });
  });
});

describe('a confirmation that cannot be verified is rejected', () => {
  it.each<[JsonValue]>([
    [{}],
    [null],
    ['x5t#S256'],
    [[]],
    [{ 'x5t#S256': 7 }],
    [{ 'x5t#S256': null }],
    [{ 'x5t#S256': '' }],
    [{ jwk: {} }],
    [{ kid: 'x' }],
    [{ jkt: 'x' }],
    [{ 'x5t#S512': 'x' }],
  ])('such as %j', async (cnf) => {
    expect(await told(verifying(cnf), [`Authorization: Bearer ${TOKEN}`])).toMatchObject({ error: 'invalid_token' });
  });

  it('also beside one that can be verified', async () => {
    const client = new DpopClient();
    const proof = client.proof({ uri: 'http://gw.test/', token: TOKEN });
    const headers = [`Authorization: DPoP ${TOKEN}`, `DPoP: ${proof}`];
    const bound = { jkt: client.thumbprint };
    expect(await told(verifying({ ...bound, kid: 'x' }, { dpop: {} }), headers)).toMatchObject({
      description: 'the token is bound in a way that cannot be verified',
      cause: "cnf has 'kid'",
    });
    expect(await told(verifying({ ...bound, 'x5t#S256': 'x' }, { dpop: {} }), headers)).toMatchObject({
      description: 'the token is bound to another certificate',
    });
    expect(await told(verifying(bound, { dpop: {} }), headers)).toMatchObject({ kind: 'token' });
  });
});

it('accepts tokens without a confirmation', async () => {
  for (const config of [{}, { dpop: {} }, { dpop: { enabled: false } }]) {
    expect(await told(verifying(undefined, config), [`Authorization: Bearer ${TOKEN}`])).toMatchObject({
      kind: 'token',
    });
  }
});

it('validates with its delegate first, even if that takes time', async () => {
  const refusal: TokenRefusal = { kind: 'refusal', error: 'invalid_token', description: 'no', cause: null };
  const headers = [`Authorization: Bearer ${TOKEN}`];
  for (const answer of [refusal, Promise.resolve(refusal)]) {
    expect(await told(verifying(undefined, {}, { confirm: () => answer }), headers)).toMatchObject({
      description: 'no',
    });
  }
  const content = { 'x5t#S256': 'x' };
  for (const answer of [null, Promise.resolve(null)]) {
    expect(await told(verifying(content, {}, { confirm: () => answer }), headers)).toMatchObject({
      description: 'the token is bound to another certificate',
    });
  }
});

it('returns the schemes and challenges of its delegate and its own', () => {
  const delegate: Partial<AccessTokenResolver> = {
    schemes: ['Other'],
    challenges: [{ scheme: 'Other', parameters: [['x', 'y']] }],
  };
  expect(verifying({}, {}, delegate)).toMatchObject(delegate);
  expect(verifying({}, { dpop: { enabled: false } })).toMatchObject({ schemes: [], challenges: [] });
  expect(verifying({}, { dpop: {} }, delegate)).toMatchObject({
    schemes: ['Other', 'DPoP'],
    challenges: [
      ...delegate.challenges!,
      { scheme: 'DPoP', parameters: [['algs', expect.stringMatching(/^(?!.*HS).*\bES256\b/)]] },
    ],
  });
});

describe('tokens that are bound to a key', () => {
  it('of a real authorization server need a new proof for each request', async () => {
    const server = await startAuthorizationServer();
    const client = new DpopClient();
    const stranger = new DpopClient();
    const bound = await server.token({ proof: client.proof({ method: 'POST', uri: server.endpoints.token }) });
    const accessTokenResolver = {
      type: 'ConfirmationKeyVerifierAccessTokenResolver',
      config: { delegate: introspectingResolver(server), dpop: {} },
    };
    const cache = { enabled: true };
    const config = { accessTokenResolver, scopes: ['read'], requireHttps: false, cache };
    const { ask: request, seen } = await startFiltered([{ type: 'OAuth2ResourceServerFilter', config }]);
    const sent = (proofs: readonly string[], scheme = 'DPoP', token = bound) =>
      request('/orders?page=2', {
        headers: [`Authorization: ${scheme} ${token}`, ...proofs.map((proof) => `DPoP: ${proof}`)],
      });
    const uri = 'http://gw.test/orders';
    const fresh = (): string => client.proof({ uri, token: bound });

    const used = fresh();
    expect((await sent([used])).status).toBe(200);
    expect((await sent([fresh()], 'dpop')).status).toBe(200);
    expect((await sent([`${fresh()}`])).status).toBe(200);
    expect(seen).toHaveLength(3);
    expect(server.asked.filter((line) => line === 'POST /introspect')).toHaveLength(1);

    const refused = [
      await sent([used]),
      await sent([]),
      await sent([fresh(), fresh()]),
      await sent([`${fresh()}, ${fresh()}`]),
      await sent([fresh()], 'Bearer'),
      await sent([stranger.proof({ uri, token: bound })]),
      await sent([client.proof({ uri: 'http://gw.test/other', token: bound })]),
      await sent([client.proof({ uri, token: bound, method: 'POST' })]),
      await sent([client.proof({ uri, token: 'another' })]),
      await sent([client.proof({ uri, token: await server.token() })], 'DPoP', await server.token()),
    ];
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 401));
    expect(seen).toHaveLength(3);
    const errors = refused.map((answer) => /^(\w+) .*\berror="(\w+)"/.exec(answer.values('WWW-Authenticate')[0]!));
    expect(errors.map((found) => `${found?.[1]} ${found?.[2]}`)).toEqual([
      'DPoP invalid_dpop_proof', // used before
      'DPoP invalid_dpop_proof', // none
      'DPoP invalid_dpop_proof', // two
      'DPoP invalid_dpop_proof', // two in one line
      'Bearer invalid_token',
      'DPoP invalid_token', // another key: RFC 9449, figure 15
      'DPoP invalid_dpop_proof', // another URI
      'DPoP invalid_dpop_proof', // another method
      'DPoP invalid_dpop_proof', // another token
      'DPoP invalid_token', // not bound
    ]);
    for (const answer of refused) {
      const all = answer.values('WWW-Authenticate');
      expect(all.map((value) => value.split(' ')[0]).sort()).toEqual(['Bearer', 'DPoP']);
      expect(all.find((value) => value.startsWith('DPoP'))).toMatch(/\balgs="[^"]*ES256/);
    }
    expect((await sent([], 'Bearer', await server.token())).status).toBe(200);
  });

  describe('with a nonce', () => {
    const client = new DpopClient();
    const info = { cnf: { jkt: client.thumbprint } };

    /** A resource server that requires nonces; `ask` sends a new proof. */
    async function requiringNonces(nonce: JsonObject, others: Partial<Parameters<typeof objectParts>[0]> = {}) {
      const resolver: AccessTokenResolver = {
        resolve: (token) => ({
          kind: 'token',
          token,
          info,
          scopes: new Set(['read']),
          expiresAt: Number.POSITIVE_INFINITY,
        }),
      };
      const { parts, close } = objectParts({ accessTokenResolver: resolver, ...others });
      onTestFinished(close);
      const read = confirmationKeyVerifierAccessTokenResolver.config.parse({ delegate: 'it', dpop: { nonce } });
      const { ask: request } = await startProtected(confirmationKeyVerifierAccessTokenResolver.create(read, parts));
      return (claims: JsonObject) => {
        const proof = client.proof({ uri: 'http://gw.test/t', token: TOKEN, claims });
        return request(`Authorization: DPoP ${TOKEN}`, `DPoP: ${proof}`);
      };
    }

    const nonceIn = (head: string): string => /^dpop-nonce: (.*)$/im.exec(head)![1]!.trim();

    it('send a nonce to clients and accept it several times', async () => {
      const sent = await requiringNonces({});
      const first = await sent({});
      expect(first.status).toBe(401);
      expect(first.challenges[0]).toMatch(/^DPoP .*error="use_dpop_nonce".*algs="/);
      const nonce = nonceIn(first.head);
      for (let time = 0; time < 3; time++) expect((await sent({ nonce })).status).toBe(200);
    });

    it.each<[string, (nonce: string) => JsonValue]>([
      ['another text', () => 'other'],
      ['a number', () => 7],
      ['another time', (nonce) => `B${nonce.slice(1)}`],
      ['another MAC', (nonce) => `${nonce.slice(0, -2)}${nonce.endsWith('AA') ? 'QQ' : 'AA'}`],
      ['a cut one', (nonce) => nonce.slice(0, -4)],
      ['a padded one', (nonce) => `${nonce}=`],
    ])('refuse %s', async (_what, change) => {
      const sent = await requiringNonces({});
      const nonce = nonceIn((await sent({})).head);
      const answer = await sent({ nonce: change(nonce) });
      expect([answer.status, answer.challenges[0]]).toEqual([401, expect.stringContaining('use_dpop_nonce')]);
    });

    it('reject an expired nonce', async () => {
      const nonces = new DpopNonces(1000);
      const keys = [Buffer.alloc(32, 7)];
      const nonce = nonces.issue(keys, 50_000);
      expect([50_000, 51_000, 51_001].map((now) => nonces.isGood(nonce, keys, now))).toEqual([true, true, false]);
    });

    it('accept nonces of another gateway only if it has the same secret', async () => {
      const stored = (...values: string[]): SecretsProvider =>
        ({
          valid: async () => values.map((value) => new Secret(value)),
        }) as Partial<SecretsProvider> as SecretsProvider;
      const config = { secretsProvider: 'it', secretId: 'nonces' };
      const [one, two, three] = [
        await requiringNonces(config, { secretsProvider: stored('new', 'old') }),
        await requiringNonces(config, { secretsProvider: stored('old') }),
        await requiringNonces(config, { secretsProvider: stored('other') }),
      ];
      const nonce = nonceIn((await two({})).head);
      expect((await one({ nonce })).status).toBe(200);
      expect((await three({ nonce })).status).toBe(401);
    });

    it('share a key between the units of one gateway only', async () => {
      const memory = namedMemory();
      const unit = (services: TakeMemory) => ownNonceKeys(services('nonces', DpopNonces.keyBytes).buffer);
      expect(unit(memory)).toEqual(unit(memory));
      expect(unit(namedMemory())).not.toEqual(unit(memory));
    });
  });

  it('are accepted under the scheme DPoP only', async () => {
    const client = new DpopClient();
    const proof = client.proof({ uri: 'http://gw.test/', token: TOKEN });
    const resolver = verifying({ jkt: client.thumbprint }, { dpop: {} });
    expect(await told(resolver, [`Authorization: Bearer ${TOKEN}`, `DPoP: ${proof}`])).toMatchObject({
      description: 'the token is bound to a key and requires the DPoP scheme',
    });
    expect(await told(resolver, [`Authorization: DPoP ${TOKEN}`, `DPoP: ${proof}`])).toMatchObject({ kind: 'token' });
    const unbound = verifying(undefined, { dpop: {} });
    expect(await told(unbound, [`Authorization: DPoP ${TOKEN}`, `DPoP: ${proof}`])).toMatchObject({
      description: 'the token is not bound to a key and cannot use the DPoP scheme',
    });
  });

  it('need a proof that is used once, even if two filters of a chain check it', async () => {
    const client = new DpopClient();
    const proof = client.proof({ uri: 'http://gw.test/', token: TOKEN });
    const resolver = verifying({ jkt: client.thumbprint }, { dpop: {} });
    const twice: AccessTokenResolver = {
      resolve: (token, exchange) => resolver.resolve(token, exchange),
      confirm: async (token, exchange) =>
        (await resolver.confirm?.(token, exchange)) ?? (await resolver.confirm?.(token, exchange)) ?? null,
    };
    const headers = [`Authorization: DPoP ${TOKEN}`, `DPoP: ${proof}`];
    expect(await told(twice, headers)).toMatchObject({ kind: 'token' });
    expect(await told(resolver, headers)).toMatchObject({ description: 'the DPoP proof was used before' });
  });

  it('need a proof that is not too old', async () => {
    const client = new DpopClient();
    const iat = Math.floor(Date.now() / 1000) - 300;
    const headers = [
      `Authorization: DPoP ${TOKEN}`,
      `DPoP: ${client.proof({ uri: 'http://gw.test/', token: TOKEN, claims: { iat } })}`,
    ];
    const judged = (dpop: JsonObject) => told(verifying({ jkt: client.thumbprint }, { dpop }), headers);
    expect(await judged({ maxAge: '10 minutes' })).toMatchObject({ kind: 'token' });
    expect(await judged({ maxAge: '1 minute', skewAllowance: '5 minutes' })).toMatchObject({ kind: 'token' });
    expect(await judged({})).toMatchObject({ description: 'the DPoP proof has expired or is not valid yet' });
  });

  it('are rejected with a log line when no more proofs can be stored', async () => {
    const client = new DpopClient();
    const full = new SharedArrayBuffer(1 << 23);
    const soon = BigInt(Math.floor(Date.now() / 1000) + 3600) & (2n ** 20n - 1n);
    new BigUint64Array(full).fill((7n << 20n) | soon);
    const info = { cnf: { jkt: client.thumbprint } };
    const accessTokenResolver: AccessTokenResolver = {
      resolve: (token) => ({ kind: 'token', token, info, scopes: new Set(), expiresAt: Number.POSITIVE_INFINITY }),
    };
    const sharedMemory = () => ({ buffer: full, release() {} });
    const { parts, logged } = objectParts({ accessTokenResolver }, { sharedMemory });
    const read = confirmationKeyVerifierAccessTokenResolver.config.parse({ delegate: 'it', dpop: {} });
    const resolver = confirmationKeyVerifierAccessTokenResolver.create(read, parts);
    const headers = [`Authorization: DPoP ${TOKEN}`, `DPoP: ${client.proof({ uri: 'http://gw.test/', token: TOKEN })}`];
    expect(await told(resolver, headers)).toMatchObject({ description: 'the DPoP proof could not be verified' });
    expect(logged).toMatchObject([{ level: 40, msg: 'DPoP proof rejected' }]);
  });
});

it.each<[JsonObject, string]>([
  [{}, 'is required'],
  [{ delegate: 'Clock' }, 'Clock'],
  [{ dpop: { maxAge: 'zero' } }, 'must be longer than zero'],
  [{ dpop: { maxAge: '2 hours' } }, 'must be at most 1 hour'],
  [{ dpop: { skewAllowance: '10 minutes' } }, 'must be at most 5 minutes'],
  [{ dpop: { skewAllowance: 'unlimited' } }, 'must not be unlimited'],
  [{ dpop: true }, 'object'],
])('refuses %j', (config, message) => {
  expect(() => buildObjects([{ name: 'it', type: 'ConfirmationKeyVerifierAccessTokenResolver', config }])).toThrow(
    message,
  );
});
