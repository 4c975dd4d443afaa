import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../contract/document/json-value.ts';
import { startConfigured } from '../../support/gateways/configured-gateway.ts';
import { problemsOf, send, serve } from '../../support/gateways/served.ts';

const answering = (config: JsonValue): JsonValue => ({ type: 'StaticResponseHandler', config });

describe('compatibility with OpenIG', () => {
  const greeting = {
    status: 200,
    entity: "Hello ${request.method} ${request.uri.path} q=${request.queryParams['a'][0]}",
    headers: { 'X-A': ['v-${request.method}', 'two'], 'Content-Type': ['text/plain; charset=UTF-8'] },
  };

  it.each([
    ['GET /t', greeting, 200, 'Hello GET /t q=', ['X-A: v-GET', 'X-A: two', 'Content-Length: 15']],
    ['GET /t?a=1', greeting, 200, 'Hello GET /t q=1', ['Content-Length: 16']],
    [
      'GET /t',
      { status: 200, headers: { 'X-N': ["${request.headers['Nope'][0]}"] }, entity: 'no [${attributes.x}]' },
      200,
      'no []',
      ['Content-Length: 5'],
    ],
    [
      'GET /t',
      { status: 302, headers: { Location: ['http://x/${request.uri.path}'] } },
      302,
      '',
      ['Location: http://x//t', 'Content-Length: 0'],
    ],
    ['GET /t', { status: 200, entity: ['l1', 'l2 ${request.method}'] }, 200, 'l1\nl2 GET', []],
    ['GET /t', { status: 404, reason: 'Gone Fishing' }, 404, '', ['HTTP/1.1 404 Gone Fishing']],
    ['GET /t', { status: 404, reason: '${1 + 1} found' }, 404, '', ['HTTP/1.1 404 ${1 + 1} found']],
  ])('%s with %j', async (line, config, status, body, lines) => {
    const answer = await send(await serve(answering(config)), line);
    expect(answer.status).toBe(status);
    expect(answer.body).toBe(body);
    for (const expected of lines) expect(answer.head.split('\r\n')).toContain(expected);
    expect(answer.head).not.toMatch(/^X-N:/m);
  });

  it('answers HEAD with the length of the entity and without it', async () => {
    const answer = await send(await serve(answering(greeting)), 'HEAD /t?a=1');
    expect(answer).toMatchObject({ status: 200, body: '' });
    expect(answer.headers.get('content-length')).toBe('17');
  });
});

describe('charsets', () => {
  it.each([
    ['text/plain; charset=ISO-8859-1', 'é €', Buffer.from([0xe9, 0x20, 0x3f])],
    ['text/plain; charset="us-ascii"', 'é a', Buffer.from('? a')],
    ['text/plain;charset=utf-8', 'é €', Buffer.from('é €')],
    ['application/json', '"é"', Buffer.from('"é"')],
  ])('writes the entity as %s says', async (type, entity, bytes) => {
    const answer = await send(
      await serve(answering({ status: 200, headers: { 'content-type': [type] }, entity })),
      'GET /',
    );
    expect(Buffer.from(answer.body, 'latin1')).toEqual(bytes);
  });

  it('refuses one that it cannot write when it is built', async () => {
    const handler = answering({
      status: 200,
      headers: { 'Content-Type': ['text/plain; charset=EBCDIC'] },
      entity: 'e',
    });
    await expect(startConfigured({ handler })).rejects.toThrow(
      "no entity can be written as 'text/plain; charset=EBCDIC'",
    );
  });

  it('fails where a request makes it one that it cannot write', async () => {
    const gateway = await serve(
      answering({
        status: 200,
        headers: { 'Content-Type': ["text/plain; charset=${request.headers['x'][0]}"] },
        entity: 'e',
      }),
    );
    expect((await send(gateway, 'GET /', ['X: koi8-r'])).status).toBe(500);
    expect((await send(gateway, 'GET /', ['X: UTF-8'])).status).toBe(200);
  });
});

describe('wrong configurations', () => {
  it.each([
    [{}, ['missing handler.config.status: is required']],
    [{ status: 'x' }, ["value handler.config.status: must be a whole number, not 'x'"]],
    [{ status: 101 }, ['value handler.config.status: must be at least 200, not 101']],
    [
      { status: 200, headers: { 'X-S': 'notalist' } },
      ['value handler.config.headers.X-S: must be an array, not a string'],
    ],
    [{ status: 200, entity: { a: 1 } }, ['value handler.config.entity: must be a string, not an object']],
    [
      { status: 200, headers: { 'X-${request.method}': ['dyn'] } },
      ['value handler.config.headers["X-${request.method}"]: \'X-${request.method}\' is not the name of a header'],
    ],
    [
      { status: 200, headers: { 'Content-Length': ['3'] } },
      [
        "value handler.config.headers.Content-Length: 'Content-Length' cannot be changed: the gateway sets it for each connection",
      ],
    ],
    [
      { status: 200, trailers: {} },
      ['unavailable-field handler.config.trailers: is known, but not available in this version'],
    ],
    [
      { status: 200, version: 'HTTP/1.1' },
      [
        'no-effect handler.config.version: has no effect: the engine answers in the HTTP version that the client speaks',
      ],
    ],
    [{ status: 200, enity: 'x' }, ["unknown-field handler.config.enity: there is no field 'enity' here"]],
  ])('are reported: %j', (config, problems) => {
    expect(problemsOf(answering(config))).toEqual(problems);
  });
});
