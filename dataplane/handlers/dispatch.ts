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
    'Dispatches each request to the handler of the first binding whose condition is true. A request that matches ' +
    'no binding gets 404.',
  config: z.strictObject({
    bindings: z
      .array(
        z.strictObject({
          condition: runtimeFlag()
            .optional()
            .describe('Condition of the binding; without it the binding takes every request. Null counts as false.'),
          handler: ref('handler').describe('Handler of the requests that the binding takes.'),
          baseURI: url()
            .optional()
            .describe(
              'Base URI for these requests: its scheme, host and port replace those of the request. If it has a path, this ' +
                'replaces the path of the request too; the query is kept.',
            ),
        }),
      )
      .describe('Bindings in the order in which they are tried.'),
  }),
  examples: [
    {
      title: 'Two applications and a default response',
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
