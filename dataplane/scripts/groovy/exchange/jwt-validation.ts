import type { Shapes } from '../../../../contract/expression/language.ts';
import type { ScriptCall } from '../../script-language.ts';
import type { LateVariables } from '../gateway-script.ts';
import { JWT_VARIABLES, JwtBuilderValue, jwtVariable } from '../library/gateway/jwt-validator.ts';
import { GMap } from '../values/collections.ts';
import { scriptValue } from './script-values.ts';

/** Variables and findings of a script that customises the validation of a JWT. */
export class JwtValidation {
  readonly violations: string[] = [];
  #builder: JwtBuilderValue | null = null;

  variables({ variables }: ScriptCall, shapes: Shapes): LateVariables {
    return {
      names: JWT_VARIABLES,
      make: (rt, name) => {
        if (this.#builder === null) {
          const claims = scriptValue(rt, variables.get('claims'), shapes);
          this.#builder = new JwtBuilderValue(rt, claims instanceof GMap ? claims : new GMap(), this.violations);
        }
        return jwtVariable(rt, this.#builder, name);
      },
    };
  }
}
