import { defineService } from '../heap/definition.ts';
import { isNqText } from '../heap/objects/access-tokens.ts';
import { scriptParts } from './languages.ts';
import { scriptFields } from './script-fields.ts';
import { ScriptRunner } from './script-runner.ts';

/** Gets the scopes that a request needs from a script. */
export const scriptableResourceAccess = defineService({
  type: 'ScriptableResourceAccess',
  kind: 'resourceAccess',
  summary:
    'Gets the scopes that each request needs from a script, as a `Set` of strings, or a promise of one. The access ' +
    'token must have all of them. Null, another result or an exception gives 500. Changes that the script makes to ' +
    'the request have no effect. Variables and limits are on the page about scripts.',
  config: scriptFields('resourceAccess'),
  parts: scriptParts,
  examples: [
    {
      title: 'One scope to read, another one to write',
      config: {
        type: 'application/x-groovy',
        source: ["(request.method in ['GET', 'HEAD'] ? ['orders:read'] : ['orders:read', 'orders:write']) as Set"],
      },
    },
  ],
  ownCalls: ['clientHandler', 'args'],
  create(config, parts) {
    const runner = new ScriptRunner('resourceAccess', config, parts);
    return {
      async scopes(exchange) {
        const scopes = await runner.value(exchange);
        if (scopes === null) throw new Error('the script returned null instead of a Set of scopes');
        const wrong = [...scopes].find((scope) => !isNqText(scope));
        if (wrong !== undefined) throw new Error('the set of the script has an item with characters that no scope has');
        return scopes;
      },
    };
  },
});
