import { existsSync, globSync, readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { type DocumentName, documentNames } from '../../../cli/output/document-name.ts';
import { documentSchema } from '../../../cli/output/document-schema.ts';
import type { JsonValue } from '../../../contract/document/json-value.ts';
import { documentOf } from '../../../controller/compile/document-of.ts';
import { catalogue } from '../../../dataplane/catalogue/catalogue.ts';

// formats are for editors, which know them; a strict validator also refuses words that it does not know
const validators = new Map<DocumentName, ValidateFunction>(
  documentNames.map((name) => [
    name,
    new Ajv2020({
      strict: true,
      allErrors: true,
      strictTypes: false,
      strictRequired: false,
      validateFormats: false,
    }).compile(documentSchema(name)),
  ]),
);

/** The places of a document that its schema refuses, each with what is wrong there. */
function refusals(name: DocumentName, document: unknown): string[] {
  const validate = validators.get(name)!;
  validate(document);
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    const key = params['additionalProperty'] as string | undefined;
    return `${instancePath} ${message}${key === undefined ? '' : `: ${key}`}`;
  });
}

/** Which document a file of an instance is; undefined for files of other kinds. */
function documentName(path: string): DocumentName | undefined {
  const [, inside = ''] = /\/config\/(.*)$/.exec(path) ?? [];
  if (/^config\./.test(inside)) return 'config';
  if (/^admin\./.test(inside)) return 'admin';
  return /^[^/]+\/[^/]+$/.test(inside) && !inside.startsWith('resources/') ? 'route' : undefined;
}

/** Whether `gatewarden check` found an error in a golden document or in the one around it. */
function isGood(path: string): boolean {
  const [folder = ''] = /^.*(?=\/config\/)/.exec(path) ?? [];
  if (!existsSync(`${folder}/problems.txt`)) return true;
  const problems = readFileSync(`${folder}/problems.txt`, 'utf8');
  const bad = [...problems.matchAll(/^error: .*\n {2}at (\S+?)(?::\d+)*$/gm)].map(([, place]) => place!);
  return !bad.some((place) => path.endsWith(place));
}

const files = globSync('{examples,test/golden}/*/config/**/*.{json,yaml,yml}')
  .toSorted()
  .flatMap((path) => {
    const name = documentName(path);
    return name === undefined ? [] : [{ path, name }];
  });

describe('the JSON Schema of a document', () => {
  const good = files.filter(({ path }) => isGood(path));

  it('is tried with many documents', () => {
    expect(good.length).toBeGreaterThan(100);
    expect(new Set(good.map(({ name }) => name))).toEqual(new Set(documentNames));
  });

  it.each(good)('accepts $path', ({ path, name }) => {
    const { value } = documentOf({ path, content: readFileSync(path) });
    expect(refusals(name, value)).toEqual([]);
  });

  it('accepts the example of every type, in a heap and by every name of the type', () => {
    const heap = catalogue.definitions.flatMap(({ type, aliases = [], examples = [] }) =>
      [type, ...aliases].flatMap((name) => examples.map(({ config }) => ({ name: 'x', type: name, config }))),
    );
    expect(refusals('config', JSON.parse(JSON.stringify({ heap })) as JsonValue)).toEqual([]);
  });

  it.each<[DocumentName, object, string]>([
    ['route', {}, " must have required property 'handler'"],
    ['route', { handler: 7 }, '/handler must be object'],
    ['route', { handler: {} }, "/handler must have required property 'type'"],
    ['route', { handler: { type: 'Chian' } }, '/handler/type must be equal to one of the allowed values'],
    ['route', { handler: { type: 'HeaderFilter' } }, '/handler/type must be equal to one of the allowed values'],
    ['route', { handler: { type: 'Chain' } }, "/handler must have required property 'config'"],
    [
      'route',
      { handler: { type: 'Chain', config: { handler: 'a', filters: [{ type: 'Chain', config: {} }] } } },
      '/handler/config/filters/0/type must be equal to one of the allowed values',
    ],
    [
      'route',
      { handler: { type: 'StaticResponseHandler', config: { status: 200, entitiy: 'x' } } },
      '/handler/config must NOT have additional properties: entitiy',
    ],
    ['route', { handler: 'a', heap: [{ type: 'Chain' }] }, "/heap/0 must have required property 'name'"],
    ['route', { handler: 'a', auditService: 3 }, '/auditService must be'],
    ['config', { handler: 'a', heap: 'b' }, '/heap must be array'],
    [
      'config',
      { heap: [{ name: 'a', type: 'ClientHandler', config: { connections: 'many' } }] },
      '/heap/0/config/connections',
    ],
    ['admin', { connectors: [] }, '/connectors must NOT have fewer than 1 items'],
    ['admin', { connectors: [{ port: 99_999 }] }, '/connectors/0/port must be <= 65535'],
    ['admin', { conectors: [] }, ' must NOT have additional properties: conectors'],
    ['admin', { mode: 'TEST' }, '/mode must be equal to one of the allowed values'],
  ])('refuses of a %s %j', (name, document, place) => {
    expect(refusals(name, document)).toContainEqual(expect.stringContaining(place));
  });

  it.each<[DocumentName, object]>([
    ['route', { $schema: 'route.schema.json', handler: 'a' }],
    ['route', { handler: 'a', condition: true, capture: 'all', unheardOf: 1, _comment: 'x' }],
    ['route', { handler: { type: 'org.forgerock.openig.handler.Whatever' } }],
    ['admin', { connectors: [{ port: '&{port|8080}' }, { port: { $int: '&{port}' } }, { port: '${1 + 1}' }] }],
    ['admin', { mode: 'production', gatewayUnits: '4', streamingEnabled: 'true', comment: 'x' }],
  ])('accepts as a %s %j', (name, document) => {
    expect(refusals(name, document)).toEqual([]);
  });
});
