import type { JsonObject } from '../../contract/document/json-value.ts';
import { isJsonObject } from '../../contract/document/json-value.ts';
import { JSON_SCHEMA_VERSION, jsonSchemaWithin, type SchemaStyle } from '../../contract/vocabulary/json-schema.ts';
import type { JsonSchema } from '../../contract/vocabulary/leaf.ts';
import { kinds, standIns } from '../../contract/vocabulary/reference.ts';
import { catalogue } from '../../dataplane/catalogue/catalogue.ts';
import { unavailableTypes } from '../../dataplane/catalogue/unavailable-types.ts';
import { defaultObjects } from '../../dataplane/heap/default-objects.ts';
import type { TypeDefinition } from '../../dataplane/heap/definition.ts';
import { firstSentence } from '../../dataplane/heap/types-by-kind.ts';
import type { DocumentName } from './document-name.ts';
import { documents } from './explained.ts';

/** What `explain` calls the documents. */
const TITLES: Readonly<Record<DocumentName, string>> = { route: 'Route', config: 'config.json', admin: 'admin.json' };

/** What any value may be instead of itself: a text with a token in it, or a transformation such as `{"$int": "&{port}"}`. */
const WRITTEN: JsonSchema = {
  anyOf: [
    { type: 'string', pattern: '&\\{' },
    { type: 'object', minProperties: 1, propertyNames: { pattern: '^\\$(?!schema$)' } },
  ],
};

const style: SchemaStyle = {
  reference: (kind) => ({ $ref: `#/$defs/${kind}` }),
  value: (form) => ({ if: { $ref: '#/$defs/written' }, else: form }),
  // 'secrets.stores' of the document or of one around it take its place
  isRequired: (name) => name !== 'secretsProvider',
};

/**
 * The JSON Schema of a document of an instance, for editors. What it refuses is wrong; what it allows may still be
 * refused, because it does not follow names to objects and does not evaluate expressions.
 */
export function documentSchema(name: DocumentName): JsonSchema {
  const { summary, config } = documents.find((one) => one.name === TITLES[name])!;
  const fields = documentFields(jsonSchemaWithin(config, style));
  const isSettings = name === 'admin';
  return {
    $schema: JSON_SCHEMA_VERSION,
    title: `Gatewarden: ${TITLES[name]}`,
    description: summary,
    ...fields,
    properties: {
      $schema: { type: 'string', description: 'Schema of this file, for editors; the gateway ignores it.' },
      ...(isSettings ? {} : decorationFields()),
      ...(fields['properties'] as JsonSchema),
      heap: { description: 'Named objects, for this document and the documents in it.', $ref: '#/$defs/heap' },
      ...(isSettings
        ? {}
        : { globalDecorators: { description: GLOBAL, type: 'object', properties: decorationFields() } }),
    },
    // a key that is no field of a route may be the name of a decorator
    additionalProperties: !isSettings,
    $defs: definitions(),
  };
}

const GLOBAL = 'Decorations of every object of the document, by decorator.';

/** A schema for what matches another one, and perhaps one for the rest. */
function when(matching: JsonSchema, schema: JsonSchema, otherwise?: JsonSchema): JsonSchema {
  // an object literal with this key would look like a promise
  const key = 'then';
  return { if: matching, [key]: schema, ...(otherwise === undefined ? {} : { else: otherwise }) };
}

/** The fields of a document, which is never a transformation itself. */
function documentFields(schema: JsonSchema): JsonSchema {
  const { required, properties, patternProperties } = schema['else'] as JsonSchema;
  return { type: 'object', ...(required === undefined ? {} : { required }), properties, patternProperties };
}

function definitions(): JsonSchema {
  const configs = catalogue.definitions.map(({ type, config }): [string, JsonSchema] => [
    `${type}.config`,
    withLogSink(jsonSchemaWithin(config, style)),
  ]);
  return {
    written: WRITTEN,
    heap: heapSchema(),
    declaration: declarationSchema(),
    ...Object.fromEntries(Object.entries(kinds).map(([kind, name]) => [kind, referenceSchema(kind, name)])),
    ...Object.fromEntries(configs),
  };
}

