import type { X509Certificate } from 'node:crypto';
import type { PlaneIdentity } from './plane-identity.ts';

/** Credential of a data plane. */
export interface PlaneCredential {
  /** From `Authorization: Bearer`; null without one. */
  readonly token: string | null;
  /** Verified against the authorities of the server; null without one. */
  readonly certificate: X509Certificate | null;
}

/** Claims of a data plane about itself, which count only if its credential allows them. */
export interface PlaneClaims {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Whether a plane may have no stream any more, or has to connect again because it is another one now. */
export type GrantEnd = 'revoked' | 'changed';

/** Identity and permissions that a credential grants. */
export interface PlaneGrant {
  /** Who the plane is. @throws PlaneRefused when the credential does not cover what the plane says */
  identify(claims: PlaneClaims): PlaneIdentity;
  /** Watches whether the grant still stands and calls back once when it does not. @returns what ends the watching */
  watch(identity: PlaneIdentity, ended: (reason: string, how: GrantEnd) => void): () => void;
}

export interface PlaneAuthenticator {
  /**
   * What a credential stands for; null when it is not of the kind that is judged here.
   * @throws PlaneRefused when it is not good, or when that cannot be decided
   */
  authenticate(credential: PlaneCredential): Promise<PlaneGrant | null>;
}

/** A plane that does not get a stream. The message is for the plane, and has no part of a credential in it. */
export class PlaneRefused extends Error {
  override readonly name = 'PlaneRefused';
  readonly code: 'UNAUTHENTICATED' | 'PERMISSION_DENIED' | 'UNAVAILABLE';

  constructor(code: PlaneRefused['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** Asks several authenticators in order; the first that knows a credential judges it. */
export function firstToKnow(authenticators: readonly PlaneAuthenticator[]): PlaneAuthenticator {
  return {
    async authenticate(credential) {
      for (const authenticator of authenticators) {
        const grant = await authenticator.authenticate(credential);
        if (grant !== null) return grant;
      }
      return null;
    },
  };
}
