import { gatewaysIn, restoreGateways } from '../engine/backend/forwarding.ts';
import type { Exchange } from '../engine/message/exchange.ts';

/** Gateways that a request may have come through; more are a circle. */
const MOST_GATEWAYS = 5;

/** Whether a request has come through too many gateways, however many its headers still name. */
export function hasComeRound({ gateways, request: { headers } }: Exchange): boolean {
  if (gateways > 0) restoreGateways(headers, gateways);
  return headers.has('via') && gatewaysIn(headers) >= MOST_GATEWAYS;
}
