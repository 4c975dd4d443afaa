import type { Duration } from '../../contract/duration.ts';
import { invalidToken, type TokenRefusal } from '../heap/access-tokens.ts';
import type { Parts } from '../heap/definition.ts';
import { RepeatedWarning } from '../heap/repeated-warning.ts';
import type { Exchange } from '../http/exchange.ts';
import { judgeProof, proofAlgorithms } from './dpop-proof.ts';
import { SeenProofs } from './seen-proofs.ts';

const SCHEME = /^DPoP(?: |$)/i;

/** The proof of an exchange, for the next one in the same chain who asks for it. */
const accepted = new WeakMap<Exchange, string>();

/** Judges whether requests show that their client has the key to which a token is bound. */
export class DpopVerifier {
  readonly schemes: readonly string[] = ['DPoP'];
  readonly challenges: readonly string[] = [`DPoP algs="${proofAlgorithms.join(' ')}"`];
  private readonly maxAge: number;
  private readonly skew: number;
  private readonly seen: SeenProofs;
  private readonly unremembered: RepeatedWarning;

  constructor(times: { readonly maxAge: Duration; readonly skewAllowance: Duration }, parts: Parts) {
    this.maxAge = times.maxAge.milliseconds;
    this.skew = times.skewAllowance.milliseconds;
    this.unremembered = new RepeatedWarning(parts.log, 'a DPoP proof was refused');
    // that of the whole document, so that no proof counts again when what verifies it is declared elsewhere in it
    const memory = parts.plane.sharedMemory(`dpop proofs ${parts.heap.scope.name}`, SeenProofs.bytes);
    parts.onClose(() => memory.release());
    this.seen = new SeenProofs(memory.buffer);
  }

  /** For a token that is bound to a key: why this request may not use it, or null. */
  judge(token: string, thumbprint: string, exchange: Exchange): TokenRefusal | null {
    const { method, headers } = exchange.request;
    if (!SCHEME.test(headers.get('authorization') ?? '')) {
      return invalidToken('the token is bound to a key and has to come under the scheme DPoP');
    }
    const [text, ...others] = headers.all('dpop');
    if (text === undefined || others.length > 0) return invalidToken('there must be one DPoP proof');
    const now = Date.now();
    const request = { method, uri: exchange.router.originalUri, token, thumbprint };
    const proof = judgeProof(text, request, { now, maxAge: this.maxAge, skew: this.skew });
    if (typeof proof === 'string') return invalidToken(proof);
    if (accepted.get(exchange) === text) return null;
    const sighting = this.seen.add(proof.id, Math.floor(now / 1000), Math.ceil(proof.usableUntil / 1000));
    if (sighting === 'seen') return invalidToken('the DPoP proof was used before');
    if (sighting === 'full') {
      this.unremembered.give('there is no room to remember more of them: a shorter maxAge makes room');
      return invalidToken('the DPoP proof could not be verified');
    }
    accepted.set(exchange, text);
    return null;
  }

  /** For a token that is not bound to a key: it must not look as if it was. */
  unbound(exchange: Exchange): TokenRefusal | null {
    if (!SCHEME.test(exchange.request.headers.get('authorization') ?? '')) return null;
    return invalidToken('the token is bound to no key and cannot come under the scheme DPoP');
  }
}
