import { z } from 'zod';
import { url } from '../../contract/vocabulary/configured.ts';
import { ref } from '../../contract/vocabulary/reference.ts';
import { runtimeFlag } from '../../contract/vocabulary/runtime.ts';
import type { Exchange } from '../engine/message/exchange.ts';
import { Uri } from '../engine/message/uri.ts';
import { defineHandler } from '../heap/definition.ts';
import { denials } from '../heap/objects/denials.ts';

/** Chooses a handler for each request. */
export const dispatchHandler = defineHandler({
  type: 'DispatchHandler',
  summary:
    'Gives each request to the handler of the first binding whose condition is true. A request that no binding takes ' +
    'is answered with 404.',
  config: z.strictObject({
    bindings: z
      .array(
        z.strictObject({
          condition: runtimeFlag()
            .optional()
            .describe('Whether the binding takes a request; without it, it takes every one. Null is no.'),
          handler: ref('handler').describe('Handler of the requests that the binding takes.'),
          baseURI: url()
            .optional()
            .describe(
              'Where these requests go: its scheme, host and port replace those of the request. A path in it replaces ' +
                "the request's path too; the query stays that of the request.",
            ),
        }),
      )
      .describe('Bindings in the order in which they are tried.'),
  }),
  examples: [
    {
      title: 'Two applications and an answer for the rest',
      config: {
        bindings: [
          {
            condition: "${find(request.uri.path, '^/shop')}",
            handler: 'ReverseProxyHandler',
            baseURI: 'http://shop.example:8080',
          },
          { handler: { type: 'StaticResponseHandler', config: { status: 404 } } },
        ],
      },
    },
  ],
  setsUriFor: ({ bindings }) => bindings.flatMap(({ baseURI, handler }) => (baseURI === undefined ? [] : [handler])),
  create({ bindings }, parts) {
    const { resolve, log } = parts;
    const denied = denials(parts, ['no-binding']);
    const cases = bindings.map(({ condition, handler, baseURI }) => {
      if (baseURI !== undefined && baseURI.search !== '') {
        log.warn({ baseURI: baseURI.href }, 'query of a baseURI ignored; the query of the request is kept');
      }
      return {
        condition: condition ?? null,
        handler: resolve(handler),
        base: baseURI === undefined ? null : Uri.parse(`${baseURI.protocol}//${baseURI.host}${baseURI.pathname}`),
      };
    });
    return function dispatch(exchange) {
      for (const { condition, handler, base } of cases) {
        if (condition !== null && condition.read(exchange, null) !== true) continue;
        if (base !== null) rebase(exchange, base);
        return handler(exchange);
      }
      return denied.answer(exchange, 'no-binding');
    };
  },
});

function rebase({ request: { uri } }: Exchange, base: Uri): void {
  uri.rebase(base);
  if (base.rawPath !== '/') uri.rawPath = base.rawPath;
}
