/** `npm run bench:tokens`: what a cached token takes beside itself. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Exchange } from '../dataplane/engine/message/exchange.ts';
import type { AccessTokenResolver } from '../dataplane/heap/objects/access-tokens.ts';
import { TokenCache } from '../dataplane/oauth2/cache/token-cache.ts';
import { scriptOptions } from '../platform/script-options.ts';
import { outFolder } from './paths.ts';

/** What was measured. */
export type TokenMemory = { tokens: number; bytesEach: number; tokenBytes: number };

const PER_SLICE = 10_000;

/** A token as long as those that identity providers sign with RS256. */
function tokenOf(at: number): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iss: 'https://id.example.com', sub: `user-${at}`, scope: 'orders:read', exp: 4_102_444_800 };
  return `${part({ alg: 'RS256', typ: 'at+jwt', kid: 'bench' })}.${part(claims)}.${randomBytes(256).toString('base64url')}`;
}

/** Believes what a token says, because nothing is measured here but keeping it. */
const believing: AccessTokenResolver = {
  resolve(token) {
    const info = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>;
    const scopes = new Set(String(info['scope']).split(' '));
    return { kind: 'token', token, info, carriesInfo: true, scopes, expiresAt: Number(info['exp']) * 1000 };
  },
};

function used(): number {
  global.gc?.();
  global.gc?.();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
}

async function measure(tokens: number): Promise<TokenMemory> {
  const nothing = (): void => {};
  const cache = new TokenCache(believing, {
    ...{ defaultTimeout: 60_000, maxTimeout: 3_600_000, maximumSize: tokens },
    executor: { schedule: () => nothing, repeat: () => nothing },
    meter: { hit: nothing, miss: nothing, evicted: nothing, loaded: nothing },
  });
  await cache.resolve(tokenOf(0), {} as Exchange);
  const before = used();
  let tokenBytes = 0;
  for (let at = 1; at < tokens; at++) {
    const token = tokenOf(at);
    tokenBytes += token.length;
    await cache.resolve(token, {} as Exchange);
    if (at % PER_SLICE === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  const bytes = used() - before - tokenBytes;
  if (cache.size !== tokens) throw new Error(`only ${cache.size} tokens were kept`);
  return { tokens, bytesEach: bytes / tokens, tokenBytes: tokenBytes / tokens };
}

const USAGE = `usage: npm run bench:tokens -- [TOKENS]
Measures the memory of cached access tokens.
  TOKENS  how many are cached (1000000)
`;

if (import.meta.main) {
  const [tokens = '1000000'] = scriptOptions(USAGE, {}, 1).words;
  const result = await measure(Number(tokens));
  writeFileSync(join(outFolder(), 'token-memory.json'), JSON.stringify(result));
  console.log(
    `${result.tokens} cached tokens of ${Math.round(result.tokenBytes)} bytes: ${Math.round(result.bytesEach)} bytes each beside them`,
  );
}
