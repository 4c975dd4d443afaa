import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { out } from './paths.ts';
import { type TokenAlgorithm, tokenFiles } from './token-files.ts';

const file = join(out, 'signatures.json');
const SECONDS = 1;

/** CPU time of one signature, in microseconds: by the library of the system in C, and by the one in Node.js. */
export type SignatureCost = { system: number; node: number };

/** Costs by round. */
export type SignatureCosts = Partial<Record<TokenAlgorithm, readonly SignatureCost[]>>;

/** Measures it on the core that the proxies run on. */
export function measureSignature(algorithm: TokenAlgorithm, count: number, core: number): SignatureCost {
  const { publicKey, tokens } = tokenFiles(algorithm, count);
  const alone = (...program: string[]): number => {
    const command = ['-c', `${core}`, ...program, publicKey, tokens, algorithm, `${SECONDS}`];
    return Number(execFileSync('taskset', command, { encoding: 'utf8' }));
  };
  return {
    system: alone(join(out, 'signatures')),
    node: alone(process.execPath, join(import.meta.dirname, 'verify-alone.ts')),
  };
}

/** Keeps the costs of all rounds, beside what was measured for other algorithms. */
export function keepSignatures(algorithm: TokenAlgorithm, costs: readonly SignatureCost[]): void {
  writeFileSync(file, JSON.stringify({ ...signatureCosts(), [algorithm]: costs }));
}

export function signatureCosts(): SignatureCosts {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as SignatureCosts;
  } catch {
    return {};
  }
}
