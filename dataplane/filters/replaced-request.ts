import { z } from 'zod';
import { text } from '../../contract/vocabulary/configured.ts';
import { noEffect } from '../../contract/vocabulary/field-notes.ts';
import { rulesAbout } from '../../contract/vocabulary/rules-about.ts';
import { type RuntimeExpression, runtimeText } from '../../contract/vocabulary/runtime.ts';
import { isForwardingHeader } from '../engine/backend/forwarding.ts';
import { changeableHeader } from '../engine/head/changeable-header.ts';
import { headerBytes } from '../engine/head/header-text.ts';
import type { Exchange, Filter } from '../engine/message/exchange.ts';
import type { Request } from '../engine/message/request.ts';
import type { Parts } from '../heap/definition.ts';
import { denials } from '../heap/objects/denials.ts';
import { refuseUnwritableValues } from '../heap/objects/fixed-header-values.ts';
import { readAbsoluteUri, runtimeUri } from './absolute-uri.ts';

const values = (names: z.ZodType<string>) => z.record(names, z.array(runtimeText())).default({});

/** The fields of a request that takes the place of another. */
export const replacementFields = z
  .strictObject({
    method: text()
      .refine((method) => /^[A-Z][A-Z0-9_-]*$/.test(method) && method !== 'CONNECT' && method !== 'TRACE', {
        error: ({ input }) => `must be a method in upper case other than CONNECT and TRACE, not '${input}'`,
      })
      .describe('Method of the new request.'),
    uri: runtimeUri().describe('Absolute URI of the new request.'),
    version: noEffect(text(), 'the engine speaks the HTTP version of the connection').describe(
      'HTTP version of the new request.',
    ),
    headers: values(changeableHeader(z.string())).describe(
      'Values by header name. Host comes from the URI unless it is set here.',
    ),
    form: values(z.string()).describe(
      'Values by name of form parameters: content of the request if the method is POST, otherwise added to the query.',
    ),
    entity: z
      .union([runtimeText(), z.array(runtimeText())])
      .optional()
      .describe('Content of the request, in UTF-8; each item of an array is a line. A POST has either this or form.'),
  })
  .check(
    rulesAbout(['method', 'entity', 'form'], ({ method, entity, form }, add) => {
      if (method !== 'POST' || entity === undefined || Object.keys(form).length === 0) return;
      add(['entity'], "'form' and 'entity' cannot be given together for a POST: both are its content", 'exclusive');
    }),
    rulesAbout(['headers'], ({ headers }, add) => refuseUnwritableValues(headers, 'headers', add)),
  );

/** A filter that sends a request of these fields in place of the one that came. */
export function replacingRequest(
  { method, uri, headers, form, entity }: z.output<typeof replacementFields>,
  parts: Parts,
): Filter {
  const denied = denials(parts, ['no-uri']);
  const fixedUri = uri.compiled === null ? readAbsoluteUri(uri.source) : null;
  const lines = entity === undefined ? null : Array.isArray(entity) ? entity : [entity];
  const headerFields = Object.entries(headers);
  const formFields = Object.entries(form);

  return function replaceRequest(exchange, next) {
    const { request } = exchange;
    const place = fixedUri ?? readAbsoluteUri(uri.read(exchange, null) ?? '');
    if (place === null) {
      const reason = `the URI '${uri.source}' is not an absolute one`;
      const answer = denied.answer(exchange, 'no-uri', undefined, reason);
      answer.cause = new Error(reason);
      return answer;
    }
    // everything is read from the request before anything of it is changed
    const newHeaders = evaluated(headerFields, exchange);
    const parameters = evaluated(formFields, exchange);
    const content = lines?.map((line) => line.read(exchange, null) ?? '').join('\n') ?? '';
    void exchange.client;
    void exchange.router;

    forgetHeaders(request);
    request.method = method;
    request.uri = place;
    request.upgrade = null;
    request.entity.set(content);
    request.headers.append('Host', request.uri.authority);
    for (const [name, value] of newHeaders) request.headers.append(name, headerBytes(value));
    if (formFields.length > 0) addForm(request, parameters);
    return next(exchange);
  };
}

type Field = readonly [name: string, values: readonly RuntimeExpression<string>[]];

function evaluated(fields: readonly Field[], exchange: Exchange): [string, string][] {
  const pairs: [string, string][] = [];
  for (const [name, expressions] of fields) {
    for (const expression of expressions) {
      const value = expression.read(exchange, null);
      if (value !== null) pairs.push([name, value]);
    }
  }
  return pairs;
}

/** What says where the request has been stays: of what a trusted proxy said the backend is told too. */
function forgetHeaders({ headers }: Request): void {
  for (const [name] of headers.entries()) if (name !== 'via' && !isForwardingHeader(name)) headers.delete(name);
}

function addForm(request: Request, parameters: readonly [string, string][]): void {
  if (request.method === 'POST') {
    request.headers.set('Content-Type', 'application/x-www-form-urlencoded');
    request.entity.set(new URLSearchParams(parameters.map(([name, value]) => [name, value])).toString());
    return;
  }
  const added = parameters.map(([name, value]) => `${escaped(name)}=${escaped(value)}`);
  const query = request.uri.rawQuery;
  if (added.length > 0) request.uri.rawQuery = [...(query === null || query === '' ? [] : [query]), ...added].join('&');
}

function escaped(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
