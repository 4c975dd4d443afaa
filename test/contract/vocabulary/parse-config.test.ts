import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { pathText } from '../../../contract/problem.ts';
import {
  choice,
  duration,
  flag,
  integer,
  number,
  pattern,
  secretId,
  text,
  url,
} from '../../../contract/vocabulary/configured.ts';
import { deprecated, noEffect, unavailable } from '../../../contract/vocabulary/field-notes.ts';
import { exclusive, groupRules, oneRequired } from '../../../contract/vocabulary/groups.ts';
import { parseConfig } from '../../../contract/vocabulary/parse-config.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';
import { runtimeFlag, runtimeText } from '../../../contract/vocabulary/runtime.ts';
import { schemaTree } from '../../../contract/vocabulary/schema-tree.ts';
import { documentReading } from '../../../dataplane/routes/document-reading.ts';
import { operatorReach } from '../../support/gateways/operator-reach.ts';

const properties = { limit: 7, host: 'a.test', deep: { on: true } };
const reading = documentReading(operatorReach({ PORT: '8080' }), [{ properties }], () => {});

function read<T>(schema: z.ZodType<T>, raw: unknown) {
  const { value, problems } = parseConfig(schema, raw, reading, ['config']);
  const said = problems.map(
    ({ code, severity, path, message, hint }) =>
      `${severity === 'warning' ? 'warning ' : ''}${code} ${pathText(path)}: ${message}${hint === undefined ? '' : ` (${hint})`}`,
  );
  return { value, said };
}

describe('one value', () => {
  it.each<[string, z.ZodType, unknown, unknown]>([
    ['a text', text(), 'a', 'a'],
    ['a configuration expression', text(), 'http://${host}/', 'http://a.test/'],
    ['an environment variable', integer(), "${env['PORT']}", 8080],
    ['a property', integer(), '${limit}', 7],
    ['a text that a token left behind', integer(), '42', 42],
    ['a quotient', integer(), '${4 / 2}', 2],
    ['a number with a fraction', number(), 1.5, 1.5],
    ['a flag as text', flag(), 'true', true],
    ['a flag from a property', flag(), '${deep.on}', true],
    ['a word in any case', choice(['REQUEST', 'RESPONSE']), 'request', 'REQUEST'],
    ['a secret id', secretId(), 'a.b-c.d', 'a.b-c.d'],
  ])('is read from %s', (_, schema, raw, expected) => {
    expect(read(schema, raw)).toEqual({ value: expected, said: [] });
  });

  it.each<[z.ZodType, unknown, string]>([
    [text(), undefined, 'missing config: is required'],
    [text(), '', 'value config: must not be empty'],
    [text(), 5, 'value config: must be a string, not a number'],
    [integer({ min: 1 }), 0, 'value config: must be at least 1, not 0'],
    [integer({ max: 9 }), 10, 'value config: must be at most 9, not 10'],
    [integer(), 1.5, 'value config: must be a whole number, not 1.5'],
    [integer(), 'many', "value config: must be a whole number, not 'many'"],
    [integer(), "${env['PORT']}x", "value config: must be a whole number, not '…'"],
    [flag(), 'yes', "value config: must be true or false, not 'yes'"],
    [choice(['A', 'B']), 'C', "value config: must be one of A, B, not 'C'"],
    [choice(['A', 'B']), undefined, 'missing config: is required'],
    [duration(), 'soon', expect.stringMatching(/^duration config: /)],
    [duration(), 'unlimited', 'duration config: must not be unlimited'],
    [duration(), 'zero', 'duration config: must be longer than zero'],
    [duration({ max: '1 day' }), '25 hours', 'duration config: must be at most 1 day'],
    [url(), 'nowhere', "value config: is not an absolute URL: 'nowhere'"],
    [url(), 'ftp://a/', 'value config: must have the scheme http or https, not ftp'],
    [pattern(), '(', expect.stringMatching(/^pattern config: /)],
    [secretId(), 'a..b', expect.stringMatching(/^value config: must be the id of a secret: letters/)],
    [text(), '${request.method}', expect.stringMatching(/^expression config: /)],
    [integer(), '${limt}', "expression config: 'limt' is not known here (did you mean 'limit'?)"],
    [text(), "${heap['Clock']}", expect.stringMatching(/^unavailable-field config: 'heap' is known/)],
    [runtimeText(), '${nope(1)}', expect.stringMatching(/^expression config: .*nope/)],
    [runtimeFlag(), 'notbool', expect.stringMatching(/^value config: must be true, false or an expression/)],
    [ref('handler'), 5, "value config: must be the name of a Handler or an object with 'type', not a number"],
  ])('%#: refuses %j', (schema, raw, message) => {
    expect(read(schema, raw).said).toEqual([message]);
  });

  it('is shown short, and no value of a secret kind is shown', () => {
    expect(read(integer(), 'x'.repeat(500)).said[0]!.length).toBeLessThan(200);
  });
});

