import type { JsonObject } from '../../../contract/document/json-value.ts';
import { pathText } from '../../../contract/problem.ts';
import type { Reach } from '../../../contract/reach.ts';
import { checkConfigured } from './configured-gateway.ts';

/** What is wrong with an object, as `path: message`, the path from the object on. `more` are objects beside it. */
export function refusals(declaration: JsonObject, more: readonly JsonObject[] = [], reach?: Reach): readonly string[] {
  const heap = [{ name: 'it', ...declaration }, ...more];
  return checkConfigured({ heap, handler: 'ReverseProxyHandler' }, reach)
    .filter(({ severity, path }) => severity === 'error' && path[1] === 0)
    .map(({ path, message }) => `${pathText(path.slice(2))}: ${message}`);
}
