import type { Exchange } from '../../engine/message/exchange.ts';

/** Gives the URL of the resource that a policy decision is asked about. */
export interface ResourceUriProvider {
  /** Throws or rejects where it has none: then nothing is decided. */
  resource(exchange: Exchange): string | Promise<string>;
  /** True where equal URIs of requests, as they are at this place of the chain, always have the same resource. */
  readonly isOfUri?: boolean;
}
