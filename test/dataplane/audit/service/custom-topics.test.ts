import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { canonicalJson } from '../../../../contract/document/canonical.ts';
import type { JsonObject, JsonValue } from '../../../../contract/document/json-value.ts';
import { pathText } from '../../../../contract/problem.ts';
import { noReach } from '../../../../contract/reach.ts';
import { loadTopics, type TopicFields, topicSchemas } from '../../../../dataplane/audit/service/custom-topics.ts';
import { ask } from '../../../support/clients/answers.ts';
import { checkConfigured, startConfigured } from '../../../support/gateways/configured-gateway.ts';
import { operatorReach } from '../../../support/gateways/operator-reach.ts';

beforeAll(async () => {
  await topicSchemas.load();
});

const fields = (schema: JsonObject): TopicFields => ({ schema });
const isFault = (one: { path: readonly (string | number)[]; message: string }): string =>
  `${pathText(one.path)}: ${one.message}`;

/** What is wrong with a schema, or with an event in a schema. */
function judged(schema: JsonObject, event?: JsonObject): string[] {
  const { topics, faults } = loadTopics({ orders: fields(schema) }, undefined, noReach);
  if (faults.length > 0 || event === undefined) return faults.map(isFault);
  return topics.get('orders')!.schema.faults(event).map(isFault);
}

