import type { JsonValue } from '../../contract/document/json-value.ts';
import { isJsonObject, kindOf } from '../../contract/document/json-value.ts';
import type { Problem } from '../../contract/problem.ts';

/** Identity and order of a route. */
export interface RouteIdentity {
  readonly id: string;
  readonly name: string;
}

/** The name that the default handler of a router is counted under. */
const RESERVED = 'default';

/**
 * The id of a route is its `_id`, else its file name without the extension; its name is `name`, else the id. None of the
 * three may be `default`. @returns null when the route can have no place, which has been reported.
 */
export function routeIdentity(
  fileName: string,
  document: JsonValue,
  report: (problem: Problem) => void,
): RouteIdentity | null {
  const stem = fileName.replace(/\.[^.]*$/, '');
  const given = isJsonObject(document) ? document : {};
  let sound = true;
  const refuse = (key: string | null, message: string, hint?: string): void => {
    const path = key === null ? [] : [key];
    report({ code: 'route-name', severity: 'error', path, message, ...(hint === undefined ? {} : { hint }) });
    sound = false;
  };
  const textOf = (key: string, byDefault: string): string => {
    const value = given[key];
    if (value === undefined) return byDefault;
    if (value === '') refuse(key, 'must not be empty');
    else if (typeof value !== 'string') refuse(key, `must be a text, not ${kindOf(value)}`);
    else if (value === RESERVED) refuse(key, `must not be '${RESERVED}', which is the router's default handler`);
    else return value;
    return byDefault;
  };
  if (stem === RESERVED) {
    refuse(
      null,
      `the file of a route must not be named '${fileName}'`,
      `'${RESERVED}' is the router's default handler`,
    );
  }
  const id = textOf('_id', stem);
  const name = textOf('name', id);
  return sound ? { id, name } : null;
}
