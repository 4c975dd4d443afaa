import type { Parts } from '../../heap/definition.ts';
import type { SecretsProvider } from '../../heap/objects/secrets.ts';
import { TEMPORARY_KEY_MEMORY } from '../../sessions/temporary-key.ts';
import { temporaryDpopKey } from './dpop-key.ts';
import { DpopProver } from './dpop-prover.ts';

/** The field `proofOfPossession` as it is read. */
export interface ProofConfig {
  readonly secretId?: string | undefined;
  readonly algorithm: string;
}

/** The prover of a client. @throws when a key that the gateway makes up cannot sign with the algorithm */
export function configuredProver(
  config: ProofConfig | undefined,
  provider: SecretsProvider | null,
  { identity, plane, onClose, log }: Parts,
): DpopProver | null {
  if (config === undefined) return null;
  const { secretId, algorithm } = config;
  if (secretId !== undefined) return new DpopProver(() => provider!.key('sign', secretId), algorithm);
  const memory = plane.sharedMemory(JSON.stringify(['dpop key', identity]), TEMPORARY_KEY_MEMORY);
  onClose(() => memory.release());
  const key = temporaryDpopKey(memory.buffer);
  log.warn("made up a key for 'proofOfPossession'; other replicas and restarts have another, set its 'secretId'");
  return new DpopProver(() => Promise.resolve(key), algorithm);
}
