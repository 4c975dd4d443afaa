import type { z } from 'zod';
import { ValueProblem } from '../../../contract/problem.ts';
import { readConfigured, wrongType } from '../../../contract/vocabulary/configured.ts';
import { leaf } from '../../../contract/vocabulary/leaf.ts';

const NAMES = {
  URN_ACCESS_TOKEN: 'urn:ietf:params:oauth:token-type:access_token',
  URN_REFRESH_TOKEN: 'urn:ietf:params:oauth:token-type:refresh_token',
  URN_ID_TOKEN: 'urn:ietf:params:oauth:token-type:id_token',
  URN_JWT: 'urn:ietf:params:oauth:token-type:jwt',
  URN_SAML1: 'urn:ietf:params:oauth:token-type:saml1',
  URN_SAML2: 'urn:ietf:params:oauth:token-type:saml2',
} as const;

/** The type of a token: a name of OpenIG, or any URI (RFC 8693, section 3). It is read as a URI. */
export function tokenType(): z.ZodType<string, unknown> {
  const json = { type: 'string', minLength: 1 };
  return leaf('configuration expression<enumeration or URI>', json, (value) =>
    readConfigured(value, (given) => {
      if (typeof given !== 'string') throw wrongType('a token type', given);
      if (Object.hasOwn(NAMES, given)) return NAMES[given as keyof typeof NAMES];
      if (/^[A-Za-z][A-Za-z0-9+.-]*:[\x21-\x7e]+$/.test(given)) return given;
      const message = `must be a URI or one of ${Object.keys(NAMES).join(', ')}`;
      throw new ValueProblem('value', message);
    }),
  );
}
