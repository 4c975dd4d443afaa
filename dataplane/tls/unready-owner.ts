import { REFUSED, type WireOwner } from '../engine/wire/wire.ts';

/** Owns a connection before its handshake, when nobody says anything yet. */
export class UnreadyOwner implements WireOwner {
  readonly ended: () => void;
  readonly failed: () => void;

  constructor(gone: () => void) {
    this.ended = this.failed = gone;
  }

  receive(): void {
    // whoever speaks before the handshake is no TLS server, and the handshake will tell
  }

  blocked(): void {
    // nothing is sent
  }

  drained(): void {
    // nothing is sent
  }

  passes(): typeof REFUSED {
    return REFUSED;
  }
}
