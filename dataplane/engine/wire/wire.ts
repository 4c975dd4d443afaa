/** Events of a wire for the connection that owns it. All except `blocked`, `drained` and `passes` arrive in a turn. */
export interface WireOwner {
  /** Bytes arrived; they are valid until the end of the turn. `bytes[end]` is 0 and may be read. */
  receive(bytes: Buffer, start: number, end: number): void;
  /** The peer will send nothing more, but may still read. */
  ended(): void;
  /** The connection is gone. */
  failed(): void;
  /** The kernel did not take all that was sent: stop producing until `drained`. */
  blocked(): void;
  drained(): void;
  /** A bulk read, straight from the kernel: passed on as it is, or refused to get it by `receive`. */
  passes(bytes: Buffer, length: number): Passed;
}

/** Outcome for bytes that were offered without a copy. */
export type Passed = typeof REFUSED | typeof PASSED | typeof LENT;
/** Not taken. */
export const REFUSED = 0;
/** Taken, and the buffer is free again. */
export const PASSED = 1;
/** Taken, but the buffer belongs to a write that is under way. */
export const LENT = 2;

/** One connection as the engine uses it: raw handles where Node lets us, public sockets elsewhere. */
export interface Wire {
  owner: WireOwner;
  /** The bytes of this turn that wait in the output arena. */
  regionStart: number;
  regionLength: number;
  /** How many events of this wire wait for the turn. */
  queued: number;
  /** True while something sent earlier is still on its way to the kernel. */
  readonly pending: boolean;
  /** Bytes that wait for the kernel; for telling a slow reader from one that does not read at all. */
  readonly unsent: number;
  /** Set by the owner while a long body passes through: reads get a larger buffer of their own. */
  bulk: boolean;
  /** Why the peer gave up, in words for a log, where the protocol under HTTP lets it say so. */
  alert?: string | null;
  /** Sends bytes of the output arena. */
  send(bytes: Buffer, start: number, length: number): void;
  /** Sends the first `length` bytes without a copy, if that can be done now. */
  sendDirect(bytes: Buffer, length: number): Passed;
  pause(): void;
  resume(): void;
  /** Sends what waits, then tells the peer that nothing more comes. */
  end(): void;
  /** Closes at once. The owner hears nothing more. */
  destroy(): void;
  /** Closes at once so that the peer sees an error, not an end. */
  reset(): void;
  remote(): Endpoint;
  local(): Endpoint;
}

/** An address and a port; an empty address for what has none (Unix-domain sockets). */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
}
