import { createHmac } from 'node:crypto';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { parseConfig } from '../../../contract/vocabulary/parse-config.ts';
import type { AccessTokenResolver } from '../../../dataplane/heap/objects/access-tokens.ts';
import type { CryptoKey, SecretStore, SecretsProvider } from '../../../dataplane/heap/objects/secrets.ts';
import { secretsInOrder } from '../../../dataplane/heap/objects/secrets-in-order.ts';
import { sign } from '../../../dataplane/jose/signature.ts';
import { statelessAccessTokenResolver } from '../../../dataplane/oauth2/stateless-access-token-resolver.ts';
import { documentReading } from '../../../dataplane/routes/document-reading.ts';
import { JwkSetStore } from '../../../dataplane/secrets/jwk-set-store.ts';
import { LeasedStore } from '../../../dataplane/secrets/leased-store.ts';
import { objectParts } from '../../support/gateways/object-parts.ts';
import { operatorReach } from '../../support/gateways/operator-reach.ts';
import { plainExchange } from '../../support/gateways/plain-exchange.ts';
import { newKey, secretHalves } from '../../support/identity/signing-keys.ts';
import { tokenPart, tokenText } from '../../support/identity/token-text.ts';

const ISSUER = 'https://as.example.com/';
const ID = 'as.keys';
const log = pino({ level: 'silent' });
const seconds = (from: number): number => Math.floor(Date.now() / 1000) + from;
const claims = (changes: object = {}): string => JSON.stringify({ iss: ISSUER, exp: seconds(600), ...changes });

const rsa = newKey('RS256', 'rsa');
const ec = newKey('ES256', 'ec');
const twin = newKey('ES256', 'ec');
const unnamed = newKey('EdDSA', 'unnamed');
const secret = secretHalves(Buffer.alloc(32, 7), 'secret');
const stranger = newKey('ES256', 'stranger');

const leased = (keys: readonly CryptoKey[] | Error): SecretStore => {
  const read = async (): Promise<readonly CryptoKey[]> => {
    if (keys instanceof Error) throw keys;
    return keys;
  };
  return new LeasedStore({ name: 'keys', source: { read }, lease: 600_000, log });
};
const fetched = (keys: readonly CryptoKey[] | Error): SecretStore => {
  const fetch = async (): Promise<readonly CryptoKey[]> => {
    if (keys instanceof Error) throw keys;
    return keys;
  };
  return new JwkSetStore({ name: 'set', log, fetch, lease: 600_000, refresh: 300_000, missPause: 1000 });
};

const all = [rsa.own, rsa.other, ec.other, twin.other, unnamed.other, secret.other];
const PROVIDERS: Readonly<Record<string, () => SecretsProvider>> = {
  'a store': () => leased(all),
  'a JWK set': () => fetched(all),
  'one key': () => leased([ec.other]),
  'no key': () => leased([]),
  'a private key alone': () => leased([rsa.own]),
  'an error': () => leased(new Error('unreadable')),
  'two stores': () => secretsInOrder([leased([ec.other]), fetched([rsa.other, twin.other])]),
  'two stores, one of them empty': () => secretsInOrder([leased([]), fetched([ec.other])]),
  'two stores, one of them with an error': () => secretsInOrder([leased([ec.other]), leased(new Error('unreadable'))]),
};

const hmac = (header: object, key: Buffer): string => {
  const text = `${tokenPart(header)}.${tokenPart(claims())}`;
  return `${text}.${tokenPart(createHmac('sha256', key).update(text).digest())}`;
};
const spki = rsa.other.key.export({ type: 'spki', format: 'pem' }) as string;
const good = sign({}, claims(), ec.own, 'ES256');
const TOKENS: Readonly<Record<string, string>> = {
  good,
  'of a named key': sign({ kid: 'ec' }, claims(), ec.own, 'ES256'),
  'of the second key of a name': sign({ kid: 'ec' }, claims(), twin.own, 'ES256'),
  'of another key than the named one': sign({ kid: 'rsa' }, claims(), ec.own, 'ES256'),
  'of a name that no key has': sign({ kid: 'nobody' }, claims(), ec.own, 'ES256'),
  'of a strange key': sign({}, claims(), stranger.own, 'ES256'),
  'of a strange key by name': sign({ kid: 'stranger' }, claims(), stranger.own, 'ES256'),
  'of a strange key by a known name': sign({ kid: 'ec' }, claims(), stranger.own, 'ES256'),
  'with RSA': sign({ kid: 'rsa' }, claims(), rsa.own, 'RS256'),
  'with PS256': sign({ kid: 'rsa' }, claims(), rsa.own, 'PS256'),
  'with EdDSA': sign({}, claims(), unnamed.own, 'EdDSA'),
  'with a secret': sign({ kid: 'secret' }, claims(), secret.own, 'HS256'),
  'with a public key for a secret': hmac({ alg: 'HS256', kid: 'rsa' }, Buffer.from(spki)),
  'with a public key for a secret and no name': hmac({ alg: 'HS256' }, Buffer.from(spki)),
  'with none': tokenText({ alg: 'none' }, JSON.parse(claims()), ''),
  'with crit': tokenText({ alg: 'ES256', crit: ['x'], x: 1 }, JSON.parse(claims())),
  'with a short signature': good.slice(0, -8),
  'with no signature': good.slice(0, good.lastIndexOf('.') + 1),
  'with other claims': good.replace(/\.[^.]+\./, `.${tokenPart(claims({ sub: 'x' }))}.`),
  'no JWT': 'abc',
  'that has ended': sign({}, claims({ exp: seconds(-1) }), ec.own, 'ES256'),
  'that ends now': sign({}, claims({ exp: seconds(0) }), ec.own, 'ES256'),
  'that begins later': sign({}, claims({ nbf: seconds(60) }), ec.own, 'ES256'),
  'with odd times': sign({}, claims({ exp: 'soon' }), ec.own, 'ES256'),
  'of another issuer': sign({}, claims({ iss: 'x' }), ec.own, 'ES256'),
  'without claims': sign({}, 'text', ec.own, 'ES256'),
  'of another type': sign({ typ: 'logout+jwt' }, claims(), ec.own, 'ES256'),
};

function resolverOf(provider: SecretsProvider): AccessTokenResolver {
  const given = { issuer: ISSUER, secretsProvider: 'p', verificationSecretId: ID };
  const { value } = parseConfig(
    statelessAccessTokenResolver.config,
    given,
    documentReading(operatorReach(), [], () => {}),
    [],
  );
  return statelessAccessTokenResolver.create(value!, objectParts({ secretsProvider: provider }).parts);
}

/** The same without keys at hand. */
function slow(provider: SecretsProvider): SecretsProvider {
  return {
    active: (id) => provider.active(id),
    valid: (id) => provider.valid(id),
    key: (usage, id) => provider.key(usage, id),
    keys: (usage, id) => provider.keys(usage, id),
    named: (usage, id, stableId) => provider.named(usage, id, stableId),
    watch: (listener) => provider.watch(listener),
  };
}

async function outcome(resolver: AccessTokenResolver, token: string): Promise<unknown> {
  try {
    return await resolver.resolve(token, plainExchange());
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`;
  }
}

it.each(Object.entries(PROVIDERS))('tokens are judged at once as they are later, with %s', async (_, make) => {
  const provider = make();
  await provider.keys('verify', ID).catch(() => {});
  const [atOnce, later] = [resolverOf(provider), resolverOf(slow(provider))];
  for (const [name, token] of Object.entries(TOKENS)) {
    expect([name, await outcome(atOnce, token)]).toEqual([name, await outcome(later, token)]);
  }
});
