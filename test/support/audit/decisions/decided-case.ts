import type { JsonObject, JsonValue } from '../../../../contract/document/json-value.ts';
import type { Refusal } from '../../../../dataplane/engine/message/refusal.ts';
import type { AskOptions } from '../../gateways/filtered-gateway.ts';

/** A credential that clients of these cases send, wherever they can. */
export const SECRET = 's3cr3t-4711-credential';

/** Filters and a request that the last of them decides on. */
export interface DecidedCase {
  /** The type of the filter that decides. */
  readonly type: string;
  /** Absent where the request passes. */
  readonly code?: Refusal;
  /** Set where the browser is sent elsewhere. */
  readonly isRedirected?: true;
  /** Facts of the verdict beside type, object, outcome and code. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** The reason in the event, where it is not that of the code. */
  readonly reason?: string | RegExp;
  /** The user and the ids in the event, where there are any. */
  readonly user?: string;
  readonly trackingIds?: readonly string[];
  readonly filters: () => readonly JsonValue[] | Promise<readonly JsonValue[]>;
  /** By default one that sends requests to a backend. */
  readonly handler?: JsonValue;
  readonly target?: string;
  readonly ask?: AskOptions;
  /** The same request is sent this often before. */
  readonly before?: number;
}

/** A case of one filter with this configuration. */
export const one = (type: string, config: JsonObject) => () => [{ type, config }];

/** A request with these header lines. */
export const lines = (...headers: string[]): AskOptions => ({ headers });

/** A handler that filters name for what they refuse. */
export const failureHandler: JsonObject = { type: 'StaticResponseHandler', config: { status: 403 } };
