import type { Field } from './field-table.ts';

/** A field with the path that leads to it: `masks.headers`, `bindings[].condition`, `cookies.*.path`. */
export interface FieldAtPath {
  readonly path: string;
  readonly field: Field;
}

/** Fields and those inside them, each under its path. */
export function fieldPaths(fields: readonly Field[], prefix = ''): readonly FieldAtPath[] {
  return fields.flatMap((field) => {
    const path = `${prefix}${field.name}`;
    return [{ path, field }, ...fieldPaths(field.fields, `${path}${step(field)}`)];
  });
}

/** What follows a field on the way into the objects that it holds. */
function step({ label }: Field): string {
  if (label.startsWith('array of')) return '[].';
  return label.startsWith('map of') ? '.*.' : '.';
}

/** Remarks on a field in addition to its type: description, allowed words, replacement and effect. */
export function fieldRemarks({ description, words, instead, noEffect }: Field): readonly string[] {
  return [
    ...(description === null ? [] : [description]),
    ...wordsRemark(words),
    ...(instead === null ? [] : [`Deprecated: use ${instead}.`]),
    ...(noEffect === null ? [] : [`Has no effect: ${noEffect}.`]),
  ];
}

/** Sentence with the words of an enumeration, if there are any. */
export function wordsRemark(words: readonly string[]): readonly string[] {
  return words.length === 0 ? [] : [`One of ${words.map((word) => `\`${printed(word)}\``).join(', ')}.`];
}

/** A word without characters that would end its line. */
function printed(word: string): string {
  return word.replaceAll('\r', '\\r').replaceAll('\n', '\\n');
}
