import type { z } from 'zod';
import { ValueProblem } from '../../../contract/problem.ts';
import { readConfigured, shown, wrongType } from '../../../contract/vocabulary/configured.ts';
import { leaf } from '../../../contract/vocabulary/leaf.ts';
import type { AmVersion } from '../../heap/objects/am-service.ts';

/** What an access manager is taken for that does not tell its version. */
export const DEFAULT_VERSION: AmVersion = { text: '6', major: 6, minor: 0 };

const VERSION = /^(\d{1,4})(?:\.(\d{1,4}))?(?:[.\-_+\s].{0,64})?$/;

/** A version as a document has it, such as `7.5`. */
export function version(): z.ZodType<AmVersion, unknown> {
  return leaf('configuration expression<string>', { type: 'string', minLength: 1 }, (value) =>
    readConfigured(value, (given) => {
      if (typeof given !== 'string') throw wrongType("a version such as '7.5'", given);
      const read = readVersion(given);
      if (read === null) throw new ValueProblem('value', `is not a version: ${shown(given)}`, "write '7.5' or '7.5.1'");
      return read;
    }),
  );
}

/** Reads what an access manager calls its version, such as `16.0.5` or `OpenAM 13.0.0`; null when it is none. */
export function readVersion(text: string): AmVersion | null {
  const match = VERSION.exec(text.replace(/^[A-Za-z ]{0,64}(?=\d)/, '').trim());
  if (match === null) return null;
  return { text: match[0], major: Number(match[1]), minor: Number(match[2] ?? 0) };
}

/** Whether two versions are the same as far as both say. */
export function agrees(one: AmVersion, other: AmVersion): boolean {
  return one.major === other.major && (one.minor === other.minor || !/[.]/.test(one.text) || !/[.]/.test(other.text));
}

/**
 * Whether the version knows realms only as `/json/customers`: OpenAM up to 13 does. AM has counted from 5 on and OpenAM
 * from 9 on; `/json/realms/root/realms/customers` came with AM 5 and OpenAM 14.
 */
export function hasPlainRealms({ major }: AmVersion): boolean {
  return major < 5 || (major >= 9 && major <= 13);
}
