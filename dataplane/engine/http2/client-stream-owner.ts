import type { ClientFacts } from '../client/client-facts.ts';
import type { ConnectionOwner } from '../client/connection-owner.ts';
import type { HeadWriter } from '../frames/head-writer.ts';
import type { SendingConnection } from './stream-sender.ts';

/** The connection that carries the streams of a client. */
export interface ClientStreamOwner<Stream> extends SendingConnection {
  readonly listener: ConnectionOwner;
  readonly facts: ClientFacts;
  readonly heads: HeadWriter;
  /** Those that are open. */
  readonly streams: ReadonlyMap<number, Stream>;
  /** Bytes that came were taken: the client may send as many again. */
  giveBack(stream: Stream | null, length: number): void;
  /** The answer is out before the request is in. */
  answeredEarly(stream: Stream): void;
  /** The client must not send the rest. */
  dismiss(stream: Stream): void;
  /** The stream had to be reset for what the client did. */
  violated(): void;
  /** The stream is over. `ours`: what still comes for it was on its way and means nothing. */
  close(stream: Stream, ours: boolean): void;
}
