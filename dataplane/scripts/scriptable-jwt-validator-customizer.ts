import { defineService } from '../heap/definition.ts';
import { scriptParts } from './languages.ts';
import { scriptFields } from './script-fields.ts';
import { ScriptRunner } from './script-runner.ts';

/** Checks claims of a JWT with a script. */
export const scriptableJwtValidatorCustomizer = defineService({
  type: 'ScriptableJwtValidatorCustomizer',
  kind: 'jwtValidatorCustomizer',
  summary:
    'Checks claims of a JWT with a script that adds constraints to `builder`: ' +
    '`builder.claim(name, JsonValue::asString, isEqualTo(value))`. The name of a claim within others is a path, such ' +
    'as `address/country`. Constraints are `isEqualTo`, `isNotEqualTo`, `isGreaterThan`, `isGreaterThanOrEqualTo`, ' +
    '`isLessThan`, `isLessThanOrEqualTo`, `isIn`, `contains` and `find` (a pattern); `claim(name)` is the value of ' +
    'another claim. A missing claim does not pass. With an exception the JWT is not valid. Variables and limits are ' +
    'on the page about scripts. A script in JavaScript gets `claims`, and returns an array of violations.',
  config: scriptFields('jwtValidator'),
  parts: scriptParts,
  examples: [
    {
      title: 'A JWT for one department, with a limit that is above another claim',
      config: {
        type: 'application/x-groovy',
        source: [
          "builder.claim('department', JsonValue::asString, isEqualTo('sales'))",
          "  .claim('limit', JsonValue::asInteger, isGreaterThan(claim('amount').asInteger()))",
        ],
      },
    },
  ],
  ownCalls: ['clientHandler', 'args'],
  create(config, parts) {
    const runner = new ScriptRunner('jwtValidator', config, parts);
    return {
      async violations(claims, exchange) {
        const violations = await runner.value(exchange, new Map([['claims', claims]]));
        if (violations === null) throw new Error('the script returned null instead of violations');
        return violations;
      },
    };
  },
});
