import { EntityBroken, EntityTooLarge, EntityUndecodable } from '../engine/message/entity-fault.ts';
import type { Response } from '../engine/message/response.ts';

/**
 * Refusals that say nothing of the backend: what the request asks for, how many others ask, or what the gateway was given
 * to prove itself is to blame.
 */
const OTHERS_TO_BLAME: ReadonlySet<string> = new Set([
  'backend-unnamed',
  'backend-scheme',
  'backend-egress',
  'backend-limit',
  'backend-proxy-credentials', // the same ones once more may lock an account
  'backend-body-too-large',
  'backend-body-undecodable',
  'backend-event-stream',
  'backend-queue-full',
  'backend-queue-timeout',
]);

/**
 * What an answer says of the backend: that it answered, whatever it said; that it gave no answer that could be read; or
 * nothing, because the gateway itself refused or the client left.
 */
export function outcomeOf({ refusal }: Pick<Response, 'refusal'>): 'answered' | 'failed' | 'unknown' {
  if (refusal === null) return 'answered';
  return refusal.startsWith('backend-') && !OTHERS_TO_BLAME.has(refusal) ? 'failed' : 'unknown';
}

/** The same for what was thrown: a body that broke off at the client, or that is too long or cannot be decoded, is not the fault of a backend. */
export function outcomeOfError(error: unknown): 'failed' | 'unknown' {
  if (error instanceof EntityTooLarge || error instanceof EntityUndecodable) return 'unknown';
  return error instanceof EntityBroken && !error.ofResponse ? 'unknown' : 'failed';
}
