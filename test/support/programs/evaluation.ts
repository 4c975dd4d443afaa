import { compileExpression } from '../../../contract/expression/expression.ts';
import type { Language } from '../../../contract/expression/language.ts';
import type { Value } from '../../../contract/expression/value.ts';
import { noReach, type Reach } from '../../../contract/reach.ts';
import { describedExchange, type RequestDescription } from '../../../dataplane/dry-run/described-exchange.ts';
import type { Response } from '../../../dataplane/engine/message/response.ts';
import { runtimeLanguage } from '../../../dataplane/language/runtime-language.ts';

/** The request that the vectors are about. */
export const vectorRequest: RequestDescription = {
  uri: 'http://gw.test/a/b?x=1&y=two',
  headers: { 'X-Num': '42', 'X-Str': 'abc', 'X-Empty': '' },
};

/** What an expression may see beside the request. */
export interface Surroundings {
  readonly request?: RequestDescription;
  readonly response?: Response;
  readonly constants?: Readonly<Record<string, Value>>;
  readonly reach?: Reach;
}

/** The language of runtime expressions. */
export function testLanguage({ constants = {}, reach = noReach }: Surroundings = {}): Language {
  return runtimeLanguage(reach, new Map(Object.entries(constants)));
}

/** The value of an expression for a described request. */
export function evaluated(source: string, surroundings: Surroundings = {}): Value {
  const { request = vectorRequest, response = null } = surroundings;
  const expression = compileExpression(source, testLanguage(surroundings), 'linear');
  return expression.evaluate(describedExchange(request), response);
}
