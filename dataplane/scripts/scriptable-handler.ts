import { defineHandler } from '../heap/definition.ts';
import { scriptParts } from './languages.ts';
import { scriptAnswers } from './script-answer.ts';
import { scriptFields } from './script-fields.ts';

/** Answers requests with a script. */
export const scriptableHandler = defineHandler({
  type: 'ScriptableHandler',
  summary:
    'Answers each request with the response, or the promise of one, that a script returns. Without a result ' +
    'the client gets 404. An exception, or a script that exceeds its time or memory, gives 500. Variables and limits ' +
    'are on the page about scripts. The metrics are `gw_script_exceeded_total` and `gw_script_suspended_total`.',
  config: scriptFields('handler'),
  parts: scriptParts,
  examples: [
    {
      title: 'Answer with JSON',
      config: {
        type: 'application/x-groovy',
        source: [
          'def response = new Response(Status.OK)',
          'response.entity.json = [path: request.uri.path]',
          'response',
        ],
      },
    },
    {
      title: 'Answer with JSON, in JavaScript',
      config: {
        type: 'application/javascript',
        source: 'return new Response(200, { body: { path: request.uri.path } })',
      },
    },
  ],
  ownCalls: ['clientHandler', 'args'],
  create(config, parts) {
    const answer = scriptAnswers('handler', config, parts);
    return (exchange) => answer(exchange, null);
  },
});
