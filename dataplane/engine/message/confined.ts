import type { MayReach } from '../../../contract/egress.ts';
import { gatewaysIn } from '../backend/forwarding.ts';
import type { Filter, Next } from './exchange.ts';

/** The handler, with whatever passes it held to this: what it or others open connections to for it. */
export function confinedHandler(handler: Next, egress: MayReach): Next {
  return function confined(exchange) {
    exchange.egress = egress;
    return handler(exchange);
  };
}

/** The same for the handler of a tenant's route, whose filters cannot make a request forget that it goes round. */
export function confinedRoute(handler: Next, egress: MayReach): Next {
  return function confined(exchange) {
    exchange.egress = egress;
    exchange.gateways = Math.max(exchange.gateways, gatewaysIn(exchange.request.headers));
    return handler(exchange);
  };
}

/** The same for a filter. */
export function confinedFilter(filter: Filter, egress: MayReach): Filter {
  return function confined(exchange, next) {
    exchange.egress = egress;
    return filter(exchange, next);
  };
}
