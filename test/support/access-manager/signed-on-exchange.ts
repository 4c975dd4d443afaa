import type { Exchange } from '../../../dataplane/engine/message/exchange.ts';
import { plainExchange } from '../gateways/plain-exchange.ts';

export interface SignedOnOptions {
  readonly method?: string;
  readonly uri?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The context of the SSO filter; null for none. */
  readonly ssoToken?: object | null;
}

/** A request after an SSO filter, for filters that are called without a gateway. */
export function signedOnExchange(options: SignedOnOptions = {}): Exchange {
  const { method = 'GET', uri = 'http://app.test/a', headers = {}, ssoToken = { value: 'tok' } } = options;
  const exchange = plainExchange();
  exchange.setContext('client', { remoteAddress: '127.0.0.1' });
  if (ssoToken !== null) exchange.setContext('ssoToken', ssoToken);
  exchange.request.method = method;
  exchange.request.uri = uri;
  for (const [name, value] of Object.entries(headers)) exchange.request.headers.append(name, value);
  return exchange;
}
