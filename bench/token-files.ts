import { generateKeyPairSync, sign } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outFolder } from './paths.ts';

export type TokenAlgorithm = 'RS256' | 'ES256' | 'EdDSA';

/** Tokens that one key signed, one in each line and all of the same length. */
export type TokenFiles = { folder: string; publicKey: string; tokens: string; width: number };

export const issuer = 'https://id.example.com';
const WIDTHS: Readonly<Record<TokenAlgorithm, number>> = { RS256: 256, ES256: 64, EdDSA: 64 };

/** Makes key and tokens, or finds those of an earlier run: they do not expire. */
export function tokenFiles(algorithm: TokenAlgorithm, count: number): TokenFiles {
  const folder = outFolder(join('tokens', `${algorithm}-${count}`));
  const files = { folder, publicKey: join(folder, 'verify.pem'), tokens: join(folder, 'tokens.txt') };
  const width = unsigned(algorithm, 0).length + 1 + Math.ceil((WIDTHS[algorithm] * 4) / 3);
  if (existsSync(files.tokens)) return { ...files, width };
  const { privateKey, publicKey } = keys(algorithm);
  const digest = algorithm === 'EdDSA' ? null : 'sha256';
  const lines = Array.from({ length: count }, (_, at) => {
    const input = unsigned(algorithm, at);
    const signature = sign(digest, Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return `${input}.${signature.toString('base64url')}\n`;
  });
  writeFileSync(files.publicKey, publicKey.export({ type: 'spki', format: 'pem' }));
  writeFileSync(files.tokens, lines.join(''));
  return { ...files, width };
}

function keys(algorithm: TokenAlgorithm) {
  if (algorithm === 'RS256') return generateKeyPairSync('rsa', { modulusLength: 2048 });
  return algorithm === 'ES256' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519');
}

/** Head and claims of one token, as identity providers write them; every number has the same length. */
function unsigned(algorithm: TokenAlgorithm, at: number): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const id = `${1_000_000 + at}`;
  const claims = {
    ...{ iss: issuer, aud: 'orders', sub: `user-${id}`, client_id: 'shop', scope: 'orders:read orders:write' },
    ...{ iat: 1_700_000_000, exp: 4_102_444_800, jti: `t-${id}` },
  };
  return `${part({ alg: algorithm, typ: 'at+jwt', kid: 'verify' })}.${part(claims)}`;
}
