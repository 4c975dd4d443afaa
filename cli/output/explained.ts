import { z } from 'zod';
import { adminSettings } from '../../contract/admin-settings.ts';
import { isJsonObject, type JsonValue } from '../../contract/document/json-value.ts';
import { noEffect } from '../../contract/vocabulary/field-notes.ts';
import { ref } from '../../contract/vocabulary/reference.ts';
import { runtimeFlag } from '../../contract/vocabulary/runtime.ts';
import { type AuditHandlerDefinition, handlerFacts } from '../../dataplane/audit/handlers/audit-handler.ts';
import { handlerClass } from '../../dataplane/audit/handlers/handler-classes.ts';
import { catalogue } from '../../dataplane/catalogue/catalogue.ts';
import { defaultObjects } from '../../dataplane/heap/default-objects.ts';
import type { TypeDefinition } from '../../dataplane/heap/definition.ts';
import { typeFacts } from '../../dataplane/heap/types-by-kind.ts';
import { secretsField } from '../../dataplane/routes/secrets-field.ts';

/** Description of a type of object or of a document. */
export interface Explained {
  readonly name: string;
  /** What it is, as sentences. */
  readonly facts: readonly string[];
  readonly summary: string;
  readonly config: z.ZodType;
  /** The value beside a decorated object. */
  readonly decoration: z.ZodType | undefined;
  readonly examples: readonly { readonly title: string; readonly document: JsonValue }[];
}

const common = {
  handler: ref('handler').describe('Handler of the requests.'),
  heap: z.array(z.unknown()).optional().describe('Named objects, for this document and the documents in it.'),
  properties: z.unknown().optional().describe('Names for values: tokens and names in expressions.'),
  globalDecorators: z.unknown().optional().describe('Decorations of every object of the document, by decorator.'),
  monitor: noEffect(z.unknown(), 'every route is monitored'),
  secrets: secretsField,
  session: ref('sessionManager')
    .optional()
    .describe('Manager of the sessions; without it a route has those around it.'),
  auditService: ref('auditService')
    .optional()
    .describe('Audit service that records the requests; without it the one around the document records them.'),
};

/** The files of an instance. Beside their fields they take the names of decorators, for the main handler. */
export const documents: readonly Explained[] = [
  {
    name: 'Route',
    facts: ['A file in the directory of a router, such as config/routes/10-shop.json.'],
    summary:
      'Takes the requests for which its condition is true, unless an earlier route (by name) takes them. The names ' +
      'of decorators are fields too, such as capture and baseURI.',
    config: z.strictObject({
      name: z
        .string()
        .optional()
        .describe('Name of the route. A router tries its routes in the order of their names. By default the id.'),
      _id: z.string().optional().describe('Id; by default the name of the file without its extension.'),
      condition: runtimeFlag()
        .nullable()
        .optional()
        .describe('Condition for requests that the route takes; by default every request that reaches it.'),
      ...common,
    }),
    decoration: undefined,
    examples: [
      {
        title: 'A shop, served by a backend',
        document: {
          condition: "${find(request.uri.path, '^/shop')}",
          baseURI: 'http://127.0.0.1:3000',
          handler: 'ReverseProxyHandler',
        },
      },
    ],
  },
  {
    name: 'config.json',
    facts: ['The file config/config.json of an instance.'],
    summary: 'Every request starts at its handler, and every route can use its heap.',
    config: z.strictObject({
      ...common,
      handler: ref('handler')
        .optional()
        .describe("Handler of the requests; by default the object '_router' of the heap, or else a Router."),
      handlerObject: noEffect(z.unknown(), "the main handler is what 'handler' says"),
      temporaryStorage: noEffect(
        z.unknown(),
        'objects that keep content use the TemporaryStorage of the heap, or the one that they name',
      ),
    }),
    decoration: undefined,
    examples: [{ title: 'Routes from config/routes', document: { handler: { type: 'Router' } } }],
  },
  {
    name: 'admin.json',
    facts: ['The file config/admin.json of an instance.'],
    summary: 'Sets the addresses and the limits for clients. It is read once, at the start.',
    config: adminSettings,
    decoration: undefined,
    examples: [{ title: 'Another port', document: { connectors: [{ port: 8443 }] } }],
  },
];

/**
 * Explains a name: that of a type, of a document of an instance, of a class of audit event handlers, or of an object
 * that needs no declaration.
 * @throws Error that says which name was probably meant.
 */
export function explained(name: string): Explained {
  const definition = catalogue.find(name);
  if (definition !== undefined) return explainedType(definition, []);
  const document = documents.find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (document !== undefined) return document;
  const handler = handlerClass(name);
  if (handler !== undefined) return explainedHandler(handler);
  const byDefault = catalogue.find(typeOfDefault(name));
  if (byDefault !== undefined) return explainedType(byDefault, [`'${name}' exists without being declared.`]);
  const { message, hint } = catalogue.unknown(name);
  throw new Error(hint === undefined ? message : `${message}: ${hint}`);
}

function explainedType(definition: TypeDefinition, more: readonly string[]): Explained {
  const { type, summary, config, decoration, examples = [] } = definition;
  return {
    name: type,
    facts: [...typeFacts(definition), ...more],
    summary,
    config,
    decoration,
    examples: examples.map(({ title, config: example }) => ({
      title,
      document: { type, config: example as JsonValue },
    })),
  };
}

function explainedHandler(handler: AuditHandlerDefinition): Explained {
  const { className, summary, config, examples = [] } = handler;
  return {
    name: className,
    facts: handlerFacts(handler),
    summary,
    config,
    decoration: undefined,
    examples: examples.map(({ title, config: example }) => ({
      title,
      document: { class: className, config: example as JsonValue },
    })),
  };
}

function typeOfDefault(name: string): string {
  const objects = Array.isArray(defaultObjects) ? (defaultObjects as readonly JsonValue[]) : [];
  const found = objects.find((object) => isJsonObject(object) && object['name'] === name);
  const type = isJsonObject(found) ? found['type'] : '';
  return typeof type === 'string' ? type : '';
}
