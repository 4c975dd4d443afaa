import { Headers } from '../../../dataplane/engine/head/headers.ts';
import { listenerLimits } from '../../../dataplane/engine/head/limits.ts';
import { Exchange, type Origin } from '../../../dataplane/engine/message/exchange.ts';
import { Request } from '../../../dataplane/engine/message/request.ts';
import { webSocketTerms } from '../../../dataplane/engine/message/websocket-terms.ts';

/** An exchange that came on no connection, for objects that hardly look at it. */
export function plainExchange(): Exchange {
  const unknown = (): never => {
    throw new Error('nobody knows who sent this');
  };
  const origin: Origin = {
    facts: {
      serverName: null,
      clientContext: unknown,
      remoteAddress: unknown,
      originalUri: (exchange) => exchange.request.uri,
      forwardingLines: unknown,
    },
    webSockets: webSocketTerms({}, listenerLimits.parse({})),
    interim: unknown,
  };
  return new Exchange(origin, new Request('GET', '/', 'http', 'gw.test', 'HTTP/1.1', Headers.empty(), null, false), 0);
}
