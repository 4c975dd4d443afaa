import { z } from 'zod';
import { choice, text } from '../../contract/vocabulary/configured.ts';
import { rulesAbout } from '../../contract/vocabulary/rules-about.ts';
import { constantText, runtimeText } from '../../contract/vocabulary/runtime.ts';
import { type AddedLine, fixedLine } from '../engine/head/added-line.ts';
import { changeableHeader } from '../engine/head/changeable-header.ts';
import type { Headers } from '../engine/head/headers.ts';
import type { Exchange } from '../engine/message/exchange.ts';
import { mapResponse, mapResponseAlone } from '../engine/message/reply.ts';
import type { Response } from '../engine/message/response.ts';
import { defineFilter } from '../heap/definition.ts';
import { denials } from '../heap/objects/denials.ts';
import { refuseUnwritableValues } from '../heap/objects/fixed-header-values.ts';
import { valueEncodings, valueWriter } from './value-encoding.ts';

/** Removes headers from a request or a response and adds others. */
export const headerFilter = defineFilter({
  type: 'HeaderFilter',
  summary:
    'Removes headers from requests or responses, then adds others. Adding never replaces a header: to set one, ' +
    'name it in both lists. A value that evaluates to null is left out.',
  config: z
    .strictObject({
      messageType: choice(['REQUEST', 'RESPONSE']).describe('Message to change: the request or the response.'),
      remove: z.array(changeableHeader(text())).default([]).describe('Names of headers to remove, case-insensitive.'),
      add: z
        .record(changeableHeader(z.string()), z.array(runtimeText()))
        .default({})
        .describe('Values to add, by header name.'),
      encoding: choice(valueEncodings)
        .default('UTF-8')
        .describe(
          'Encoding of values with characters outside ASCII: UTF-8, or the extended value of RFC 8187 ' +
            "(`UTF-8''%C5%81ukasz`). REFUSE rejects a request with 400 and a response with 500.",
        ),
    })
    .check(
      rulesAbout(['add', 'encoding'], ({ add, encoding }, breach) =>
        refuseUnwritableValues(add, 'add', breach, valueWriter(encoding)),
      ),
    ),
  examples: [
    {
      title: 'Set a user header, and remove the one of the client',
      config: { messageType: 'REQUEST', remove: ['X-User'], add: { 'X-User': ['${attributes.user}'] } },
    },
    {
      title: 'Remove headers that reveal details of the application',
      config: { messageType: 'RESPONSE', remove: ['Server', 'X-Powered-By'] },
    },
  ],
  create({ messageType, remove, add, encoding }, parts) {
    const denied = denials(parts, ['header-value', 'answer-header-value']);
    const write = valueWriter(encoding);
    const additions = Object.entries(add).flatMap(([name, values]) =>
      values.map((value) => ({ name, value, line: lineOf(name, constantText(value)) })),
    );
    const computed = additions.some(({ value }) => value.compiled !== null);
    const isFixed = additions.every(({ line }) => line !== null);
    const changeComputed = additions.length === 1 ? changeKnowingOne : changeKnowing;
    const change = computed && remove.length > 0 ? changeComputed : changePlainly;

    /** Each way to change says whether all values could be written. */
    function changePlainly(headers: Headers, exchange: Exchange, response: Response | null): boolean {
      for (const name of remove) headers.delete(name);
      for (const { name, value, line } of additions) {
        if (line !== null) headers.appendFixed(line);
        else if (!addTo(headers, name, value.read(exchange, response))) return false;
      }
      return true;
    }

    /** A line that is the same each time; null where it is not, or cannot be written. */
    function lineOf(name: string, value: string | null): AddedLine | null {
      const written = value === null ? null : write(value);
      return written === null ? null : fixedLine(name, written);
    }

    /** What is added may be computed from what is removed. */
    function changeKnowing(headers: Headers, exchange: Exchange, response: Response | null): boolean {
      const values = additions.map(({ value }) => value.read(exchange, response));
      for (const name of remove) headers.delete(name);
      for (let i = 0; i < values.length; i++) if (!addTo(headers, additions[i]!.name, values[i]!)) return false;
      return true;
    }

    /** The same for one value, as most filters have it, without lists for each request. */
    function changeKnowingOne(headers: Headers, exchange: Exchange, response: Response | null): boolean {
      const { name, value } = additions[0]!;
      const known = value.read(exchange, response);
      for (const removed of remove) headers.delete(removed);
      return addTo(headers, name, known);
    }

    function addTo(headers: Headers, name: string, value: string | null): boolean {
      const written = value === null ? null : write(value);
      if (written !== null) headers.append(name, written);
      return value === null || written !== null;
    }

    if (messageType === 'REQUEST') {
      return function changeRequest(exchange, next) {
        return change(exchange.request.headers, exchange, null)
          ? next(exchange)
          : denied.refuse(exchange, 'header-value');
      };
    }
    const changeResponse = (response: Response, exchange: Exchange): Response => {
      if (change(response.headers, exchange, response)) return response;
      response.abandon();
      return denied.answer(exchange, 'answer-header-value');
    };
    const map = isFixed ? mapResponseAlone : mapResponse;
    return (exchange, next) => map(next(exchange), exchange, changeResponse);
  },
});
