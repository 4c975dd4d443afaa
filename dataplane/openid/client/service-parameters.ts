import type { Uri } from '../../engine/message/uri.ts';
import { SignInFailed } from './sign-in-failed.ts';

/**
 * The parameters in the query of a service URI; null for those that are missing.
 * @throws SignInFailed for a parameter that is given twice: readers differ in which one counts
 */
export function serviceParameters<const Name extends string>(
  { rawQuery }: Uri,
  names: readonly Name[],
): Readonly<Record<Name, string | null>> {
  const given = new URLSearchParams(rawQuery ?? '');
  const found = names.map((name): [Name, string | null] => {
    const [value = null, ...others] = given.getAll(name);
    if (others.length === 0) return [name, value];
    throw new SignInFailed('sign-in-request', 'invalid_request', `the parameter '${name}' is given more than once`);
  });
  return Object.fromEntries(found) as Record<Name, string | null>;
}
