import type { Parts } from '../../heap/definition.ts';
import { SeenProofs, type Sighting } from '../../oauth2/seen-proofs.ts';
import { ATTEMPT_LIFETIME, type SignInAttempt } from './sign-in-attempts.ts';

/**
 * States that came back from the provider, remembered by all units until their attempts are over: a code that is sent
 * twice ends the sign-in that it was first sent for.
 */
export class UsedStates {
  private readonly seen: SeenProofs;

  constructor({ plane, scope, onClose }: Pick<Parts, 'plane' | 'scope' | 'onClose'>) {
    const memory = plane.sharedMemory(`sign-in states ${scope}`, SeenProofs.bytes);
    onClose(() => memory.release());
    this.seen = new SeenProofs(memory.buffer);
  }

  /** Uses up the state of an attempt. Of two at once one hears that it is new. */
  use({ state, startedAt }: SignInAttempt, now: number): Sighting {
    return this.seen.add(state, Math.floor(now / 1000), Math.ceil((startedAt + ATTEMPT_LIFETIME) / 1000));
  }
}
