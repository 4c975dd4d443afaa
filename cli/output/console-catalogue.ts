import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/document/json-value.ts';
import { tenantReach } from '../../contract/reach.ts';
import type { ShownCatalogue, ShownField, ShownType } from '../../contract/shown/shown-catalogue.ts';
import { groupRules } from '../../contract/vocabulary/groups.ts';
import { type ObjectNode, schemaTree } from '../../contract/vocabulary/schema-tree.ts';
import { catalogue } from '../../dataplane/catalogue/catalogue.ts';
import { unavailableTypes } from '../../dataplane/catalogue/unavailable-types.ts';
import { defaultObjects } from '../../dataplane/heap/default-objects.ts';
import type { TypeDefinition } from '../../dataplane/heap/definition.ts';
import { runtimeLanguage } from '../../dataplane/language/runtime-language.ts';
import { bareReading } from '../actions/bare-reading.ts';
import { documents } from './explained.ts';
import { shownField, shownFields } from './shown-form.ts';
import { shownLanguage } from './shown-language.ts';

/** Types with fewer fields than this show all of them at once. */
const FEW = 6;

/** Returns the catalogue that the forms of the console are made from: the same schemas that documents are checked with. */
export function consoleCatalogue(): ShownCatalogue {
  const defaults = (defaultObjects as readonly JsonValue[]).filter(isJsonObject);
  const decorators = defaults.flatMap(({ name, type }) => {
    const decoration = catalogue.find(String(type))?.decoration;
    if (decoration === undefined) return [];
    // A decoration is always a choice, whatever its own value needs.
    const { isRequired: _, ...field } = shownField(String(name), schemaTree(decoration));
    return [field];
  });
  const { reading } = bareReading({});
  return {
    types: [...catalogue.definitions].sort((a, b) => (a.type < b.type ? -1 : 1)).map(shownType),
    route: routeFields(),
    decorations: decorators,
    given: defaults
      .filter(({ type }) => catalogue.find(String(type))?.decoration === undefined)
      .map(({ name, type }) => ({ name: String(name), type: String(type) })),
    unavailable: [...unavailableTypes],
    language: shownLanguage(reading.runtime, runtimeLanguage(tenantReach({}), new Map())),
  };
}

function routeFields(): readonly ShownField[] {
  const { config } = documents.find(({ name }) => name === 'Route')!;
  return shownFields(schemaTree(config) as ObjectNode);
}

function shownType(definition: TypeDefinition): ShownType {
  const { type, kind, aliases = [], summary, operatorOnly, config, examples = [] } = definition;
  const node = schemaTree(config);
  const rules = groupRules(node);
  const example = examples[0]?.config as JsonObject | undefined;
  return {
    type,
    kind,
    ...(aliases.length > 0 && { aliases }),
    summary,
    ...(operatorOnly !== undefined && { operatorOnly }),
    fields: node.kind === 'object' ? shownFields(node, commonFields(node, definition)) : [],
    ...(rules.length > 0 && { rules }),
    ...(example !== undefined && { example }),
  };
}

/** Fields that the examples of a type have; empty if there are too few fields to hide some. */
function commonFields({ fields }: ObjectNode, { examples = [] }: TypeDefinition): ReadonlySet<string> {
  if (fields.size < FEW) return new Set();
  return new Set(
    examples.flatMap(({ config }) => (isJsonObject(config as JsonValue) ? Object.keys(config as object) : [])),
  );
}
