import { z } from 'zod';
import { tlsRemarks } from '../backends/backend-tls.ts';
import { httpVersionRemarks } from '../backends/http-version.ts';
import { proxyRemarks } from '../backends/proxy-fields.ts';
import { sender } from '../backends/sender.ts';
import { senderFields } from '../backends/sender-fields.ts';
import { defineHandler } from '../heap/definition.ts';

/** Sends requests on to a protected application. */
export const reverseProxyHandler = defineHandler({
  type: 'ReverseProxyHandler',
  summary:
    'Sends each request to the scheme, host and port of its URI, which a `baseURI` sets, and returns the answer. The ' +
    '`Host` header is passed as received. A backend that cannot be reached gives 502, one that does not answer in ' +
    'time as well. Backends with `https` are reached by the `tls` options. A request that would come back to the ' +
    'gateway itself is refused.',
  config: z.strictObject(senderFields),
  examples: [
    { title: 'As it is, for use with a baseURI', config: {} },
    {
      title: 'A slow application with WebSockets',
      config: { connections: 128, soTimeout: '1 minute', websocket: { enabled: true, soTimeout: '10 minutes' } },
    },
  ],
  remarks: (config) => [...httpVersionRemarks(config), ...tlsRemarks(config), ...proxyRemarks(config)],
  create(config, parts) {
    return sender(config, parts);
  },
});