describe('an object', () => {
  const schema = z
    .strictObject({
      limit: integer({ min: 1 }),
      rate: z.strictObject({ requests: integer(), per: duration() }).optional(),
      file: text().optional(),
      source: z.array(text()).optional(),
      headers: z.record(z.string(), z.array(runtimeText())).default({}),
      old: deprecated(text(), "'file'"),
      moot: noEffect(integer(), 'nothing counts here'),
      later: unavailable('object'),
    })
    .check(exclusive('file', 'source'), oneRequired('file', 'source'));

  it('is read with its defaults', () => {
    expect(read(schema, { limit: 1, file: 'a' })).toEqual({ value: { limit: 1, file: 'a', headers: {} }, said: [] });
  });

  it('has all its problems found at once', () => {
    expect(
      read(schema, { limt: 3, rate: { requests: 'x', pr: '1 s' }, file: 'a', headers: { a: 'b' }, later: 1 }).said,
    ).toEqual([
      "value config.rate.requests: must be a whole number, not 'x'",
      "unknown-field config.rate.pr: there is no field 'pr' here (did you mean 'per'?)",
      'value config.headers.a: must be an array, not a string (put it in brackets: [ … ])',
      'unavailable-field config.later: is known, but not available in this version',
      "unknown-field config.limt: there is no field 'limt' here (did you mean 'limit'?)",
    ]);
  });

  it('reports exclusive fields and missing fields', () => {
    expect(read(schema, { limit: 1, file: 'a', source: ['b'] }).said).toEqual([
      "exclusive config.source: 'file' and 'source' cannot be given together",
    ]);
    expect(read(schema, { limit: 1 }).said).toEqual(["missing config: one of 'file' and 'source' is required"]);
    expect(groupRules(schemaTree(schema))).toEqual([
      "Use at most one of 'file' and 'source'.",
      "One of 'file' and 'source' is required.",
    ]);
  });

  it('may hold comments, which maps do not have', () => {
    const raw = { limit: 1, file: 'a', comment: 'why', _note: 1, headers: { comment: ['kept'], _x: ['kept'] } };
    const { value, said } = read(schema, raw);
    expect(said).toEqual([]);
    expect(Object.keys(value!.headers)).toEqual(['comment', '_x']);
  });

  it('warns of deprecated fields and of fields without effect', () => {
    expect(read(schema, { limit: 1, file: 'a', old: 'b', moot: 2 }).said).toEqual([
      "warning deprecated-field config.old: is deprecated: use 'file'",
      'warning no-effect config.moot: has no effect: nothing counts here',
    ]);
  });

  it('keeps a key called __proto__ an ordinary key', () => {
    const { said } = read(schema, JSON.parse('{"limit": 1, "file": "a", "__proto__": {"limit": 2}}'));
    expect(said).toEqual([]);
    expect(({} as Record<string, unknown>)['limit']).toBeUndefined();
  });
});
