import { z } from 'zod';
import type { Value } from '../../contract/expression/value.ts';
import { oneRequired } from '../../contract/vocabulary/groups.ts';
import { type RuntimeExpression, runtimeText, runtimeValue } from '../../contract/vocabulary/runtime.ts';
import type { Exchange } from '../engine/message/exchange.ts';
import { Uri } from '../engine/message/uri.ts';
import { defineFilter } from '../heap/definition.ts';

/** Corrects what the gateway believes about the URI that the client asked for. */
export const forwardedRequestFilter = defineFilter({
  type: 'ForwardedRequestFilter',
  summary:
    'Changes scheme, host or port of `contexts.router.originalUri`, the URI that the client requested, if a ' +
    'component before the gateway changed them, such as a proxy that terminates TLS. Redirects and checks that ' +
    'use the original URI see the change; `request.uri` is not changed. A part whose expression evaluates to ' +
    'null is not changed; a result that is not a URI gives 500. Forwarding headers such as `X-Forwarded-Proto` ' +
    'are kept only from trusted proxies, and the original URI already takes them into account.',
  config: z
    .strictObject({
      scheme: runtimeText()
        .refine(constantFits(isScheme), 'must be http or https')
        .optional()
        .describe('Scheme of the original URI: `http` or `https`.'),
      host: runtimeText()
        .refine(constantFits(isHostName), 'must be a host without a port')
        .optional()
        .describe('Host of the original URI, without a port.'),
      port: runtimeValue()
        .refine(constantFits(isPort), 'must be a port from 1 to 65535')
        .optional()
        .describe('Port of the original URI: a number, or a text that is one.'),
    })
    .check(oneRequired('scheme', 'host', 'port')),
  examples: [
    { title: 'Behind a proxy that terminates TLS', config: { scheme: 'https', port: 443 } },
    {
      title: 'From a header of the proxy before the gateway',
      config: { host: "${request.headers['X-Public-Host'][0]}" },
    },
  ],
  create({ scheme, host, port }) {
    return function correctOriginalUri(exchange, next) {
      const { originalUri } = exchange.router;
      const parts = {
        scheme: read(scheme, exchange, isScheme, 'scheme')?.toLowerCase() ?? originalUri.scheme,
        host: read(host, exchange, isHostName, 'host') ?? originalUri.host,
        port: Number(read(port, exchange, isPort, 'port') ?? explicitPort(originalUri)),
      };
      const corrected = new Uri(parts.scheme, '', originalUri.rawPath, originalUri.rawQuery);
      corrected.host = parts.host;
      if (parts.port !== corrected.port) corrected.port = parts.port;
      exchange.setContext('router', Object.freeze({ ...exchange.router, originalUri: corrected }));
      return next(exchange);
    };
  },
});

function read<T extends Value>(
  expression: RuntimeExpression<T> | undefined,
  exchange: Exchange,
  fits: (value: Value) => boolean,
  part: string,
): T | null {
  const value = expression?.read(exchange, null) ?? null;
  if (value !== null && !fits(value))
    throw new TypeError(`the original URI cannot have this ${part}: ${String(value)}`);
  return value;
}

/** The port that the URI names, or -1. */
function explicitPort(uri: Uri): number {
  return uri.authority.endsWith(`:${uri.port}`) ? uri.port : -1;
}

/** What is known before any request is judged before any request. */
function constantFits<T>(fits: (value: T) => boolean): (expression: RuntimeExpression<T>) => boolean {
  return ({ compiled, read }) => {
    const value = compiled === null ? read(null, null) : null;
    return value === null || fits(value);
  };
}

function isScheme(value: Value): boolean {
  return typeof value === 'string' && /^https?$/i.test(value);
}

function isHostName(value: Value): boolean {
  if (typeof value !== 'string') return false;
  try {
    new Uri('http', '', '/', null).host = value;
    return value !== '' && !/[/?#@]/.test(value);
  } catch {
    return false;
  }
}

function isPort(value: Value): boolean {
  if (typeof value === 'string' && !/^\d{1,5}$/.test(value)) return false;
  const port = typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' ? Number(value) : 0;
  return Number.isInteger(port) && port >= 1 && port <= 65_535;
}
