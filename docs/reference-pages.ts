import { prettyJson } from '../cli/output/pretty-json.ts';
import { fieldPaths, fieldRemarks, wordsRemark } from '../contract/vocabulary/field-path.ts';
import { fieldRules, fieldTable, typeLabel, words } from '../contract/vocabulary/field-table.ts';
import { schemaTree } from '../contract/vocabulary/schema-tree.ts';
import type { TypeDefinition } from '../dataplane/heap/definition.ts';
import { firstSentence, typeFacts, typesByKind } from '../dataplane/heap/types-by-kind.ts';
import { markdownTable } from './markdown-table.ts';

const ORIGIN = '<!-- Written by `npm run docs` from the files of the types. Change those instead. -->';

/** The pages of docs/reference/ by file name: one for each type, and the list of them. */
export function referencePages(definitions: readonly TypeDefinition[]): ReadonlyMap<string, string> {
  return new Map([
    ['README.md', listPage(definitions)],
    ...definitions.map((definition): [string, string] => [`${definition.type}.md`, typePage(definition)]),
  ]);
}

/** What pages lack: fields without a word about them, and types without an example. */
export function undocumented(definitions: readonly TypeDefinition[]): string[] {
  return definitions.flatMap(({ type, config, decoration, examples }) => [
    ...fieldPaths(fieldTable(config))
      .filter(({ field }) => fieldRemarks(field).length === 0 && !field.label.includes('not available'))
      .map(({ path }) => `${type}.${path} has no description`),
    ...(decoration !== undefined && schemaTree(decoration).notes.description === undefined
      ? [`${type}: what stands beside the decorated object has no description`]
      : []),
    ...(examples === undefined || examples.length === 0 ? [`${type} has no example`] : []),
  ]);
}

function listPage(definitions: readonly TypeDefinition[]): string {
  const groups = typesByKind(definitions).map(({ title, types }) => {
    const rows = types.map((definition) => {
      const { type, aliases = [] } = definition;
      return [
        [`[${type}](${type}.md)`, ...aliases.map((alias) => `\`${alias}\``)].join(', '),
        firstSentence(definition),
      ];
    });
    return `## ${title}\n\n${markdownTable([['type', ''], ...rows])}\n`;
  });
  const introduction =
    'What `type` in a declaration can name. `gatewarden explain TYPE` prints the same, and `gatewarden types --json` ' +
    'the JSON Schemas. [An editor](../configuration.md#completion-and-checks-in-an-editor) can use them.';
  return `# Types\n\n${ORIGIN}\n\n${introduction}\n\n${groups.join('\n')}`;
}

function typePage(definition: TypeDefinition): string {
  const { type, summary, examples = [] } = definition;
  const sections = [
    `# ${type}`,
    ORIGIN,
    typeFacts(definition).join(' '),
    summary,
    '## Configuration',
    configuration(definition),
    ...decorationSection(definition),
    ...(examples.length === 0 ? [] : [examples.length === 1 ? '## Example' : '## Examples']),
    ...examples.flatMap(({ title, config }) => [
      `${title}:`,
      `\`\`\`json\n${prettyJson({ type, config }, 120).join('\n')}\n\`\`\``,
    ]),
    '[All types](README.md)',
  ];
  return `${sections.join('\n\n')}\n`;
}

function configuration({ config }: TypeDefinition): string {
  const fields = fieldPaths(fieldTable(config));
  if (fields.length === 0) return 'It has no fields.';
  const rows = fields.map(({ path, field }) => {
    const standard = field.required ? 'required' : field.default === null ? '' : `\`${field.default}\``;
    return [`\`${path}\``, `\`${field.label}\``, standard, [...fieldRemarks(field), ...field.rules].join(' ')];
  });
  return [markdownTable([['field', 'type', 'default', ''], ...rows]), ...fieldRules(config)].join('\n\n');
}

function decorationSection({ decoration, decorates = [] }: TypeDefinition): string[] {
  if (decoration === undefined) return [];
  const remarks = [schemaTree(decoration).notes.description ?? '', ...wordsRemark(words(decoration))].join(' ');
  const around = decorates.map((kind) => `${kind}s`).join(' and ');
  return ['## Beside the decorated object', `\`${typeLabel(decoration)}\`. ${remarks} It can decorate ${around}.`];
}
