import { defineService } from '../heap/definition.ts';
import { invalidToken } from '../heap/objects/access-tokens.ts';
import { scriptParts } from './languages.ts';
import { scriptFields } from './script-fields.ts';
import { ScriptRunner } from './script-runner.ts';

const DESCRIPTION = 'the access token is not valid';

/** Validates access tokens with a script. */
export const scriptableAccessTokenResolver = defineService({
  type: 'ScriptableAccessTokenResolver',
  kind: 'accessTokenResolver',
  summary:
    'Validates access tokens with a script. It gets the token as `token`, and has no `request`. It returns an ' +
    '`AccessTokenInfo(info, token, scopes, expiresAt)`, or a promise of one; the last value is in milliseconds since ' +
    '1970. Null or an exception gives 401 with `invalid_token`. Variables and limits are on the page about scripts.',
  config: scriptFields('accessTokenResolver'),
  parts: scriptParts,
  examples: [
    {
      title: 'Ask a token service',
      config: {
        type: 'application/x-groovy',
        source: [
          'import org.forgerock.http.oauth2.AccessTokenInfo',
          'import org.forgerock.json.JsonValue',
          '',
          "def query = new Request().setMethod('GET').setUri(tokenService)",
          "query.headers['X-Token'] = token",
          'def response = http.send(context, query).get()',
          'if (response.status != Status.OK) return null',
          'def info = response.entity.json',
          'new AccessTokenInfo(new JsonValue(info), token, info.scopes as Set, info.expiresAt as long)',
        ],
        args: { tokenService: 'https://tokens.example.com/check' },
      },
    },
  ],
  ownCalls: ['clientHandler', 'args'],
  create(config, parts) {
    const runner = new ScriptRunner('accessTokenResolver', config, parts);
    return {
      async resolve(token, exchange) {
        const verdict = await runner.run(exchange, null, new Map([['token', token]]));
        if (verdict.kind === 'none') {
          const refusal = invalidToken(DESCRIPTION, verdict.reason);
          return verdict.code === 'script-failed' ? refusal : { ...refusal, undecided: true };
        }
        // The script may return another token, but others know this one.
        return verdict.value === null ? invalidToken(DESCRIPTION) : { ...verdict.value, token };
      },
    };
  },
});
