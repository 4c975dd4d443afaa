import { defineService } from '../heap/definition.ts';
import { scriptParts } from './languages.ts';
import { scriptFields } from './script-fields.ts';
import { ScriptRunner } from './script-runner.ts';

/** Gets the resource of a policy decision from a script. */
export const scriptableResourceUriProvider = defineService({
  type: 'ScriptableResourceUriProvider',
  kind: 'resourceUriProvider',
  summary:
    'Gets the resource of a policy decision from a script, as a string with a URL, or a promise of one. Use it to keep ' +
    'only some query parameters. Null, another result or an exception gives 500. Changes that the script makes to the ' +
    'request have no effect. Variables and limits are on the page about scripts.',
  config: scriptFields('resourceUri'),
  parts: scriptParts,
  examples: [
    {
      title: 'Keep one query parameter',
      config: {
        type: 'application/x-groovy',
        source: [
          'def uri = contexts.router.originalUri',
          "def id = request.queryParams['id']?.get(0)",
          "\"${uri.scheme}://${uri.host}${uri.path}${id == null ? '' : '?id=' + id}\".toString()",
        ],
      },
    },
  ],
  ownCalls: ['clientHandler', 'args'],
  create(config, parts) {
    const runner = new ScriptRunner('resourceUri', config, parts);
    return {
      async resource(exchange) {
        const resource = await runner.value(exchange);
        if (resource === null || resource === '') throw new Error('the script returned no URL');
        return resource;
      },
    };
  },
});
