import type { FieldAtPath } from '../../contract/vocabulary/field-path.ts';
import type { Explained } from '../output/explained.ts';
import { prettyJson } from '../output/pretty-json.ts';
import { indent, lineWidth, wrap } from '../output/text-layout.ts';
import { defineCommand } from './command.ts';

/** Command that explains a type or one of its fields. */
export const explainCommand = defineCommand({
  name: 'explain',
  summary: 'explain a type of object and its configuration',
  description:
    'Prints a description of the type, its fields with their types and defaults, and examples; or one field of it. Also explains ' +
    'objects that need no declaration, such as the decorator capture, and documents: Route, config.json, admin.json.',
  arguments: [
    { name: 'TYPE[.FIELD]', description: 'A type such as HeaderFilter, or a field such as HeaderFilter.add.' },
  ],
  options: {},
  examples: [
    { command: 'gatewarden explain CaptureDecorator', effect: 'Explain the type.' },
    { command: 'gatewarden explain CaptureDecorator.masks', effect: 'Explain one field and its members.' },
  ],
  async run(_, given) {
    const [, name = '', path] = /^((?:config|admin)\.json|[^.]*)(?:\.(.*))?$/s.exec(given['TYPE[.FIELD]']) ?? [];
    const { explained } = await import('../output/explained.ts');
    const found = explained(name);
    const lines = path === undefined ? await typeLines(found) : await fieldLines(found, path);
    process.stdout.write(`${lines.join('\n')}\n`);
    return 0;
  },
});

async function typeLines({ name, facts, summary, config, decoration, examples }: Explained): Promise<string[]> {
  const { fieldPaths, wordsRemark } = await import('../../contract/vocabulary/field-path.ts');
  const { fieldRules, fieldTable, typeLabel, words } = await import('../../contract/vocabulary/field-table.ts');
  const { schemaTree } = await import('../../contract/vocabulary/schema-tree.ts');
  const fields = fieldPaths(fieldTable(config));
  const beside =
    decoration === undefined
      ? []
      : [
          '',
          'Beside the decorated object:',
          `${indent}${typeLabel(decoration)}`,
          ...[schemaTree(decoration).notes.description ?? '', ...wordsRemark(words(decoration))].flatMap(wrapped),
        ];
  return [
    `${name}: ${facts.join(' ')}`,
    '',
    ...wrap(summary, lineWidth),
    '',
    ...(fields.length === 0 ? ['It has no fields.'] : ['Fields:', ...(await rows(fields))]),
    ...fieldRules(config).flatMap((rule) => wrapped(rule)),
    ...beside,
    ...(examples.length === 0 ? [] : ['', 'Examples:']),
    ...examples.flatMap(({ title, document }) => [
      `${indent}${title}:`,
      ...prettyJson(document, lineWidth - 4).map((line) => `${indent}${indent}${line}`),
    ]),
  ];
}

async function fieldLines({ name, config }: Explained, path: string): Promise<string[]> {
  const { didYouMean } = await import('../../contract/did-you-mean.ts');
  const { fieldPaths } = await import('../../contract/vocabulary/field-path.ts');
  const { fieldTable } = await import('../../contract/vocabulary/field-table.ts');
  const all = fieldPaths(fieldTable(config)).map((one) => ({ ...one, plain: plainPath(one.path) }));
  const found = all.filter(({ plain }) => plain === plainPath(path) || plain.startsWith(`${plainPath(path)}.`));
  if (found.length > 0) return rows(found);
  const meant = didYouMean(
    plainPath(path),
    all.map(({ plain }) => plain),
  );
  const known = all.map(({ plain }) => plain).join(', ');
  throw new Error(
    `${name} has no field '${path}': ${meant === undefined ? `it has ${known || 'none'}` : `did you mean '${meant}'?`}`,
  );
}

/** A path as people type it: without the brackets of arrays and the stars of maps. */
function plainPath(path: string): string {
  return path.replaceAll('[]', '').replaceAll('.*', '');
}

async function rows(fields: readonly FieldAtPath[]): Promise<string[]> {
  const { fieldRemarks } = await import('../../contract/vocabulary/field-path.ts');
  return fields.flatMap(({ path, field }) => {
    const { label, required, default: standard, rules } = field;
    const presence = required ? ', required' : standard === null ? '' : `, default ${standard}`;
    return [`${indent}${path}: ${label}${presence}`, ...[...fieldRemarks(field), ...rules].flatMap(wrapped)];
  });
}

function wrapped(text: string): string[] {
  return wrap(text, lineWidth - 6).map((line) => `${indent}    ${line}`);
}
