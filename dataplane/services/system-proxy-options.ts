import { z } from 'zod';
import { configuredSystemProxy } from '../backends/system-proxy.ts';
import { defineService } from '../heap/definition.ts';

/** The proxy that system properties name. */
export const systemProxyOptions = defineService({
  type: 'SystemProxyOptions',
  kind: 'proxyOptions',
  summary:
    'Sends requests through the proxy of the system properties: `http.proxyHost` and `http.proxyPort` (80) for ' +
    'http, `https.proxyHost` and `https.proxyPort` (443) for https. Hosts in `http.nonProxyHosts`, or for https ' +
    'in `https.nonProxyHosts` where that is set, are contacted directly; the value is a list of names separated ' +
    'by `|`, in which `*` matches anything. `localhost|127.*|[::1]|0.0.0.0|[::0]` are always included unless the ' +
    'property is empty. Set system properties with `-D` of `gatewarden run`. The proxy must not require a ' +
    'password.',
  operatorOnly: 'it uses system properties of the data plane',
  config: z.strictObject({}),
  examples: [{ title: 'Proxy of the system properties', config: {} }],
  create(_config, { plane, log }) {
    return configuredSystemProxy(plane.reach, log);
  },
});
