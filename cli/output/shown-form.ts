import type { JsonValue } from '../../contract/document/json-value.ts';
import type { EvaluatedAt, ShownField, ShownForm, TextForm } from '../../contract/shown/shown-catalogue.ts';
import { wordsRemark } from '../../contract/vocabulary/field-path.ts';
import { typeLabel } from '../../contract/vocabulary/field-table.ts';
import { groupRules } from '../../contract/vocabulary/groups.ts';
import type { JsonSchema } from '../../contract/vocabulary/leaf.ts';
import type { ObjectNode, SchemaNode } from '../../contract/vocabulary/schema-tree.ts';

/** Returns the fields of an object. @param common names of fields that most configurations have; empty if all are alike */
export function shownFields({ fields }: ObjectNode, common: ReadonlySet<string> = new Set()): readonly ShownField[] {
  return [...fields]
    .filter(([, { notes }]) => notes.aside !== true)
    .map(([name, node]) => shownField(name, node, common.size > 0 && !common.has(name)));
}

/** Returns one field. */
export function shownField(name: string, node: SchemaNode, isRare = false): ShownField {
  const { description, instead, noEffect } = node.notes;
  const form = shownForm(node);
  const [standard] = node.defaults;
  return {
    name,
    description: description ?? impliedDescription(form, noEffect),
    form,
    ...(node.isRequired && { isRequired: true }),
    ...(standard !== undefined && isTelling(standard) && { default: standard as JsonValue }),
    ...(isRare && !node.isRequired && { isAdvanced: true }),
    ...(instead !== undefined && { instead }),
    ...(noEffect !== undefined && { noEffect }),
  };
}

/** An empty object stands for the defaults of its fields. */
function isTelling(standard: unknown): boolean {
  return JSON.stringify(standard) !== '{}';
}

function impliedDescription(form: ShownForm, noEffect: string | undefined): string {
  if (form.kind === 'refused') return `Not allowed here: ${form.why}.`;
  if (noEffect !== undefined) return `Has no effect: ${noEffect}.`;
  return form.kind === 'words' ? wordsRemark(form.words.map(String)).join('') : '';
}

/** Returns the form for the values of a place. */
export function shownForm(node: SchemaNode): ShownForm {
  const { reference } = node.notes;
  switch (node.kind) {
    case 'object': {
      const rules = groupRules(node);
      return { kind: 'object', fields: shownFields(node), ...(rules.length > 0 && { rules }) };
    }
    case 'map':
      return { kind: 'map', value: shownForm(node.value) };
    case 'list':
      return { kind: 'list', item: shownForm(node.item), ...limits(node) };
    case 'union':
      return unionForm(node.options, reference);
    case 'words':
      return { kind: 'words', words: node.words };
    case 'literal':
      return { kind: 'words', words: node.values as readonly JsonValue[] };
    case 'text':
      return { kind: 'text', ...limits(node), ...(node.patterns.length > 0 && { patterns: node.patterns }) };
    case 'number':
      return { kind: 'number', ...(node.isWhole && { isWhole: true }), ...limits(node) };
    case 'other':
      if (node.type === 'boolean') return { kind: 'flag' };
      if (reference !== undefined) return { kind: 'reference', to: reference };
      return leafForm(node.notes.label ?? '', node.notes.json);
  }
}

/** A list of references beside a single one is the same question, asked several times. */
function unionForm(options: readonly SchemaNode[], reference: string | undefined): ShownForm {
  const forms = options.map((option) => ({ label: typeLabel(option.schema), form: shownForm(option) }));
  const single = forms.find(({ form }) => form.kind === 'reference')?.form;
  const list = forms.find(({ form }) => form.kind === 'list')?.form;
  const isOfReferences = list?.kind === 'list' && list.item.kind === 'reference';
  if (single?.kind === 'reference' && isOfReferences && forms.length === 2)
    return { kind: 'reference', to: reference ?? single.to, several: (list.item as { readonly to: string }).to };
  return { kind: 'choice', options: forms };
}

/** Returns the form of a value that the vocabulary reads by itself, from the words and the schema of its notes. */
function leafForm(label: string, json: JsonSchema | undefined): ShownForm {
  if (json === undefined) return { kind: 'any' };
  if ('not' in json && Object.keys(json).length === 1) return { kind: 'refused', why: whyRefused(label) };
  const parts = (json['anyOf'] as readonly JsonSchema[] | undefined) ?? [json];
  const evaluated = evaluatedAt(label);
  const expression = evaluated === null ? {} : { expression: evaluated };
  const result = /<(.*)>/.exec(label)?.[1] ?? '';
  const words = parts.find((part) => 'enum' in part)?.['enum'] as readonly JsonValue[] | undefined;
  if (words !== undefined) return { kind: 'words', words, ...expression };
  const types = parts.map((part) => part['type']);
  if (evaluated === 'runtime' && types.includes('string') && !types.includes('object'))
    return { kind: 'text', expression: 'runtime', ...means(label), result };
  if (types.includes('boolean')) return { kind: 'flag', ...expression };
  const number = parts.find(({ type }) => type === 'integer' || type === 'number');
  if (number !== undefined && (result === 'integer' || result === 'number'))
    return { kind: 'number', ...(number['type'] === 'integer' && { isWhole: true }), ...range(number), ...expression };
  if (types[0] !== 'string' && number === undefined) return { kind: 'any', ...expression };
  const { pattern, minLength } = parts[0]!;
  return {
    kind: 'text',
    ...means(label),
    ...expression,
    ...(typeof pattern === 'string' && { patterns: [pattern] }),
    ...(typeof minLength === 'number' && { least: minLength }),
    ...(number !== undefined && { isNumberToo: true }),
  };
}

function whyRefused(label: string): string {
  return label.startsWith('refused: ') ? label.slice('refused: '.length) : 'it is not available in this version';
}

function evaluatedAt(label: string): EvaluatedAt | null {
  if (/^(?:runtime|lvalue) expression/.test(label)) return 'runtime';
  return /^configuration expression|^secret-id/.test(label) ? 'configuration' : null;
}

const MEANINGS: readonly (readonly [RegExp, NonNullable<TextForm['means']>])[] = [
  [/^secret-id/, 'secret'],
  [/^lvalue/, 'target'],
  [/<duration>/, 'duration'],
  [/<url>/, 'url'],
  [/<path>/, 'path'],
  [/^regular expression/, 'pattern'],
  [/^string, or array of strings/, 'script'],
];

function means(label: string): Pick<TextForm, 'means'> {
  const found = MEANINGS.find(([pattern]) => pattern.test(label));
  return found === undefined ? {} : { means: found[1] };
}

function range({ minimum, maximum }: JsonSchema): { least?: number; most?: number } {
  return limits({ least: minimum as number | undefined, most: maximum as number | undefined });
}

function limits({ least, most }: { readonly least: number | undefined; readonly most: number | undefined }): {
  least?: number;
  most?: number;
} {
  return { ...(least !== undefined && { least }), ...(most !== undefined && { most }) };
}
