import { prettyJson } from '../cli/output/pretty-json.ts';
import type { JsonValue } from '../contract/document/json-value.ts';
import { fieldPaths, fieldRemarks, wordsRemark } from '../contract/vocabulary/field-path.ts';
import { fieldRules, fieldTable, typeLabel, words } from '../contract/vocabulary/field-table.ts';
import { schemaTree } from '../contract/vocabulary/schema-tree.ts';
import { type AuditHandlerDefinition, handlerFacts } from '../dataplane/audit/handlers/audit-handler.ts';
import type { TypeDefinition } from '../dataplane/heap/definition.ts';
import { firstSentence, typeFacts, typesByKind } from '../dataplane/heap/types-by-kind.ts';
import { markdownTable } from './markdown-table.ts';

const ORIGIN = '<!-- Written by `npm run docs` from the files of the types. Change those instead. -->';

/** The pages of docs/reference/ by file name: one for each type and each class of audit event handlers, and the list of them. */
export function referencePages(
  definitions: readonly TypeDefinition[],
  handlers: readonly AuditHandlerDefinition[],
): ReadonlyMap<string, string> {
  return new Map([
    ['README.md', listPage(definitions, handlers)],
    ...definitions.map((definition): [string, string] => [`${definition.type}.md`, typePage(definition)]),
    ...handlers.map((handler): [string, string] => [`${handler.className}.md`, handlerPage(handler)]),
  ]);
}

/** Gaps of pages: fields without a word about them, and types or classes without an example. */
export function undocumented(
  definitions: readonly TypeDefinition[],
  handlers: readonly AuditHandlerDefinition[] = [],
): string[] {
  return [
    ...definitions.flatMap(undocumentedType),
    ...handlers.flatMap(({ className, config, examples }) =>
      undocumentedType({ type: className, config, ...(examples && { examples }) }),
    ),
  ];
}

function undocumentedType(
  definition: Pick<TypeDefinition, 'type' | 'config' | 'decoration' | 'examples'>,
): readonly string[] {
  const { type, config, decoration, examples } = definition;
  return [
    ...fieldPaths(fieldTable(config))
      .filter(({ field }) => fieldRemarks(field).length === 0 && !field.label.includes('not available'))
      .map(({ path }) => `${type}.${path} has no description`),
    ...(decoration !== undefined && schemaTree(decoration).notes.description === undefined
      ? [`${type}: what stands beside the decorated object has no description`]
      : []),
    ...(examples === undefined || examples.length === 0 ? [`${type} has no example`] : []),
  ];
}

function listPage(definitions: readonly TypeDefinition[], handlers: readonly AuditHandlerDefinition[]): string {
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
  const classes = handlers.map((handler) => [
    `[${handler.className}](${handler.className}.md)`,
    firstSentence(handler),
  ]);
  const events =
    '## Audit event handlers\n\nThe `class` of an event handler of an [AuditService](AuditService.md).\n\n' +
    `${markdownTable([['class', ''], ...classes])}\n`;
  const introduction =
    'What `type` in a declaration can name. `gatewarden explain TYPE` prints the same, and `gatewarden types --json` ' +
    'the JSON Schemas. [An editor](../configuration.md#completion-and-checks-in-an-editor) can use them.';
  return `# Types\n\n${ORIGIN}\n\n${introduction}\n\n${[...groups, events].join('\n')}`;
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
    ...exampleSections(examples, (config) => ({ type, config })),
    '[All types](README.md)',
  ];
  return `${sections.join('\n\n')}\n`;
}

function handlerPage(handler: AuditHandlerDefinition): string {
  const { className, summary, examples = [] } = handler;
  const sections = [
    `# ${className}`,
    ORIGIN,
    handlerFacts(handler).join(' '),
    summary,
    '## Configuration',
    configuration(handler),
    ...exampleSections(examples, (config) => ({ class: className, config })),
    '[AuditService](AuditService.md), [audit](../audit.md), [all types](README.md)',
  ];
  return `${sections.join('\n\n')}\n`;
}

function exampleSections(
  examples: NonNullable<TypeDefinition['examples']>,
  declared: (config: JsonValue) => JsonValue,
): readonly string[] {
  if (examples.length === 0) return [];
  return [
    examples.length === 1 ? '## Example' : '## Examples',
    ...examples.flatMap(({ title, config }) => [
      `${title}:`,
      `\`\`\`json\n${prettyJson(declared(config as JsonValue), 120).join('\n')}\n\`\`\``,
    ]),
  ];
}

function configuration({ config }: Pick<TypeDefinition, 'config'>): string {
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
