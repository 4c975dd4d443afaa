import type { JsonValue } from '../../../../contract/document/json-value.ts';
import type { ShownForm, ShownType } from '../../../../contract/shown/shown-catalogue.ts';

/** Returns a value that a form can go on from; undefined for none. */
export function startingValue(form: ShownForm): JsonValue | undefined {
  switch (form.kind) {
    case 'list':
      return [];
    case 'map':
    case 'object':
      return {};
    case 'words':
      return form.words.length === 1 ? form.words[0] : undefined;
    default:
      return undefined;
  }
}

/** Returns a new item of a list. */
export function startingItem(form: ShownForm): JsonValue {
  const start = startingValue(form);
  if (start !== undefined) return start;
  if (form.kind === 'words') return form.words[0] ?? '';
  if (form.kind === 'number') return form.least ?? 0;
  return form.kind === 'flag' ? true : '';
}

/** Returns a new object of a type: with the configuration of its example, if it cannot be without one. */
export function newObject({ type, fields, rules = [], example }: ShownType): JsonValue {
  const needsConfig =
    fields.some(({ isRequired }) => isRequired) || rules.some((rule) => rule.endsWith('is required.'));
  return needsConfig && example !== undefined ? { type, config: example } : { type };
}
