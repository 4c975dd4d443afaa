import { defineFilter } from '../heap/definition.ts';
import { scriptParts } from './languages.ts';
import { namesHost } from './names-host.ts';
import { scriptAnswers } from './script-answer.ts';
import { scriptFields } from './script-fields.ts';

/** Runs a script for each request, which passes it on or answers. */
export const scriptableFilter = defineFilter({
  type: 'ScriptableFilter',
  summary:
    'Runs a script for each request. The script calls `next.handle(context, request)`, or in JavaScript ' +
    '`next(request)`, to pass the request on, and returns a response or a promise of one. Without a result the client gets 404. An exception, or a script ' +
    'that exceeds its time or memory, gives 500. Variables and limits are on the page about scripts. The metrics ' +
    'are `gw_script_exceeded_total` and `gw_script_suspended_total`.',
  config: scriptFields('filter'),
  parts: scriptParts,
  examples: [
    {
      title: 'Add a header to the request and to the response',
      config: {
        type: 'application/x-groovy',
        source: [
          "request.headers['X-Client'] = contexts.client.remoteAddress",
          'next.handle(context, request).thenOnResult { response ->',
          "  response.headers['X-Served-By'] = servedBy",
          '}',
        ],
        args: { servedBy: 'gateway' },
      },
    },
    {
      title: 'The same in JavaScript',
      config: {
        type: 'application/javascript',
        source: [
          "request.headers.set('X-Client', contexts.client.remoteAddress)",
          'const response = await next(request)',
          "response.headers.set('X-Served-By', servedBy)",
          'return response',
        ],
        args: { servedBy: 'gateway' },
      },
    },
  ],
  ownCalls: ['clientHandler', 'args'],
  setsUri({ source, file, args = {} }) {
    const script = source ?? file ?? null;
    return namesHost(script, new Set([...Object.keys(args), ...(script?.properties.keys() ?? [])]));
  },
  create(config, parts) {
    const answer = scriptAnswers('filter', config, parts);
    return (exchange, next) => answer(exchange, next);
  },
});
