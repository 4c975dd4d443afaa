import type { Shape } from '../../contract/expression/language.ts';
import type { Value } from '../../contract/expression/value.ts';
import type { ClientContext, Exchange, RouterContext } from '../http/exchange.ts';
import { uriShape } from './uri-shape.ts';

const clientShape: Shape<ClientContext> = {
  name: 'client',
  properties: {
    remoteAddress: { get: (client) => client.remoteAddress },
    remotePort: { get: (client) => client.remotePort },
    localAddress: { get: (client) => client.localAddress },
    localPort: { get: (client) => client.localPort },
    isSecure: { get: (client) => client.isSecure },
    isExternal: { get: (client) => client.isExternal },
    secure: { get: (client) => client.isSecure },
    external: { get: (client) => client.isExternal },
    userAgent: { get: (client) => client.userAgent },
    remoteUser: { get: (client) => client.remoteUser },
    certificates: { get: (client) => client.certificates },
  },
};

const routerShape: Shape<RouterContext> = {
  name: 'router',
  properties: {
    originalUri: { get: (router) => router.originalUri, shape: uriShape },
    baseUri: { get: (router) => router.baseUri },
    matchedUri: { get: (router) => router.matchedUri },
    remainingUri: { get: (router) => router.remainingUri },
    uriTemplateVariables: { get: (router) => router.uriTemplateVariables },
  },
};

/** The contexts of an exchange by name, which is how expressions see an exchange itself. */
export const contextsShape: Shape<Exchange> = {
  name: 'contexts',
  properties: {
    client: { get: (exchange) => exchange.client, shape: clientShape },
    router: { get: (exchange) => exchange.router, shape: routerShape },
  },
  entries: { get: contextOf },
};

function contextOf(exchange: Exchange, name: string): Value {
  const context = exchange.context(name);
  return typeof context === 'object' ? context : null;
}
