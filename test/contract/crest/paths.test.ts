import { expect, it } from 'vitest';
import type { JsonValue } from '../../../contract/document/json-value.ts';
import { singleEndpoint } from '../../support/crest/echo-endpoint.ts';
import { MemoryCollection } from '../../support/crest/memory-collection.ts';
import { sendCrest } from '../../support/crest/sent-crest.ts';

const users = () => ({ kind: 'collection', provider: new MemoryCollection({ alice: { age: 1 } }).provider }) as const;

it.each([
  ['GET /alice/sub', undefined, {}, 404],
  ['DELETE /alice/sub', undefined, {}, 404],
  ['PUT /alice/sub', {}, {}, 400],
  ['PUT /alice/sub', {}, { 'if-none-match': '*' }, 400],
  ['PUT /alice/sub/more', {}, {}, 404],
  ['PUT /alice/sub', {}, { 'if-match': '*' }, 404],
  ['POST /alice', {}, {}, 400],
  ['PUT ', {}, {}, 400],
  ['GET ', undefined, {}, 400],
  ['PATCH ', [], {}, 400],
  ['GET /%zz', undefined, {}, 400],
  ['GET /a%00b', undefined, {}, 400],
  ['HEAD /alice', undefined, {}, 501],
  ['TRACE /alice', undefined, {}, 405],
  ['OPTIONS /alice', undefined, {}, 200],
  ['DELETE /alice', undefined, { 'content-type': '*/*' }, 415],
  ['GET /alice', undefined, { 'if-match': '0' }, 412],
  ['DELETE /alice', undefined, { 'if-none-match': '0' }, 412],
  ['PUT /alice', {}, { 'if-match': '0', 'if-none-match': '*' }, 412],
  ['PUT /alice', {}, { 'if-none-match': '0' }, 400],
  ['GET /alice', undefined, { 'if-modified-since': 'x' }, 409],
] as const)('a collection answers %s with body %j and headers %j with %i', async (line, body, headers, status) => {
  expect((await sendCrest(users(), line, body as JsonValue | undefined, headers)).status).toBe(status);
});

it.each([
  ['PUT ', {}, {}, 400],
  ['PUT /x', {}, { 'if-none-match': '*' }, 400],
  ['PUT /x', {}, { 'if-match': '*' }, 404],
  ['PUT ', {}, { 'if-match': '*' }, 200],
  ['POST ', {}, {}, 400],
  ['DELETE ', undefined, {}, 400],
  ['GET ?_queryFilter=true', undefined, {}, 400],
] as const)('a singleton answers %s with body %j and headers %j with %i', async (line, body, headers, status) => {
  expect((await sendCrest(singleEndpoint, line, body as JsonValue | undefined, headers)).status).toBe(status);
});
