import { readMember, writeMember } from '../../contract/expression/access.ts';
import { certificateShape } from '../../contract/expression/functions/certificate-functions.ts';
import type { Shape, Shapes } from '../../contract/expression/language.ts';
import type { Value } from '../../contract/expression/value.ts';
import type { ClientContext, Exchange, RouterContext } from '../engine/message/exchange.ts';
import { sessionContext, sessionContextShape } from './session-shape.ts';
import { uriShape } from './uri-shape.ts';

const clientShape: Shape<ClientContext> = {
  name: 'client',
  properties: {
    remoteAddress: { get: (client) => client.remoteAddress, kind: 'text' },
    remotePort: { get: (client) => client.remotePort, kind: 'number' },
    localAddress: { get: (client) => client.localAddress, kind: 'text' },
    localPort: { get: (client) => client.localPort, kind: 'number' },
    isSecure: { get: (client) => client.isSecure, kind: 'boolean' },
    isExternal: { get: (client) => client.isExternal, kind: 'boolean' },
    secure: { get: (client) => client.isSecure, kind: 'boolean' },
    external: { get: (client) => client.isExternal, kind: 'boolean' },
    userAgent: { get: (client) => client.userAgent, kind: 'text' },
    remoteUser: { get: (client) => client.remoteUser, kind: 'text' },
    certificates: { get: (client) => client.certificates, kind: 'list', items: certificateShape },
  },
};

const routerShape: Shape<RouterContext> = {
  name: 'router',
  properties: {
    originalUri: { get: (router) => router.originalUri, shape: uriShape },
    baseUri: { get: (router) => router.baseUri, kind: 'text' },
    matchedUri: { get: (router) => router.matchedUri, kind: 'text' },
    remainingUri: { get: (router) => router.remainingUri, kind: 'text' },
    uriTemplateVariables: { get: (router) => router.uriTemplateVariables, kind: 'map' },
  },
};

/** The attributes of an exchange as one of its contexts. */
export class AttributesContext {
  readonly attributes: Exchange['attributes'];

  constructor({ attributes }: Exchange) {
    this.attributes = attributes;
  }
}

/** The names of attributes are texts already. */
const noShapes: Shapes = new Map();

/** They are its property `attributes`, as in OpenIG, and its entries. */
export const attributesContextShape: Shape<AttributesContext> = {
  name: 'attributes',
  properties: { attributes: { get: (context) => context.attributes, kind: 'map' } },
  entries: {
    get: ({ attributes }, name) => readMember(attributes, name, noShapes),
    set: ({ attributes }, name, value) => writeMember(attributes, name, value, noShapes),
    keys: ({ attributes }) => [...attributes.keys()],
  },
};

/** The contexts of an exchange by name, which is how expressions see an exchange itself. */
export const contextsShape: Shape<Exchange> = {
  name: 'contexts',
  properties: {
    client: { get: (exchange) => exchange.client, shape: clientShape },
    router: { get: (exchange) => exchange.router, shape: routerShape },
    attributes: { get: (exchange) => new AttributesContext(exchange), shape: attributesContextShape },
    session: { get: sessionContext, shape: sessionContextShape },
  },
  entries: { get: contextOf },
};

function contextOf(exchange: Exchange, name: string): Value {
  const context = exchange.context(name);
  return typeof context === 'object' ? context : null;
}
