import { networkInterfaces } from 'node:os';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { deployedObject } from '../deployed-routes.ts';

/** An address of this machine that endpoints can have: the API server refuses those of loopback. */
export function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const own = all.find(({ family, internal }) => family === 'IPv4' && !internal);
  if (own === undefined) throw new Error('this machine has no address beside loopback, which endpoints need');
  return own.address;
}

/** A Service without a selector, whose endpoints the test writes. */
export function serviceOf(
  namespace: string,
  name: string,
  spec: JsonObject = {},
  annotations: JsonObject = {},
): object {
  const ports = [{ name: 'http', port: 80, protocol: 'TCP' }];
  return { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace, annotations }, spec: { ports, ...spec } };
}

/** The slice of one endpoint at a port of this machine. Each port needs a slice of its own. */
export function sliceAt(
  namespace: string,
  service: string,
  port: number,
  conditions: JsonObject = { ready: true },
): object {
  const labels = { 'kubernetes.io/service-name': service };
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: `${service}-${port}`, namespace, labels },
    addressType: 'IPv4',
    endpoints: [{ addresses: [ownAddress()], conditions }],
    ports: [{ name: 'http', port, protocol: 'TCP' }],
  };
}

/** A Route for everything below its own name, which goes to a Service. */
export function routeToService(namespace: string, name: string, service: JsonObject): JsonObject {
  const backends = { type: 'Backends', config: { service } };
  return deployedObject('Route', namespace, name, {
    condition: `\${find(request.uri.path, '^/${name}')}`,
    handler: { type: 'ReverseProxyHandler', config: { backends } },
  });
}
