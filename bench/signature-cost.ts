import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Spread, spreadOf } from './measure/statistics.ts';
import { out } from './paths.ts';
import { type TokenAlgorithm, tokenFiles } from './token-files.ts';

const file = join(out, 'signatures.json');
const SECONDS = 1;
const TURNS = 3;

/** CPU time that OpenSSL alone takes to verify one signature, in microseconds. */
export type SignatureCosts = Partial<Record<TokenAlgorithm, Spread>>;

/** Measures it on the core that the proxies run on, and keeps it beside what was measured for other algorithms. */
export function measureSignatures(algorithm: TokenAlgorithm, count: number, core: number): Spread {
  const { publicKey, tokens } = tokenFiles(algorithm, count);
  const command = ['-c', `${core}`, join(out, 'signatures'), publicKey, tokens, algorithm, `${SECONDS}`];
  const costs = Array.from({ length: TURNS }, () => Number(execFileSync('taskset', command, { encoding: 'utf8' })));
  const cost = spreadOf(costs)!;
  writeFileSync(file, JSON.stringify({ ...signatureCosts(), [algorithm]: cost }));
  return cost;
}

export function signatureCosts(): SignatureCosts {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as SignatureCosts;
  } catch {
    return {};
  }
}
