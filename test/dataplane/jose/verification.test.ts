import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { ReplaceableSecrets } from '../../../dataplane/heap/objects/replaceable-secrets.ts';
import { NoSuchSecret, type SecretsProvider, UnreadableSecret } from '../../../dataplane/heap/objects/secrets.ts';
import { secretsInOrder } from '../../../dataplane/heap/objects/secrets-in-order.ts';
import { type CompactJws, readJws } from '../../../dataplane/jose/compact-jws.ts';
import { sign } from '../../../dataplane/jose/signature.ts';
import { VerificationBusy, verifyWithSecrets } from '../../../dataplane/jose/verification.ts';
import { nextTurn } from '../../support/clients/event-loop.ts';
import { newKey, storeOf } from '../../support/identity/signing-keys.ts';

const first = newKey('ES256', 'first');
const second = newKey('ES256', 'second');
const stranger = newKey('ES256', 'first');
const secret = newKey('HS256', 'secret');
const provider = storeOf('as.keys', [first.own, first.other, second.own, second.other, secret.other]);

const tokenOf = (header: Readonly<Record<string, unknown>>, key = first, alg = 'ES256'): CompactJws =>
  readJws(sign(header, '{}', key.own, alg))!;

describe('verifyWithSecrets', () => {
  it.each([
    ['the key that kid names', tokenOf({ kid: 'second' }, second), true],
    ['another key than kid names', tokenOf({ kid: 'first' }, second), false],
    ['a stranger under a name that is known', tokenOf({ kid: 'first' }, stranger), false],
    ['a secret under the name of a pair', tokenOf({ kid: 'first' }, secret, 'HS256'), false],
    ['the first key, kid not known', tokenOf({ kid: 'other' }, first), true],
    ['the second key, kid not known', tokenOf({ kid: 'other' }, second), true],
    ['the second key, kid empty', tokenOf({ kid: '' }, second), true],
    ['a kid that is a path', tokenOf({ kid: '../../../dev/null' }, first), true],
    ['a kid that is a query, and a stranger', tokenOf({ kid: "x' UNION SELECT 'first" }, stranger), false],
    ['a stranger, kid not known', tokenOf({ kid: 'other' }, stranger), false],
    ['the first key without kid', tokenOf({}, first), true],
    ['the second key without kid', tokenOf({}, second), true],
    ['the secret without kid', tokenOf({}, secret, 'HS256'), true],
    ['a stranger without kid', tokenOf({}, stranger), false],
    ['a stranger that brings a key', tokenOf({ jwk: stranger.other.key.export({ format: 'jwk' }) }, stranger), false],
    [
      'a stranger that says where keys are',
      tokenOf({ jku: 'http://127.0.0.1:1/', x5u: 'http://[::1]:1/' }, stranger),
      false,
    ],
  ])('verifies %s', async (_, jws, expected) => {
    expect(await verifyWithSecrets(jws, provider, 'as.keys')).toBe(expected);
  });

  it('needs no promise where the keys are at hand, whoever holds the store', async () => {
    const store = storeOf('as.keys', [first.other, second.other]);
    const held = new ReplaceableSecrets('keys', secretsInOrder([store]), pino({ level: 'silent' }));
    const both = secretsInOrder([held, storeOf('other', [first.other])]);
    expect(verifyWithSecrets(tokenOf({ kid: 'first' }), held, 'as.keys')).toBeInstanceOf(Promise);
    await held.keys('verify', 'as.keys');
    for (const token of [tokenOf({ kid: 'first' }), tokenOf({ kid: 'second' }, second), tokenOf({}, first)]) {
      await nextTurn(); // which has time for one again, however slow the machine is
      expect(verifyWithSecrets(token, held, 'as.keys')).toBe(true);
    }
    await nextTurn();
    expect(verifyWithSecrets(tokenOf({ kid: 'first' }, stranger), held, 'as.keys')).toBe(false);
    expect(verifyWithSecrets(tokenOf({ kid: 'late' }), held, 'as.keys')).toBeInstanceOf(Promise);
    // one of the stores has not been asked yet
    expect(verifyWithSecrets(tokenOf({ kid: 'first' }), both, 'as.keys')).toBeInstanceOf(Promise);
    await both.keys('verify', 'as.keys');
    await nextTurn();
    expect(verifyWithSecrets(tokenOf({ kid: 'first' }), both, 'as.keys')).toBe(true);
    held.replace(storeOf('as.keys', [stranger.other]));
    expect(await verifyWithSecrets(tokenOf({ kid: 'first' }), both, 'as.keys')).toBe(false);
  });

  it('looks up a kid only if no known key has it', async () => {
    const named = vi.spyOn(provider, 'named');
    for (const header of [{ kid: 'first' }, {}]) await verifyWithSecrets(tokenOf(header), provider, 'as.keys');
    expect(named).not.toHaveBeenCalled();
    await verifyWithSecrets(tokenOf({ kid: 'other' }), provider, 'as.keys');
    expect(named).toHaveBeenCalledExactlyOnceWith('verify', 'as.keys', 'other');
    vi.restoreAllMocks();
  });

  it('tries only the key that a lookup found', async () => {
    const late: SecretsProvider = { ...secretsInOrder([provider]), named: () => Promise.resolve(second.other) };
    expect(await verifyWithSecrets(tokenOf({ kid: 'late' }, second), late, 'as.keys')).toBe(true);
    expect(await verifyWithSecrets(tokenOf({ kid: 'late' }, first), late, 'as.keys')).toBe(false);
  });

  it('uses the key of the right type if several have the same kid', async () => {
    const twin = newKey('RS256', 'first');
    const twins = storeOf('as.keys', [twin.other, first.other, second.other]);
    expect(await verifyWithSecrets(tokenOf({ kid: 'first' }, first), twins, 'as.keys')).toBe(true);
    expect(await verifyWithSecrets(tokenOf({ kid: 'first' }, twin, 'RS256'), twins, 'as.keys')).toBe(true);
    expect(await verifyWithSecrets(tokenOf({ kid: 'first' }, second), twins, 'as.keys')).toBe(false);
  });

  it('looks for the named key in all stores', async () => {
    const both = secretsInOrder([storeOf('as.keys', [first.other]), storeOf('as.keys', [second.other])]);
    expect(await verifyWithSecrets(tokenOf({ kid: 'second' }, second), both, 'as.keys')).toBe(true);
    expect(await verifyWithSecrets(tokenOf({}, second), both, 'as.keys')).toBe(true);
  });

  it('fails when there are no keys', async () => {
    await expect(verifyWithSecrets(tokenOf({ kid: 'first' }), provider, 'other')).rejects.toThrow(NoSuchSecret);
  });

  it('fails when the lookup of a key fails', async () => {
    const unreadable = new UnreadableSecret('as.keys', 'store', 'gone');
    const named = (): Promise<never> => Promise.reject(unreadable);
    const broken: SecretsProvider = { ...secretsInOrder([provider]), named };
    await expect(verifyWithSecrets(tokenOf({ kid: 'other' }), broken, 'as.keys')).rejects.toBe(unreadable);
    const gone: SecretsProvider = { ...broken, keys: named, keysAtHand: () => null };
    for (const header of [{ kid: 'first' }, {}]) {
      await expect(verifyWithSecrets(tokenOf(header), gone, 'as.keys')).rejects.toBe(unreadable);
    }
  });

  it('uses the named key of one store although another cannot be read', async () => {
    const unreadable = new UnreadableSecret('as.keys', 'store', 'gone');
    const keys = (): Promise<never> => Promise.reject(unreadable);
    const half: SecretsProvider = { ...secretsInOrder([provider]), keys, keysAtHand: () => null };
    expect(await verifyWithSecrets(tokenOf({ kid: 'first' }), half, 'as.keys')).toBe(true);
    await expect(verifyWithSecrets(tokenOf({ kid: 'other' }), half, 'as.keys')).rejects.toBe(unreadable);
  });

  it('queues a flood of tokens up to a limit without blocking the event loop', async () => {
    const good = tokenOf({ kid: 'first' });
    let turnsOfOthers = 0;
    let isOver = false;
    const others = (async () => {
      while (!isOver) {
        await nextTurn();
        turnsOfOthers++;
      }
    })();
    const one = async (): Promise<unknown> => await verifyWithSecrets(good, provider, 'as.keys');
    const flood = Array.from({ length: 3000 }, () => one().catch((error: unknown) => error));
    const outcomes = await Promise.all(flood);
    isOver = true;
    await others;
    expect(outcomes.filter((outcome) => outcome instanceof VerificationBusy).length).toBeGreaterThan(300);
    expect(outcomes.filter((outcome) => outcome === true).length).toBeGreaterThanOrEqual(2000);
    expect(outcomes.filter((outcome) => outcome === false)).toEqual([]);
    expect(turnsOfOthers).toBeGreaterThan(5);
    expect(await verifyWithSecrets(good, provider, 'as.keys')).toBe(true);
  });
});
