import type { z } from 'zod';
import { ValueProblem } from '../../../contract/problem.ts';
import { readConfigured, shown, wrongType } from '../../../contract/vocabulary/configured.ts';
import { leaf } from '../../../contract/vocabulary/leaf.ts';

/** A realm of an access manager in its one spelling: `/` for the root, else `/customers/europe`. */
export function realm(): z.ZodType<string, unknown> {
  return leaf('configuration expression<string>', { type: 'string', minLength: 1 }, (value) =>
    readConfigured(value, readRealm),
  );
}

/** The realm as endpoints of the access manager have it in their path: `/realms/root/realms/customers`. */
export function realmPath(name: string): string {
  const parts = name.split('/').filter((part) => part !== '');
  return ['root', ...parts].map((part) => `/realms/${encodeURIComponent(part)}`).join('');
}

function readRealm(value: unknown): string {
  if (typeof value !== 'string') throw wrongType("a realm such as '/customers'", value);
  const name = value.replace(/^\//, '').replace(/\/$/, '');
  if (value === '/') return value;
  if (name === '' || name.split('/').some((part) => !isRealmName(part))) {
    throw new ValueProblem(
      'value',
      `is not a realm: ${shown(value)}`,
      "write '/' for the root, or '/customers/europe'",
    );
  }
  return `/${name}`;
}

/** Dots would be steps in a path, and control characters stand in no URL. */
function isRealmName(part: string): boolean {
  return part !== '' && part !== '.' && part !== '..' && part.isWellFormed() && !/\p{Cc}/u.test(part);
}