/** In earlier versions of OpenIG every object could be told where to log. */
function withLogSink(config: JsonSchema): JsonSchema {
  const form = config['else'] as JsonSchema;
  const properties = {
    logSink: { description: 'Has no effect.', deprecated: true },
    ...(form['properties'] as JsonSchema),
  };
  return { ...config, else: { ...form, properties } };
}

function heapSchema(): JsonSchema {
  const names = [...typeNames(catalogue.definitions), ...unavailableTypes];
  const items = style.value({
    ...declared(names, 'Declaration of an object that others refer to by its name.'),
    required: ['name', 'type'],
  });
  const list = { type: 'array', items };
  // in the first versions of OpenIG the list was a field of an object
  return style.value(when({ type: 'object' }, { properties: { objects: list }, required: ['objects'] }, list));
}

/** A reference: the name of an object, or its declaration in place. */
function referenceSchema(kind: string, name: string): JsonSchema {
  const standIn = standIns[kind as keyof typeof standIns];
  const fitting = catalogue.definitions.filter(
    (one) => kind === 'any' || one.kind === kind || one.kind === standIn || one.follows !== undefined,
  );
  const description = `Name of an object that is a ${name}, or the declaration of one.`;
  const named = { description, minLength: 1, examples: defaultNames(fitting) };
  return style.value(when({ type: 'string' }, named, declared(typeNames(fitting), description)));
}

/** A declaration of an object whose type has one of these names. The name of a Java class is known by its dots. */
function declared(names: readonly string[], description: string): JsonSchema {
  return {
    description,
    $ref: '#/$defs/declaration',
    properties: { type: style.value({ if: { type: 'string', pattern: '\\.' }, else: { enum: names } }) },
  };
}

/** What all declarations have in common, and the configuration that belongs to each type. */
function declarationSchema(): JsonSchema {
  return {
    type: 'object',
    required: ['type'],
    properties: {
      name: style.value({ type: 'string', minLength: 1, description: 'Name by which other objects refer to it.' }),
      type: { description: 'Type of the object; `gatewarden types` lists them.' },
      config: style.value({ type: ['object', 'null'] }),
      ...decorationFields(),
    },
    allOf: catalogue.definitions.map(typeRule),
  };
}

function typeRule(definition: TypeDefinition): JsonSchema {
  const { type, config } = definition;
  const { required } = (jsonSchemaWithin(config, style)['else'] ?? {}) as JsonSchema;
  const isOfType = { properties: { type: { enum: typeNames([definition]) } }, required: ['type'] };
  return when(isOfType, {
    ...(required === undefined ? {} : { required: ['config'] }),
    properties: {
      type: { description: firstSentence(definition) },
      config: { if: { type: 'null' }, else: { $ref: `#/$defs/${type}.config` } },
    },
  });
}

/** The decorators that need no declaration, as fields beside an object or at the top of a document. */
function decorationFields(): JsonSchema {
  return Object.fromEntries(
    defaultsOf((definition) => definition.decoration !== undefined).map(({ name, definition }) => [
      name,
      jsonSchemaWithin(definition.decoration!, style),
    ]),
  );
}

function defaultNames(fitting: readonly TypeDefinition[]): string[] {
  return defaultsOf((definition) => fitting.includes(definition)).map(({ name }) => name);
}

function defaultsOf(isWanted: (definition: TypeDefinition) => boolean): { name: string; definition: TypeDefinition }[] {
  return (defaultObjects as readonly JsonObject[]).filter(isJsonObject).flatMap(({ name, type }) => {
    const definition = catalogue.find(String(type));
    return definition !== undefined && isWanted(definition) ? [{ name: String(name), definition }] : [];
  });
}

function typeNames(definitions: readonly TypeDefinition[]): string[] {
  return definitions.flatMap(({ type, aliases = [] }) => [type, ...aliases]).toSorted();
}
