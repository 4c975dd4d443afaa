import type { ProxyHeader } from '../client/proxy-protocol.ts';
import type { Refusal } from '../message/refusal.ts';
import type { Request } from '../message/request.ts';

/** Receiver of the requests that are read. */
export interface RequestReceiver {
  readonly scheme: string;
  /** A request is being answered: further ones wait. */
  readonly busy: boolean;
  /** Whether the peer may speak about the client. */
  readonly trusted: boolean;
  /** The PROXY protocol named the client. */
  introduced(header: ProxyHeader): void;
  /** The client speaks HTTP/2: all that it has sent, from its preface on, is `bytes[start, end)`. */
  prefaced(bytes: Buffer, start: number, end: number): void;
  /** A head has begun to arrive. */
  headBegun(): void;
  /** A whole head; its body, if any, follows. `last` when the client wants the connection closed. */
  requested(request: Request, last: boolean): void;
  refuse(refusal: Refusal): void;
  /** Ends the connection without an answer. */
  hangUp(refusal: Refusal): void;
  bodyComplete(): void;
  /** Somebody waits for the body, and the client for being asked. */
  askForBody(): void;
}
