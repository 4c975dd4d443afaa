import { z } from 'zod';
import { defineHandler } from '../heap/definition.ts';
import { proxy } from './proxy.ts';
import { proxyFields } from './proxy-fields.ts';

/** Sends requests on to a protected application. */
export const reverseProxyHandler = defineHandler({
  type: 'ReverseProxyHandler',
  summary:
    'Sends each request to the scheme, host and port of its URI, which a `baseURI` sets, and returns the answer. The ' +
    '`Host` header is passed as received. A backend that cannot be reached gives 502, one that does not answer in ' +
    'time 504. Only `http` backends can be reached in this version. A request that would come back to the gateway ' +
    'itself is refused.',
  config: z.strictObject(proxyFields),
  examples: [
    { title: 'As it is, for use with a baseURI', config: {} },
    {
      title: 'A slow application with WebSockets',
      config: { connections: 128, soTimeout: '1 minute', websocket: { enabled: true, soTimeout: '10 minutes' } },
    },
  ],
  create(config, parts) {
    return proxy(config, parts);
  },
});
