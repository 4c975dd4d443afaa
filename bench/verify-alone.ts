/** Times `crypto.verify` alone, for the signatures of tokens: KEY.pem TOKENS ALGORITHM SECONDS */
import { createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';

const [keyFile = '', tokensFile = '', algorithm = '', seconds = ''] = process.argv.slice(2);
const publicKey = createPublicKey(readFileSync(keyFile));
const key = algorithm === 'ES256' ? ({ key: publicKey, dsaEncoding: 'ieee-p1363' } as const) : publicKey;
const digest = algorithm === 'EdDSA' ? null : 'sha256';
const tokens = readFileSync(tokensFile, 'latin1')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => {
    const dot = line.lastIndexOf('.');
    return { input: Buffer.from(line.slice(0, dot)), signature: Buffer.from(line.slice(dot + 1), 'base64url') };
  });

/** Verifies tokens for this long, in microseconds of processor time, and gives what each took. */
function costFor(limit: number): number {
  const before = process.cpuUsage();
  let taken = 0;
  let verified = 0;
  while (taken < limit) {
    for (let i = 0; i < 64; i++, verified++) {
      const { input, signature } = tokens[verified % tokens.length]!;
      if (!verify(digest, input, key, signature)) throw new Error('a signature is not valid');
    }
    const { user, system } = process.cpuUsage(before);
    taken = user + system;
  }
  return taken / verified;
}

const limit = Number(seconds) * 1e6;
costFor(limit / 2); // until V8 has compiled it
console.log(costFor(limit));
