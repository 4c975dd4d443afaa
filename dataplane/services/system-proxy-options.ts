import { z } from 'zod';
import { configuredSystemProxy } from '../backends/system-proxy.ts';
import { defineService } from '../heap/definition.ts';

/** The proxy that system properties name. */
export const systemProxyOptions = defineService({
  type: 'SystemProxyOptions',
  kind: 'proxyOptions',
  summary:
    'Requests go through the proxy that system properties name: `http.proxyHost` and `http.proxyPort` (80) for http, ' +
    '`https.proxyHost` and `https.proxyPort` (443) for https. Hosts in `http.nonProxyHosts`, or for https in ' +
    '`https.nonProxyHosts` where that is set, are reached straight: names between bars, in which `*` stands for ' +
    'anything. `localhost|127.*|[::1]|0.0.0.0|[::0]` are always among them unless the property is empty. System ' +
    'properties are given with `-D` to `gatewarden run`. The proxy must not ask for a password.',
  operatorOnly: 'it uses system properties of the data plane',
  config: z.strictObject({}),
  examples: [{ title: 'As the properties say', config: {} }],
  create(_config, { plane, log }) {
    return configuredSystemProxy(plane.reach, log);
  },
});
