import { describe, expect, it } from 'vitest';
import { consoleCatalogue } from '../../../cli/output/console-catalogue.ts';
import { NEEDS } from '../../../console/catalogue/needs.ts';
import type { JsonValue } from '../../../contract/document/json-value.ts';
import { packJson, unpackJson } from '../../../contract/shown/packed-json.ts';
import type { ShownField, ShownForm } from '../../../contract/shown/shown-catalogue.ts';
import { schemaTree } from '../../../contract/vocabulary/schema-tree.ts';
import { catalogue } from '../../../dataplane/catalogue/catalogue.ts';

const shown = consoleCatalogue();

interface Placed {
  readonly path: string;
  readonly field: ShownField;
}

function fieldsIn(fields: readonly ShownField[], prefix: string): Placed[] {
  return fields.flatMap((field) => {
    const path = `${prefix}.${field.name}`;
    return [{ path, field }, ...fieldsOf(field.form, path)];
  });
}

function fieldsOf(form: ShownForm, path: string): Placed[] {
  if (form.kind === 'object') return fieldsIn(form.fields, path);
  if (form.kind === 'list') return fieldsOf(form.item, `${path}[]`);
  if (form.kind === 'map') return fieldsOf(form.value, `${path}.*`);
  return form.kind === 'choice' ? form.options.flatMap((option) => fieldsOf(option.form, path)) : [];
}

const all = [
  ...shown.types.flatMap(({ type, fields }) => fieldsIn(fields, type)),
  ...fieldsIn(shown.route, 'Route'),
  ...fieldsIn(shown.decorations, 'decorations'),
];

const formOf = (path: string): ShownForm | undefined => all.find((one) => one.path === path)?.field.form;

describe('the catalogue of the console', () => {
  it('has every type, with its kind, its summary and all of its fields', () => {
    expect(shown.types.map(({ type }) => type)).toEqual(catalogue.definitions.map(({ type }) => type).toSorted());
    for (const { type, kind, summary, fields } of shown.types) {
      const definition = catalogue.find(type)!;
      expect({ kind, summary }).toEqual({ kind: definition.kind, summary: definition.summary });
      const node = schemaTree(definition.config);
      const known = node.kind === 'object' ? [...node.fields].filter(([, { notes }]) => notes.aside !== true) : [];
      expect(fields.map(({ name }) => name)).toEqual(known.map(([name]) => name));
    }
  });

  it('has a description of every field, also of those within others', () => {
    expect(all.filter(({ field }) => field.description === '').map(({ path }) => path)).toEqual([]);
  });

  it.each<[string, ShownForm]>([
    ['ThrottlingFilter.rate.duration', { kind: 'text', means: 'duration', expression: 'configuration' }],
    ['Chain.filters', { kind: 'list', item: { kind: 'reference', to: 'filter' } }],
    ['Route.condition', { kind: 'text', expression: 'runtime', result: 'boolean' }],
    ['OAuth2ResourceServerFilter.accessTokenResolver', { kind: 'reference', to: 'accessTokenResolver' }],
    [
      'StatelessAccessTokenResolver.secretsProvider',
      { kind: 'reference', to: 'secretsProvider', several: 'secretStore' },
    ],
    ['HeaderFilter.messageType', { kind: 'words', words: ['REQUEST', 'RESPONSE'], expression: 'configuration' }],
    [
      'StaticResponseHandler.status',
      { kind: 'number', isWhole: true, least: 200, most: 999, expression: 'configuration' },
    ],
    [
      'ClientRegistration.clientSecret',
      { kind: 'refused', why: "secrets do not belong into a document: use 'clientSecretId'" },
    ],
  ])('has the form of %s', (path, form) => {
    expect(formOf(path)).toEqual(form);
  });

  it('folds fields that neither are required nor occur in examples, and none of a type with few fields', () => {
    const fieldsOfType = (type: string) => shown.types.find((one) => one.type === type)!.fields;
    expect(fieldsOfType('Chain').some(({ isAdvanced }) => isAdvanced)).toBe(false);
    const advanced = fieldsOfType('ReverseProxyHandler').filter(({ isAdvanced }) => isAdvanced);
    expect(advanced.map(({ name }) => name)).toContain('connectionTimeout');
    expect(all.filter(({ field }) => field.isAdvanced && field.isRequired)).toEqual([]);
  });

  it('describes every name of the expression language', () => {
    const { roots, shapes, functions } = shown.language;
    const names = [...roots, ...Object.values(shapes).flat(), ...functions];
    expect(names.filter(({ description }) => description === '').map(({ name }) => name)).toEqual([]);
    expect(shapes['request']?.find(({ name }) => name === 'uri')).toMatchObject({ shape: 'uri' });
    expect(functions.find(({ name }) => name === 'read')).toMatchObject({ operatorOnly: true });
    expect(functions.find(({ name }) => name === 'matches')).toMatchObject({ instead: 'find' });
  });

  it('knows all types that searches for a need lead to', () => {
    const unknown = NEEDS.flatMap(([, types]) => types).filter((type) => catalogue.find(type) === undefined);
    expect(unknown).toEqual([]);
  });

  it('is the same after it has been packed', () => {
    const value = JSON.parse(JSON.stringify(shown)) as JsonValue;
    const packed = packJson(value);
    expect(unpackJson(packed)).toEqual(value);
    expect(JSON.stringify(packed).length).toBeLessThan(JSON.stringify(value).length);
  });
});
