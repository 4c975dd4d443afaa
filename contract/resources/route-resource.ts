import { z } from 'zod';
import type { JsonObject } from '../document/json-value.ts';
import { planeSelector } from './plane-selector.ts';
import { freeForm, freeObject, oneOf, ruled } from './resource-rule.ts';
import { routeTls } from './route-tls.ts';

const declaration = z
  .looseObject({
    name: z.string().min(1).describe('Name by which other objects of the route refer to it.'),
    type: z.string().min(1).describe('Type of the object; `gatewarden types` lists them.'),
    config: freeForm('object')
      .optional()
      .describe('Configuration of the object; `gatewarden explain TYPE` lists its fields.'),
  })
  .describe('An object. Any other key is the name of a decorator that is applied to it.');

/** Every field of `Route.spec`. Other keys name decorators that are put around the handler. */
export const routeSpec = z.looseObject({
  handler: freeForm('Handler reference').describe(
    'Handler that requests are dispatched to: an object {type, config}, or the name of one.',
  ),
  heap: z
    .array(declaration)
    .optional()
    .meta({ listType: 'atomic' })
    .describe('Objects of this route. It can also use objects of the base configuration that tenants may use.'),
  condition: freeForm('runtime expression<boolean>')
    .optional()
    .describe(
      'Condition for requests that the route takes; by default all. The first matching route, by name, takes a ' +
        'request.',
    ),
  name: z
    .string()
    .min(1)
    .max(1024)
    .check(
      ruled<string>(
        { rule: "self != 'default'", message: "must not be 'default', which is the router's default handler" },
        (name) => name !== 'default',
      ),
    )
    .optional()
    .describe(
      'Name of the route, unique in its tenant; by default NAMESPACE.NAME. Routes of a tenant are tried in the ' +
        'order of their names.',
    ),
  secrets: z
    .strictObject({
      stores: z
        .array(freeForm('SecretStore reference'))
        .meta({ listType: 'atomic' })
        .describe('Secret stores for objects that do not set a secretsProvider.'),
    })
    .optional()
    .meta({ instead: "an object of type 'SecretsProvider'" })
    .describe('Stores of the route.'),
  session: freeForm('AsyncSessionManager reference')
    .optional()
    .describe(
      'Session manager of the route, by name or in place: the route gets sessions of its own, and sees nothing of those ' +
        'around it.',
    ),
  auditService: freeForm('AuditService reference')
    .optional()
    .describe(
      'Audit service of the route: an object, the name of one in its heap, or the name of an AuditService of the ' +
        'namespace. NAMESPACE/NAME is one of another namespace that allows it.',
    ),
  globalDecorators: freeObject('map of any value')
    .optional()
    .describe('Decorations of all objects of the route, by the name of the decorator.'),
  properties: freeObject('map of any value')
    .optional()
    .describe('Names for values, usable as &{name} in the other fields and as ${name} in expressions.'),
  dataPlanes: planeSelector
    .optional()
    .describe(
      'Selects the data planes that serve the Route, by their labels; the label gatewarden.io/group is the group ' +
        'of a data plane. By default the first group. An empty selector selects all data planes except sidecars. A ' +
        'sidecar serves the Route only if it is in the same namespace and the selector names a label that it has.',
    ),
  tls: routeTls
    .optional()
    .describe(
      'Certificates for hosts of the tenant. TLS connectors of the data planes that serve the Route show them to clients ' +
        'that ask for one of these hosts; other clients get the certificate of the connector.',
    ),
  onInvalid: oneOf(['KeepLastGood', 'Refuse'])
    .optional()
    .describe(
      'Behaviour while this version is invalid: the last accepted version keeps serving, or requests are rejected ' +
        'with 500. The default is set by the operator in trust.json.',
    ),
  _id: z
    .string()
    .check(
      ruled<string>({ rule: 'false', message: 'must not be given: the id of a Route is NAMESPACE.NAME' }, () => false),
    )
    .optional()
    .meta({ aside: true })
    .describe('Not allowed: the id of a Route is NAMESPACE.NAME.'),
});

export type RouteSpec = z.infer<typeof routeSpec>;

/** The fields that say where and how a Route is served, and are no part of its document. */
export const APART: ReadonlySet<string> = new Set(['dataPlanes', 'onInvalid', 'tls']);

/** The route document that a Route holds. */
export function routeDocument(spec: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(spec).filter(([key]) => !APART.has(key)));
}
