import { unavailable } from '../../contract/vocabulary/field-notes.ts';

/** Fields of a handler about the proxy between it and its backends. */
export const proxyFields = {
  proxyOptions: unavailable('ProxyOptions reference').describe('Proxy for outgoing requests.'),
  proxy: unavailable('object').describe('Proxy for outgoing requests.'),
  systemProxy: unavailable('boolean').describe('Proxy of the machine for outgoing requests.'),
};
