import { z } from 'zod';
import { type RuntimeExpression, runtimeText } from '../../contract/vocabulary/runtime.ts';
import { readBaseUri, unservedScheme } from '../engine/backend/base-uri.ts';
import type { Exchange } from '../engine/message/exchange.ts';
import type { Response } from '../engine/message/response.ts';
import type { Uri } from '../engine/message/uri.ts';
import { defineDecorator } from '../heap/definition.ts';
import { denials } from '../heap/objects/denials.ts';

const decoration = runtimeText()
  .refine(isUri, { error: ({ input }) => faultOf((input as RuntimeExpression<string>).read(null, null) ?? '') })
  .meta({ label: 'runtime expression<url>', json: { type: 'string' } })
  .describe('The new base URI, such as `http://app.example.com:8080`. Only its scheme, host and port are used.');

/** Sends requests elsewhere. */
export const baseUriDecorator = defineDecorator({
  type: 'BaseUriDecorator',
  summary:
    'Replaces scheme, host and port of the request URI before the decorated object sees it. Path and query stay, ' +
    'and so does the `Host` header. A base without a host changes nothing; a base that evaluates to null or is ' +
    'not a URI gives 500. The decorator `baseURI` is predefined.',
  config: z.strictObject({}),
  decoration,
  decorates: ['filter', 'handler'],
  examples: [{ title: 'A second name for the default decorator', config: {} }],
  inVain(base) {
    const isVain = base.compiled === null && readBaseUri(base.read(null, null) ?? '') === null;
    return isVain ? `'${base.source}' names no scheme and host, so that requests keep theirs` : null;
  },
  unserved(base) {
    if (base.compiled !== null) return null;
    return unservedScheme(readBaseUri(base.read(null, null) ?? '')?.scheme ?? 'http');
  },
  rebases: (base) => base.compiled !== null || readBaseUri(base.read(null, null) ?? '') !== null,
  create(_, parts) {
    const denied = denials(parts, ['no-uri']);
    const failed = (exchange: Exchange, expression: RuntimeExpression<string>): Response => {
      const reason = `${expression.source} gave no URI to send the request to`;
      const response = denied.answer(exchange, 'no-uri', undefined, reason);
      response.cause = new Error(reason);
      parts.log.warn({ err: response.cause }, 'expression for the baseURI gave no URI; request answered with 500');
      return response;
    };
    return {
      filter(filter, base) {
        const rebase = rebaser(base);
        return (exchange, next) => (rebase(exchange) ? filter(exchange, next) : failed(exchange, base));
      },
      handler(handler, base) {
        const rebase = rebaser(base);
        return (exchange) => (rebase(exchange) ? handler(exchange) : failed(exchange, base));
      },
    };
  },
});

function isUri(expression: RuntimeExpression<string>): boolean {
  return expression.compiled !== null || baseOrNone(expression.read(null, null) ?? '') !== undefined;
}

/** The problem of a text that is not a base. It may have a password, so it is not shown. */
function faultOf(text: string): string {
  const authority = /^[^/?#]*:\/\/([^/?#]*)/.exec(text)?.[1] ?? '';
  if (authority.includes('@'))
    return 'must have no user and password: an HttpBasicAuthFilter signs in to an application that asks for them';
  const port = /:(\d+)$/.exec(authority)?.[1];
  if (port !== undefined && Number(port) > 65_535) return `must have a port of at most 65535, not ${port}`;
  return "is not a URI such as 'http://app.example.com:8080'";
}

/** The base; null when the text names no host, undefined when it is no URI. */
function baseOrNone(text: string): Uri | null | undefined {
  try {
    return readBaseUri(text);
  } catch {
    return undefined;
  }
}

/** Rebases requests; false when there is no base to be had. A text is parsed once for as long as it stays the same. */
function rebaser(expression: RuntimeExpression<string>): (exchange: Exchange) => boolean {
  let known: string | null = null;
  let base: Uri | null | undefined;
  return (exchange) => {
    const text = expression.read(exchange, null);
    if (text === null) return false;
    if (text !== known) {
      base = baseOrNone(text);
      known = text;
    }
    if (base === undefined) return false;
    if (base !== null) exchange.request.uri.rebase(base);
    return true;
  };
}
