import type { Parts } from '../heap/definition.ts';
import type { Next } from '../http/exchange.ts';
import { forwarder } from './forwarder.ts';
import type { SenderConfig } from './sender-fields.ts';

/** The whole way of a request to a backend: what is tried, how often, and when it is not tried at all. */
export function sender(config: SenderConfig, parts: Parts): Next {
  return forwarder(config, parts);
}
