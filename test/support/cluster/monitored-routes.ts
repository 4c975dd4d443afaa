import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { guardedRoute, IssuerKey, issuerStore } from '../identity/issuer-key.ts';
import { deployedObject, said, sayingHandler } from './deployed-routes.ts';

/** Routes of one namespace that together count everything which can be counted of objects. */
export class MonitoredRoutes {
  readonly names = ['orders', 'busy', 'broken', 'spread'] as const;
  private readonly key = new IssuerKey();
  private readonly namespace: string;

  constructor(namespace: string) {
    this.namespace = namespace;
  }

  /** The objects to apply. @param nobody addresses where nobody listens, which Routes may connect to */
  objects(nobody: readonly [string, string], more: JsonObject = {}): JsonObject[] {
    const { namespace } = this;
    return [
      this.key.secret(namespace, 'keys'),
      issuerStore(namespace, 'keys'),
      cached(guardedRoute(namespace, 'orders', 'keys')),
      this.route('busy', [throttling], sayingHandler('hello')),
      this.route('broken', [breaker], {
        type: 'ReverseProxyHandler',
        baseURI: `http://${nobody[0]}`,
        config: { retries: { count: 1, delay: '1 ms' } },
      }),
      // requests move from one to the other, and one of them is ejected
      this.route('spread', [], {
        type: 'ReverseProxyHandler',
        config: {
          backends: { type: 'Backends', config: { endpoints: nobody.map((at) => ({ uri: `http://${at}` })) } },
        },
      }),
    ].map((object) => (object['kind'] === 'Route' ? withSpec(object, more) : object));
  }

  /** Makes a plane count: good and bad tokens, too many requests, and a backend that is not there. */
  async use(port: number): Promise<void> {
    const { headers } = this.key;
    const scope = { authorization: 'Bearer nonsense' };
    await Promise.all([said(port, '/orders', headers), said(port, '/orders', headers), said(port, '/orders')]);
    await said(port, '/orders', headers);
    await said(port, '/orders', scope);
    for (const partition of ['a', 'a', 'b', 'b']) await said(port, '/busy', { 'x-partition': partition });
    for (let i = 0; i < 4; i++) await said(port, '/broken');
    for (let i = 0; i < 6; i++) await said(port, '/spread');
  }

  private route(name: string, filters: JsonValue[], handler: JsonObject): JsonObject {
    return deployedObject('Route', this.namespace, name, {
      condition: `\${find(request.uri.path, '^/${name}$')}`,
      handler: { type: 'Chain', config: { filters, handler } },
    });
  }
}

const throttling = {
  type: 'ThrottlingFilter',
  config: {
    requestGroupingPolicy: "${request.headers['x-partition'][0]}",
    rate: { numberOfRequests: 1, duration: '1 hour' },
    maximumPartitions: 1,
  },
};

const breaker = { type: 'CircuitBreakerFilter', config: { maxFailures: 2, openDuration: '1 hour' } };

/** The Route with a filter that keeps tokens. */
function cached(route: JsonObject): JsonObject {
  return JSON.parse(
    JSON.stringify(route).replace('"requireHttps":false', '"requireHttps":false,"cache":{"enabled":true}'),
  ) as JsonObject;
}

function withSpec(object: JsonObject, more: JsonObject): JsonObject {
  return { ...object, spec: { ...(object['spec'] as JsonObject), ...more } };
}
