import { z } from 'zod';
import { allowedNamespaces } from './allowed-namespaces.ts';
import { freeObject } from './resource-rule.ts';

const filterPolicy = z.strictObject({
  includeIf: z
    .array(z.string())
    .optional()
    .meta({ listType: 'atomic' })
    .describe('JSON pointers, starting with the topic, of values to record that are not recorded by default.'),
  excludeIf: z
    .array(z.string())
    .optional()
    .meta({ listType: 'atomic' })
    .describe('JSON pointers, starting with the topic, of values to leave out.'),
});

const settings = z.strictObject({
  handlerForQueries: z.string().min(1).optional().describe('Name of the event handler that answers queries.'),
  availableAuditEventHandlers: z
    .array(z.string())
    .optional()
    .meta({ listType: 'atomic' })
    .describe('Classes of event handlers, for documentation only.'),
  filterPolicies: z
    .strictObject({
      field: filterPolicy.optional().describe('Fields that are recorded or left out as a whole.'),
      value: filterPolicy.optional().describe('Fields whose values are recorded or left out.'),
    })
    .optional()
    .describe('Parts of an event that are recorded.'),
  caseInsensitiveFields: z
    .array(z.string())
    .optional()
    .meta({ listType: 'atomic' })
    .describe('JSON pointers of objects whose keys are compared without regard to case.'),
  topicsSchemasDirectory: z
    .string()
    .optional()
    .describe('Directory of the schemas of custom topics. A resource cannot use a directory of a data plane.'),
  topics: freeObject('map of any value')
    .optional()
    .describe('Custom topics by name, each with its `schema`, `required` fields and `filterPolicies`.'),
  eventName: z.string().min(1).optional().describe('Value of `eventName` in access events; by default GW-HTTP-ACCESS.'),
});

const eventHandler = z.strictObject({
  class: z.string().min(1).describe('Class of the event handler.'),
  config: freeObject('object')
    .optional()
    .describe(
      'Configuration of the event handler, with its name and topics. A secretsProvider can be the name of a ' +
        'SecretStore of the namespace, or NAMESPACE/NAME.',
    ),
});

/** Every field of `AuditService.spec`: what `config` is in a declaration of the type AuditService. */
export const auditServiceSpec = z.strictObject({
  config: settings.optional().describe('Settings for all event handlers.'),
  eventHandlers: z
    .array(eventHandler)
    .optional()
    .meta({ listType: 'atomic' })
    .describe('Handlers that deliver the events. Those that write files of a data plane are for operators only.'),
  allowedNamespaces,
});

export type AuditServiceSpec = z.infer<typeof auditServiceSpec>;