describe('the schema of a topic', () => {
  const draft = (name: string): string =>
    `http${name.startsWith('draft/') ? 's' : ''}://json-schema.org/${name}/schema#`;

  it.each<[string, JsonObject, JsonObject, string]>([
    ['draft-04', { minimum: 5, exclusiveMinimum: true }, { minimum: 5, exclusiveMinimum: false }, 'must be > 5'],
    ['draft-06', { exclusiveMinimum: 5 }, { minimum: 5 }, 'must be > 5'],
    [
      'draft-07',
      { if: { const: 4 }, else: { const: 6 } },
      { if: { const: 5 }, else: false },
      'must be equal to constant',
    ],
    ['draft/2019-09', { $ref: '#/$defs/d', maximum: 4 }, { $ref: '#/$defs/d' }, 'must be <= 4'],
    ['draft/2020-12', { $ref: '#/$defs/d', maximum: 4 }, { $ref: '#/$defs/d' }, 'must be <= 4'],
  ])('works as in %s', (name, rejects, accepts, message) => {
    const schema = (a: JsonObject): JsonObject => ({
      $schema: draft(name),
      ...(name === 'draft-04' ? { id: '/' } : {}),
      $defs: { d: { type: 'number' } },
      properties: { a },
    });
    expect(judged(schema(accepts), { a: 5 })).toEqual([]);
    expect(judged(schema(rejects), { a: 5 })).toContainEqual(`a: ${message}`);
  });

  it('names the path of a fault in an event', () => {
    const item = { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } };
    const schema = { properties: { items: { type: 'array', items: item } }, required: ['name'] };
    expect(judged(schema, { items: [{ id: 1 }, {}] })).toEqual(['name: is required']);
    expect(judged(schema, { items: [{ id: 1 }, {}], name: 1 })).toEqual(['items.1.id: is required']);
  });

  const properties = { a: { type: 'string' } };
  const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);
  const unique = (count: number): JsonValue => numbers(count).map((n) => ({ title: `${n}`, uniqueItems: true }));
  const enumerated = (count: number): JsonValue => numbers(count).map(() => ({ enum: numbers(1000) }));
  const deep = (levels: number): JsonValue => (levels === 0 ? {} : { not: deep(levels - 1) });
  it.each<[string, JsonObject, string]>([
    ['another document by URL', { properties: { a: { $ref: 'http://127.0.0.1:1/x.json' } } }, "begin with '#'"],
    ['a file', { properties: { a: { $ref: 'file:///etc/passwd' } } }, "begin with '#'"],
    ['itself without end', { properties, allOf: [{ $ref: '#' }] }, 'refers to itself'],
    ['nothing', { properties: { a: { $ref: '#/definitions/none' } } }, 'leads nowhere'],
    ['a pattern that backtracks', { properties: { a: { pattern: '^(?=a)(a+)+$' } } }, 'schema.properties.a.pattern: '],
    ['a property pattern that backtracks', { properties, patternProperties: { '(a)\\1': {} } }, 'patternProperties'],
    ['many characters', { properties: { a: { description: 'x'.repeat(70_000) } } }, 'at most 65536 characters'],
    ['many levels', { properties: { a: deep(100) } }, 'levels deep'],
    ['an id inside', { properties: { a: { $id: 'http://example.com/a', type: 'string' } } }, 'only allowed at the beg'],
    ['events that are judged later', { $async: true, properties }, '$async: is not supported'],
    ['later judgement inside', { properties: { a: { $async: true } } }, '$async: is not supported'],
    ['many comparisons of items', { properties, allOf: unique(7) }, 'is too expensive'],
    ['long enumerations met often', { properties, allOf: enumerated(6) }, 'is too expensive'],
    ['one enumeration that is too long', { properties, enum: numbers(5001) }, 'is too expensive'],
    ['an unknown draft', { $schema: 'http://example.com/own#', properties }, 'must be a JSON Schema of draft-04'],
  ])('is refused with %s', (_, schema, message) => {
    expect(judged(schema).join('\n')).toContain(message);
  });

  it.each<[string, JsonObject]>([
    ['an enumeration', { properties: { a: { enum: [{ $ref: 'http://other.test/' }, { pattern: '(a)\\1' }] } } }],
    ['a constant', { properties: { a: { const: { $id: 'x', $async: true, $ref: 'y' } } } }],
    ['a default', { properties: { a: { default: { patternProperties: { '(a)\\1': {} } } } } }],
    ['examples', { properties: { a: { examples: [{ $ref: 'z', $async: false }] } } }],
    ['properties that are called like keywords', { properties: { enum: {}, const: {}, $ref: {}, pattern: {} } }],
  ])('may contain members that look like keywords in %s', (_, schema) => {
    expect(judged(schema)).toEqual([]);
  });

  const expensive = { allOf: unique(7) };
  it.each<[string, JsonObject, string]>([
    [
      'a cheap decoy with the same anchor in a constant',
      { properties, $ref: '#a', const: { $anchor: 'a' }, $defs: { x: { $anchor: 'a', ...expensive } } },
      'is too expensive',
    ],
    [
      'a cheap decoy with the same anchor in a schema',
      { properties, $ref: '#a', not: { $anchor: 'a' }, $defs: { x: { $anchor: 'a', ...expensive } } },
      'which another schema has, too',
    ],
    ['a reference into a constant', { properties, $ref: '#/const/x', const: { x: {} } }, 'is no schema'],
    [
      'a reference into an enumeration',
      { properties, $ref: '#/enum/0', enum: [{ pattern: '(a)\\1' }] },
      'is no schema',
    ],
    [
      'a reference into a list of an unknown keyword',
      { properties, $ref: '#/x/0', x: [{ ...expensive }] },
      'is no sch',
    ],
    ['an expensive schema under the property const', { properties: { const: expensive } }, 'is too expensive'],
    ['a pattern that backtracks under the property enum', { properties: { enum: { pattern: '(a)\\1' } } }, 'pattern: '],
    ['a pattern under an unknown keyword', { properties, $ref: '#/x', x: { pattern: '(a)\\1' } }, 'x.pattern: '],
    ['data that is deep', { properties, const: deep(100) }, 'levels deep'],
  ])('is refused with %s', (_, schema, message) => {
    expect(judged({ $schema: draft('draft/2020-12'), ...schema }).join('\n')).toContain(message);
  });

  it('of draft-04 converts limits under properties that are called like keywords, and leaves data as it is', () => {
    const properties4 = {
      enum: { minimum: 5, exclusiveMinimum: true },
      b: { enum: [{ id: 'x', exclusiveMinimum: true }] },
    };
    const schema = { $schema: draft('draft-04'), properties: properties4 };
    expect(judged(schema, { enum: 5 })).toEqual(['enum: must be > 5']);
    expect(judged(schema, { enum: 6, b: { id: 'x', exclusiveMinimum: true } })).toEqual([]);
  });

  it('is compiled once for the same text', () => {
    const schema = (): JsonObject => ({ properties: { once: { type: 'string' } } });
    const load = () => loadTopics({ orders: fields(schema()) }, undefined, noReach).topics.get('orders')!.schema;
    expect(load()).toBe(load());
    expect(judged({ properties: { once: { type: 'number' } } }, { once: 'x' })).toEqual(['once: must be number']);
  });

  it('is limited in size for all topics of a service together', () => {
    const large = (at: number): TopicFields => fields({ properties, title: `${at}`.padEnd(60_000, 'x') });
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`t${at}`, large(at)]));
    const { topics, faults } = loadTopics(many, undefined, noReach);
    expect(topics.size).toBe(8);
    expect(faults.map(isFault)).toEqual([
      'topics.t8.schema: is too much: the schemas of a service have at most 524288 characters as JSON',
    ]);
  });

  it('matches patterns in linear time, whatever a client sends', () => {
    const schema = { properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
    const begin = process.cpuUsage();
    expect(judged(schema, { a: `${'a'.repeat(60_000)}!` })).toHaveLength(1);
    // backtracking over 60,000 characters does not end within a lifetime
    expect(process.cpuUsage(begin).user).toBeLessThan(60e6);
  });

  it('limits recursion in events by their depth', () => {
    const schema = { properties: { a: { $ref: '#' } } };
    let event: JsonObject = {};
    for (let level = 0; level < 1000; level++) event = { a: event };
    expect(judged(schema, event).join('\n')).toContain('is nested more than 32 levels deep');
  });

  it('is limited in number for one service', () => {
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`t${at}`, fields({ properties })]));
    const { topics, faults } = loadTopics(many, undefined, noReach);
    expect(topics.size).toBe(100);
    expect(faults.map(isFault)).toEqual(['topics.t100: is one topic too many: a service has at most 100']);
  });

  it.each(['__proto__', '../x', 'a b', 'x'.repeat(101), 'access'])('refuses the topic name %s', (name) => {
    const inline = Object.fromEntries([[name, fields({ properties })]]);
    expect(loadTopics(inline, undefined, noReach).faults).toHaveLength(1);
  });
});

