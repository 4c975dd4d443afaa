import type { TypeDefinition } from '../../dataplane/heap/definition.ts';
import { columns } from '../output/text-layout.ts';
import { defineCommand } from './command.ts';

/** Lists what declarations can name. */
export const typesCommand = defineCommand({
  name: 'types',
  summary: 'list the types of objects that a configuration can declare',
  description:
    'Lists every type that "type" in a declaration can name, by what it is good for. With --json each has its aliases, ' +
    'its description, the JSON Schema of its configuration and examples.',
  options: { json: { flag: true, description: 'Print all that is known of the types, as JSON.' } },
  examples: [
    { command: 'gatewarden types', effect: 'List the types.' },
    { command: 'gatewarden types --json', effect: 'Print their JSON Schemas, for editors and other tools.' },
  ],
  async run({ json }) {
    const { catalogue } = await import('../../dataplane/catalogue/catalogue.ts');
    process.stdout.write(json ? await asJson(catalogue.definitions) : await asText(catalogue.definitions));
    return 0;
  },
});

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
