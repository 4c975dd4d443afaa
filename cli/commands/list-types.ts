import type { TypeDefinition } from '../../dataplane/heap/definition.ts';
import { type DocumentName, documentNames } from '../output/document-name.ts';
import { columns } from '../output/text-layout.ts';
import { defineCommand, type Reading } from './command.ts';

/** Lists what declarations can name. */
export const typesCommand = defineCommand({
  name: 'types',
  summary: 'list the types of objects that a configuration can declare',
  description:
    'Lists every type that "type" in a declaration can name, by purpose. With --json each has its aliases, ' +
    'its description, the JSON Schema of its configuration and examples. With --schema it prints the JSON Schema of a ' +
    'whole document, which holds those of all types: an editor uses it to complete and check the file.',
  options: {
    json: { flag: true, description: 'Print all details of the types, as JSON.' },
    schema: {
      valueName: 'DOCUMENT',
      optional: true,
      description: 'Print the JSON Schema of a document: route, config (config.json) or admin (admin.json).',
      read: readDocumentName,
    },
  },
  examples: [
    { command: 'gatewarden types', effect: 'List the types.' },
    { command: 'gatewarden types --json', effect: 'Print their JSON Schemas, for editors and other tools.' },
    {
      command: 'gatewarden types --schema route > route.schema.json',
      effect: 'Save the schema of routes for an editor.',
    },
  ],
  async run({ json, schema }) {
    if (schema !== undefined) {
      const { documentSchema } = await import('../output/document-schema.ts');
      process.stdout.write(`${JSON.stringify(documentSchema(schema), null, 2)}\n`);
      return 0;
    }
    const { catalogue } = await import('../../dataplane/catalogue/catalogue.ts');
    process.stdout.write(json ? await asJson(catalogue.definitions) : await asText(catalogue.definitions));
    return 0;
  },
});

function readDocumentName(text: string): Reading<DocumentName> {
  const value = documentNames.find((name) => name === text);
  return value === undefined ? { problem: `must be one of ${documentNames.join(', ')}` } : { value };
}

async function asText(definitions: readonly TypeDefinition[]): Promise<string> {
  const { firstSentence, typesByKind } = await import('../../dataplane/heap/types-by-kind.ts');
  return typesByKind(definitions)
    .flatMap(({ title, types }) => [`${title}:`, ...columns(types.map((one) => [one.type, firstSentence(one)])), ''])
    .join('\n');
}

async function asJson(definitions: readonly TypeDefinition[]): Promise<string> {
  const { kinds } = await import('../../contract/vocabulary/reference.ts');
  const { jsonSchemaOf } = await import('../../contract/vocabulary/json-schema.ts');
  const types = definitions.map(({ type, kind, aliases, summary, operatorOnly, config, decoration, examples }) => ({
    type,
    kind: kinds[kind],
    aliases: aliases ?? [],
    summary,
    ...(operatorOnly === undefined ? {} : { operatorOnly }),
    config: jsonSchemaOf(config),
    ...(decoration === undefined ? {} : { decoration: jsonSchemaOf(decoration) }),
    examples: examples ?? [],
  }));
  return `${JSON.stringify(types, null, 2)}\n`;
}
