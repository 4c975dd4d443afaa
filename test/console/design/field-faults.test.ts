import { describe, expect, it } from 'vitest';
import { consoleCatalogue } from '../../../cli/output/console-catalogue.ts';
import { faultOf } from '../../../console/pages/design/forms/field-faults.ts';
import type { JsonValue } from '../../../contract/document/json-value.ts';
import type { ShownField, ShownForm } from '../../../contract/shown/shown-catalogue.ts';
import { catalogue } from '../../../dataplane/catalogue/catalogue.ts';

const whole: ShownForm = { kind: 'number', isWhole: true, least: 1, most: 9, expression: 'configuration' };
const duration: ShownForm = { kind: 'text', means: 'duration', expression: 'configuration' };
const secret: ShownForm = {
  kind: 'text',
  means: 'secret',
  expression: 'configuration',
  patterns: ['^[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*$'],
};
const word: ShownForm = { kind: 'words', words: ['REQUEST', 'RESPONSE'] };
const one: ShownForm = { kind: 'reference', to: 'handler' };

describe('the check of a field', () => {
  it.each<[ShownForm, JsonValue]>([
    [whole, 3],
    [whole, '7'],
    [whole, '${limit}'],
    [whole, '&{limit}'],
    [whole, { $int: '&{limit}' }],
    [duration, '2 minutes and 20 seconds'],
    [secret, 'token.key'],
    [word, 'request'],
    [{ kind: 'flag' }, 'true'],
    [{ kind: 'text', expression: 'runtime', result: 'boolean' }, true],
    [{ kind: 'text', isNumberToo: true }, 443],
    [{ kind: 'text', means: 'script' }, ['a', 'b']],
    [one, 'name'],
    [one, { type: 'X' }],
    [{ kind: 'reference', to: 'secretsProvider', several: 'secretStore' }, ['a']],
    [{ kind: 'any' }, null],
  ])('accepts a value of the form: %j, %j', (form, value) => {
    expect(faultOf(form, value)).toBeNull();
  });

  it.each<[ShownForm, JsonValue, string]>([
    [whole, 10, 'must be at most 9'],
    [whole, 0, 'must be at least 1'],
    [whole, 1.5, 'must be a whole number'],
    [whole, 'many', 'must be a number, not a string'],
    [duration, '5', 'must have a unit after 5'],
    [duration, 7, 'must be a text, not a number'],
    [secret, 'a..b', 'must be an id of letters'],
    [word, 'BOTH', 'must be one of "REQUEST", "RESPONSE"'],
    [word, '${a}', 'must be one of'],
    [{ kind: 'flag' }, 'yes', 'must be true or false'],
    [{ kind: 'text', least: 1 }, '', 'must not be empty'],
    [{ kind: 'text', means: 'target', expression: 'runtime' }, 'a', 'must be an expression'],
    [{ kind: 'list', item: word, least: 1 }, [], 'needs at least one item'],
    [{ kind: 'list', item: word }, 'a', 'must be a list'],
    [{ kind: 'map', value: word }, [], 'must be an object, not an array'],
    [one, ['a'], 'must be one object'],
    [one, 7, 'must be the name or the declaration of an object'],
    [{ kind: 'refused', why: 'use x' }, 1, 'cannot be given here: use x'],
    [{ kind: 'choice', options: [{ label: 'a', form: word }] }, 'x', 'must be one of'],
  ])('rejects another value: %j, %j', (form, value, message) => {
    expect(faultOf(form, value)).toContain(message);
  });

  it('accepts every example of the reference pages', () => {
    const shown = new Map(consoleCatalogue().types.map((type) => [type.type, type]));
    const faults = catalogue.definitions.flatMap(({ type, examples = [] }) =>
      examples.flatMap(({ config }) => fieldFaults(shown.get(type)!.fields, config as JsonValue, type)),
    );
    expect(faults).toEqual([]);
  });
});

function fieldFaults(fields: readonly ShownField[], value: JsonValue, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return fields.flatMap(({ name, form, isRequired }) => {
    const held = (value as Record<string, JsonValue>)[name];
    if (held !== undefined) return faultsIn(form, held, `${path}.${name}`);
    return isRequired && name !== 'secretsProvider' ? [`${path}.${name} is required`] : [];
  });
}

function faultsIn(form: ShownForm, value: JsonValue, path: string): string[] {
  const fault = faultOf(form, value);
  if (fault !== null) return [`${path} ${fault}`];
  if (form.kind === 'object') return fieldFaults(form.fields, value, path);
  if (form.kind === 'list')
    return (value as JsonValue[]).flatMap((item, at) => faultsIn(form.item, item, `${path}[${at}]`));
  if (form.kind === 'map')
    return Object.entries(value as object).flatMap(([key, held]) => faultsIn(form.value, held, `${path}.${key}`));
  return [];
}
