import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type JsonObject, jsonObjectIn } from '../../../contract/document/json-value.ts';
import { pathText } from '../../../contract/problem.ts';
import { catalogue } from '../../../dataplane/catalogue/catalogue.ts';
import { loadAllParts } from '../../../dataplane/heap/named-parts.ts';
import { checkConfigured } from '../../support/gateways/configured-gateway.ts';
import { repositoryRoot } from '../source-file.ts';

const handler = { type: 'StaticResponseHandler', config: { status: 200 } };
const out = { class: 'JsonStdoutAuditEventHandler', config: { name: 'out', topics: ['orders'] } };
const topics = { orders: { schema: { properties: { path: { type: 'string' } } } } };
/** The audit service that examples name by its type. */
const audit = { name: 'AuditService', type: 'AuditService', config: { config: { topics }, eventHandlers: [out] } };

/** A whole document around an example; null for an example of something else, such as an event. */
function documentOf(example: JsonObject, named: readonly JsonObject[]): JsonObject | null {
  if ('handler' in example) return 'heap' in example ? example : { ...example, heap: [...named] };
  if ('class' in example) {
    return { handler, auditService: { type: 'AuditService', config: { eventHandlers: [example] } } };
  }
  return 'type' in example ? { handler, heap: [audit, { name: 'example', ...example }] } : null;
}

/** Examples in JSON, by page and line. Those of the channel are messages, which a test of their own reads. */
function examples(): [place: string, document: JsonObject][] {
  const pages = readdirSync(`${repositoryRoot}/docs`).filter((name) => name.endsWith('.md') && name !== 'channel.md');
  return pages.flatMap((name) => {
    const page = readFileSync(`${repositoryRoot}/docs/${name}`, 'utf8');
    const blocks = [...page.matchAll(/^```json\n(.*?)^```/gms)].flatMap(({ 1: text = '', index }) => {
      const value = jsonObjectIn(text); // null for a part of an object
      return value === null ? [] : [{ value, line: page.slice(0, index).split('\n').length }];
    });
    const named = blocks.map(({ value }) => value).filter((value) => 'name' in value && 'type' in value);
    return blocks.flatMap(({ value, line }): [string, JsonObject][] => {
      const document = documentOf(value, named);
      return document === null ? [] : [[`${name}:${line}`, document]];
    });
  });
}

it.each(examples())('the example in docs/%s is valid', async (_, document) => {
  await loadAllParts(catalogue);
  const errors = checkConfigured(document).filter(({ severity }) => severity === 'error');
  expect(errors.map(({ path, message }) => `${pathText(path)}: ${message}`)).toEqual([]);
});

it('there are examples of documents, of objects and of audit event handlers', () => {
  const places = examples().map(([place]) => place.split(':')[0]);
  expect(places.filter((page) => page === 'audit.md').length).toBeGreaterThanOrEqual(4);
});
