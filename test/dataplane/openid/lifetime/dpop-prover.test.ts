import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { OwnAnswer } from '../../../../dataplane/engine/backend/own-call.ts';
import { Uri } from '../../../../dataplane/engine/message/uri.ts';
import { readClaims } from '../../../../dataplane/jose/claims.ts';
import { readJws } from '../../../../dataplane/jose/compact-jws.ts';
import { thumbprintOf } from '../../../../dataplane/jose/jwk.ts';
import { judgeProof } from '../../../../dataplane/oauth2/dpop-proof.ts';
import { temporaryDpopKey } from '../../../../dataplane/openid/lifetime/dpop-key.ts';
import { DpopProver } from '../../../../dataplane/openid/lifetime/dpop-prover.ts';
import { TEMPORARY_KEY_MEMORY } from '../../../../dataplane/sessions/temporary-key.ts';
import { buildObject } from '../../../support/gateways/built-object.ts';
import { startAuthorizationServer } from '../../../support/identity/authorization-server.ts';
import { inlineSecrets } from '../../../support/identity/inline-secrets.ts';
import { newKey } from '../../../support/identity/signing-keys.ts';

const SECRET = 'a-client-secret-of-more-than-32-bytes';
const FORM = [
  ['grant_type', 'client_credentials'],
  ['scope', 'read'],
] as const;

const answer = (status: number, headers: Readonly<Record<string, string>> = {}, content: object = {}): OwnAnswer => ({
  status,
  header: (name) => headers[name] ?? null,
  fields: [],
  content: Buffer.from(JSON.stringify(content)),
});

const claimsOf = (proof: string) => readClaims(readJws(proof)!.payload)!;

describe('DpopProver', () => {
  it.each([false, true])(
    'gets a token that is bound to its key from a real server; nonce needed: %s',
    async (dpopNonce) => {
      const client = { client_id: 'gateway', client_secret: SECRET, scope: 'read' };
      const server = await startAuthorizationServer({ clients: [client], dpopNonce });
      const { object } = buildObject('clientRegistration', 'ClientRegistration', {
        clientId: 'gateway',
        issuer: server.issuer,
        clientSecretId: 'secret',
        secretsProvider: inlineSecrets({ secret: SECRET }),
      });
      const { own } = newKey('ES256');
      const prover = new DpopProver(async () => own, 'ES256');
      const post = () => prover.send('POST', null, (prove) => object.post('token', FORM, null, prove));
      const { status, content } = await post();
      expect([status, JSON.parse(String(content))]).toMatchObject([200, { token_type: 'DPoP' }]);
      const count = (): number => server.asked.filter((line) => line === 'POST /token').length;
      expect(count()).toBe(dpopNonce ? 2 : 1);
      await post();
      expect(count()).toBe(dpopNonce ? 3 : 2); // the nonce of before is used again
    },
  );

  it.each(['ES256', 'PS256', 'EdDSA'])('makes proofs with %s that a resource server accepts', async (alg) => {
    const { own } = newKey(alg);
    const prover = new DpopProver(async () => own, alg);
    const proofs: string[] = [];
    await prover.send('GET', 'the-token', async (prove) => {
      proofs.push((await prove('https://op.test/userinfo?x=1'))['DPoP']!);
      return answer(200);
    });
    const request = {
      method: 'GET',
      uri: Uri.parse('https://op.test/userinfo'),
      token: 'the-token',
      thumbprint: thumbprintOf(own.key),
    };
    const judged = judgeProof(proofs[0]!, request, { now: Date.now(), maxAge: 60_000, skew: 5000 });
    expect(judged).toMatchObject({ id: expect.stringContaining(request.thumbprint) });
    expect(readJws(proofs[0]!)?.header['jwk']).not.toHaveProperty('d');
  });

  it('sends the nonce of a challenge to the server that named it, and only to that one', async () => {
    const { own } = newKey('ES256');
    const prover = new DpopProver(async () => own, 'ES256');
    const sent: unknown[] = [];
    const call = (uri: string, answers: OwnAnswer[]) =>
      prover.send('GET', 'token', async (prove) => {
        const { htu, ath, nonce } = claimsOf((await prove(uri))['DPoP']!);
        sent.push([htu, nonce, ath === hash('sha256', 'token', 'base64url')]);
        return answers.shift()!;
      });
    const challenge = { 'dpop-nonce': 'n1', 'www-authenticate': 'DPoP error="use_dpop_nonce"' };
    expect((await call('https://a.test/x', [answer(401, challenge), answer(200, { 'dpop-nonce': 'n2' })])).status).toBe(
      200,
    );
    await call('https://a.test/y', [answer(200)]);
    await call('https://b.test/x', [answer(200)]);
    expect(sent).toEqual([
      ['https://a.test/x', undefined, true],
      ['https://a.test/x', 'n1', true],
      ['https://a.test/y', 'n2', true],
      ['https://b.test/x', undefined, true],
    ]);
  });

  it.each([
    [
      'never accepts a nonce',
      [1, 2, 3].map((n) => answer(400, { 'dpop-nonce': `n${n}` }, { error: 'use_dpop_nonce' })),
      2,
    ],
    ['asks for a nonce without one', [answer(400, {}, { error: 'use_dpop_nonce' })], 1],
    ['names a nonce that is no header value', [answer(400, { 'dpop-nonce': 'a b' }, { error: 'use_dpop_nonce' })], 1],
    ['rejects the request for another reason', [answer(400, { 'dpop-nonce': 'n' }, { error: 'invalid_grant' })], 1],
  ])('does not ask endlessly when a server %s', async (_, answers, asked) => {
    const { own } = newKey('ES256');
    let count = 0;
    const result = await new DpopProver(async () => own, 'ES256').send('POST', null, async (prove) => {
      await prove('https://op.test/token');
      return answers[count++]!;
    });
    expect([result.status, count]).toEqual([400, asked]);
  });

  it('has one temporary key for all units of a plane', async () => {
    const memory = new SharedArrayBuffer(TEMPORARY_KEY_MEMORY);
    const [one, other, elsewhere] = [memory, memory, new SharedArrayBuffer(TEMPORARY_KEY_MEMORY)].map((shared) =>
      thumbprintOf(temporaryDpopKey(shared).key),
    );
    expect([one === other, one === elsewhere]).toEqual([true, false]);
    const own = temporaryDpopKey(memory);
    const proof = new DpopProver(async () => own, 'ES256').send('GET', 't', async (prove) => {
      expect(readJws((await prove('https://op.test/'))['DPoP']!)?.alg).toBe('ES256');
      return answer(200);
    });
    expect((await proof).status).toBe(200);
  });
});
