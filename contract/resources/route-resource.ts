import { z } from 'zod';
import type { JsonObject } from '../document/json-value.ts';
import { planeSelector } from './plane-selector.ts';
import { freeForm, freeObject, oneOf, ruled } from './resource-rule.ts';

const declaration = z
  .looseObject({
    name: z.string().min(1).describe('Name by which other objects of the route refer to it.'),
    type: z.string().min(1).describe('Type of the object; `gatewarden types` lists them.'),
    config: freeForm('object')
      .optional()
      .describe('Configuration of the object; `gatewarden explain TYPE` lists its fields.'),
  })
  .describe('An object. A key beside these names a decorator, which is put around it.');

/** Every field of `Route.spec`. Other keys name decorators that are put around the handler. */
export const routeSpec = z.looseObject({
  handler: freeForm('Handler reference').describe(
    'Handler that requests are dispatched to: an object {type, config}, or the name of one.',
  ),
  heap: z
    .array(declaration)
    .optional()
    .meta({ listType: 'atomic' })
    .describe('Objects of this route. Others are found in the base configuration, as far as tenants may use them.'),
  condition: freeForm('runtime expression<boolean>')
    .optional()
    .describe('Which requests the route is about; by default all. A request goes to the first route by name.'),
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
    .describe('Routes of a tenant are tried in the order of their names, which are unique; by default NAMESPACE.NAME.'),
  secrets: z
    .strictObject({
      stores: z
        .array(freeForm('SecretStore reference'))
        .meta({ listType: 'atomic' })
        .describe('Stores that are asked for the secrets of objects which name no provider.'),
    })
    .optional()
    .meta({ instead: "an object of type 'SecretsProvider'" })
    .describe('Stores of the route.'),
  session: freeForm('AsyncSessionManager reference')
    .optional()
    .describe('Stateless session of the route. Not available in this version: a Route with it is not accepted.'),
  auditService: freeForm('AuditService reference')
    .optional()
    .describe(
      'Audit service of the route: the name of an AuditService, NAMESPACE/NAME of one that allows it, or an object. ' +
        'Not available in this version: a Route with it is not accepted.',
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
      'Which planes serve the Route, by their labels; gatewarden.io/group is the group of a plane. By default those ' +
        'of the first group. One that asks nothing selects all planes but sidecars, which serve it only when they are in ' +
        'its namespace and this asks for a label that they have.',
    ),
  onInvalid: oneOf(['KeepLastGood', 'Refuse'])
    .optional()
    .describe(
      'What becomes of requests while this version is not sound: the version accepted last keeps serving them, or ' +
        'they are refused with 500. By default what the operator chose in trust.json.',
    ),
  _id: z
    .string()
    .check(
      ruled<string>({ rule: 'false', message: 'must not be given: the id of a Route is NAMESPACE.NAME' }, () => false),
    )
    .optional()
    .meta({ aside: true })
    .describe('Must not be given: the id of a Route is NAMESPACE.NAME.'),
});

export type RouteSpec = z.infer<typeof routeSpec>;

/** The fields that say where and how a Route is served, and are no part of its document. */
export const APART: ReadonlySet<string> = new Set(['dataPlanes', 'onInvalid']);

/** The route document that a Route holds. */
export function routeDocument(spec: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(spec).filter(([key]) => !APART.has(key)));
}
