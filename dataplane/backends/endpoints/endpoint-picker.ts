import type { Exchange } from '../../engine/message/exchange.ts';
import type { BalancedEndpoint } from './balanced-endpoint.ts';

/** A way to spread requests over endpoints. */
export interface EndpointPicker {
  /** Takes other endpoints, at least one, in the order of their keys. */
  use(endpoints: readonly BalancedEndpoint[]): void;
  pick(exchange: Exchange): BalancedEndpoint;
  /** Picks an endpoint that was not tried; null when all were. */
  pickExcept(exchange: Exchange, tried: ReadonlySet<unknown>): BalancedEndpoint | null;
}

/** Picks that are worth it before the endpoints are searched one by one. */
const PICKS = 4;

/** Picks again until an endpoint was not tried, then takes the first one of which that is true. */
export function pickUntried(
  pick: () => BalancedEndpoint,
  endpoints: readonly BalancedEndpoint[],
  tried: ReadonlySet<unknown>,
): BalancedEndpoint | null {
  for (let i = 0; i < PICKS; i++) {
    const picked = pick();
    if (!tried.has(picked)) return picked;
  }
  return endpoints.find((endpoint) => !tried.has(endpoint)) ?? null;
}
