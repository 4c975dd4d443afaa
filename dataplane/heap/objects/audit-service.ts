import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { Problem } from '../../../contract/problem.ts';
import type { RefusedHead } from '../../engine/client/listener.ts';
import type { AccessEntry, Exchange } from '../../engine/message/exchange.ts';

/** A route, as events name it. */
export interface AuditedRoute {
  readonly id: string;
  readonly name: string;
}

/** Records exchanges in the topic `access`. */
export interface AccessRecording {
  /**
   * Begins the record of an exchange; its event is written when the exchange is over. `routePart` is the JSON that names
   * the route; `outer` is the record of another service for the same exchange, which is kept beside this one.
   */
  enter(exchange: Exchange, routePart: string, outer: AccessEntry | null): AccessEntry;
  /** Writes the event of a request that was refused before there was an exchange. */
  refusedHead(refused: RefusedHead): void;
}

/** An audit service. */
export interface AuditService {
  /** Null where nothing handles the topic `access`. */
  readonly access: AccessRecording | null;
  /** Whether a handler that must not lose events is full: requests are to be refused. */
  readonly refusesTraffic: boolean;
  /**
   * Publishes an event of a custom topic. The service adds `_id`, and `timestamp` and `transactionId` where the event
   * has none.
   *
   * @returns what is wrong with the event, with paths into it; empty when it was taken
   */
  publish(topic: string, event: JsonObject, exchange: Exchange | null): readonly Problem[];
}
