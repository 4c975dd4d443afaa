import { z } from 'zod';
import { ValueProblem } from '../../contract/problem.ts';
import { integer, text, wrongType } from '../../contract/vocabulary/configured.ts';
import { noEffect, unavailable } from '../../contract/vocabulary/field-notes.ts';
import { leaf } from '../../contract/vocabulary/leaf.ts';
import { rulesAbout } from '../../contract/vocabulary/rules-about.ts';
import { type RuntimeExpression, runtimeText } from '../../contract/vocabulary/runtime.ts';
import { changeableHeader } from '../engine/head/changeable-header.ts';
import { headerBytes } from '../engine/head/header-text.ts';
import { Response } from '../engine/message/response.ts';
import { defineHandler } from '../heap/definition.ts';
import { refuseUnwritableValues } from '../heap/objects/fixed-header-values.ts';
import { encodeText, isWritable } from './charset.ts';

/** Answers by itself. */
export const staticResponseHandler = defineHandler({
  type: 'StaticResponseHandler',
  summary:
    'Answers every request with a fixed status, headers and entity. Header values that evaluate to null are left ' +
    'out. The entity is written in the charset that `Content-Type` names, by default in UTF-8.',
  config: z
    .strictObject({
      status: integer({ min: 200, max: 999 }).describe('Status code of the response.'),
      reason: reasonPhrase().optional().describe('Reason phrase; by default the standard one of the status.'),
      version: noEffect(text(), 'the engine answers in the HTTP version that the client speaks').describe(
        'HTTP version of the response.',
      ),
      headers: z
        .record(changeableHeader(z.string()), z.array(runtimeText()))
        .default({})
        .describe('Values by header name; the gateway itself writes those that frame the message.'),
      entity: z
        .union([runtimeText(), z.array(runtimeText())])
        .optional()
        .describe('Content of the response; each item of an array is a line.'),
      trailers: unavailable('map').describe('Trailer fields.'),
    })
    .check(rulesAbout(['headers'], ({ headers }, add) => refuseUnwritableValues(headers, 'headers', add))),
  examples: [
    {
      title: 'A greeting',
      config: {
        status: 200,
        headers: { 'Content-Type': ['text/plain; charset=UTF-8'] },
        entity: 'Hello from ${request.uri.path}',
      },
    },
  ],
  create({ status, reason, headers, entity }) {
    const fields = Object.entries(headers);
    const lines = entity === undefined ? [] : Array.isArray(entity) ? entity : [entity];
    if (lines.length > 0) refuseUnwritable(fields);
    return function answer(exchange) {
      const response = new Response(status);
      response.reason = reason ?? null;
      let contentType: string | null = null;
      for (const [name, values] of fields) {
        for (const value of values) {
          const line = value.read(exchange, null);
          if (line === null) continue;
          response.headers.append(name, headerBytes(line));
          if (name.toLowerCase() === 'content-type') contentType = line;
        }
      }
      if (lines.length > 0) {
        const content = lines.map((line) => line.read(exchange, null) ?? '').join('\n');
        response.entity.set(encodeText(content, contentType));
      }
      return response;
    };
  },
});

/** A text in which nothing is evaluated. */
function reasonPhrase(): z.ZodType<string, unknown> {
  return leaf('string', { type: 'string' }, (value) => {
    if (typeof value !== 'string') throw wrongType('a string', value);
    if (/\p{Cc}/u.test(value)) throw new ValueProblem('value', 'must hold no control character');
    return value;
  });
}

/** What is wrong for every request is better said before the first one. */
function refuseUnwritable(fields: readonly (readonly [string, readonly RuntimeExpression<string>[]])[]): void {
  for (const [name, values] of fields) {
    if (name.toLowerCase() !== 'content-type') continue;
    const unwritable = values.find(({ compiled, source }) => compiled === null && !isWritable(source));
    if (unwritable !== undefined) throw new Error(`no entity can be written as '${unwritable.source}': use UTF-8`);
  }
}
