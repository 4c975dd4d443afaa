/**
 * Stands for credentials that a client sent before on the same connection: requests that bring it hold the same bytes in
 * their only Authorization line, so that what was found out about them needs no second look.
 */
export class KnownCredentials {
  /** The value of the line, with its CRLF. */
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }
}