describe('topicsSchemasDirectory', () => {
  const service = (directory: string): JsonObject => ({
    type: 'AuditService',
    config: {
      config: { topicsSchemasDirectory: directory },
      eventHandlers: [
        {
          class: 'SyslogAuditEventHandler',
          config: { name: 's', topics: ['orders'], protocol: 'UDP', host: '127.0.0.1', port: 514, facility: 'LOCAL0' },
        },
      ],
    },
  });
  const document = (directory: string, more: JsonObject = {}): JsonObject => ({
    heap: [{ name: 'Audit', ...service(directory) }],
    handler: {
      type: 'Chain',
      config: {
        filters: [{ type: 'AuditFilter', config: { auditService: 'Audit', topic: 'orders', event: { n: 5 } } }],
        handler: { type: 'StaticResponseHandler', config: { status: 200 } },
      },
    },
    ...more,
  });

  function folder(): string {
    const path = mkdtempSync(join(tmpdir(), 'gatewarden-topics-'));
    onTestFinished(() => rmSync(path, { recursive: true }));
    return path;
  }
  const write = (path: string, name: string, text: unknown): void =>
    writeFileSync(join(path, name), typeof text === 'string' ? text : JSON.stringify(text));

  it('has a topic in each file', async () => {
    const path = folder();
    write(path, 'orders.json', { schema: { properties: { n: { type: 'number' } } } });
    write(path, 'README.md', 'no topic');
    const gateway = await startConfigured(document(path));
    onTestFinished(() => gateway.close());
    await ask(gateway.port, 'GET / HTTP/1.1\r\nHost: gw.test\r\n');
    expect(await gateway.audited.event(0)).toMatchObject({ n: 5 });
  });

  it('is read again with the next update, and the service is made anew only if a file changed', async () => {
    const path = folder();
    write(path, 'orders.json', { schema: { properties: { n: { maximum: 9 } } } });
    const gateway = await startConfigured(document(path));
    onTestFinished(() => gateway.close());
    const update = (revision: string): void => {
      const changed = document(path, { properties: {}, monitor: revision === '3' });
      const base = { document: changed, hash: canonicalJson(changed) + revision };
      expect(gateway.configuration.apply({ revision, base, set: [], remove: [], defaultSlots: {} })).toEqual([]);
    };
    const request = (): Promise<unknown> => ask(gateway.port, 'GET / HTTP/1.1\r\nHost: gw.test\r\n');
    await request();
    expect(gateway.audited.json).toHaveLength(1);
    update('2');
    write(path, 'orders.json', { schema: { properties: { n: { maximum: 4 } } } });
    update('3');
    // one more, so that the update without a change made none
    await expect.poll(() => gateway.audited.opened.length).toBe(2);
    await request();
    expect(gateway.audited.json).toHaveLength(1);
    expect(JSON.stringify(gateway.logged)).toContain('n: must be <= 4');
  });

  it('reports bad files with their name and the path in them', () => {
    const path = folder();
    write(path, 'orders.json', { schema: { properties: { n: { type: 'strin' } } } });
    write(path, 'broken.json', '{');
    write(path, 'more.json', { schema: { properties: {} }, bogus: 1 });
    const problems = checkConfigured(document(path)).map(
      ({ path: place, message }) => `${pathText(place)}: ${message}`,
    );
    const text = problems.join('\n');
    expect(text).toContain(`config.config.topicsSchemasDirectory: ${path}/broken.json: must be a JSON object`);
    expect(text).toContain(`${path}/orders.json: schema.properties.n.type: `);
    expect(text).toContain(`${path}/more.json: bogus: there is no field 'bogus'`);
  });

  it('uses audit-schemas of the instance directory by default', () => {
    const instance = folder();
    const { topics } = loadTopics({}, undefined, operatorReach({}, {}, instance));
    expect(topics.size).toBe(0);
  });
});
