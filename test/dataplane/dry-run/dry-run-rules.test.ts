import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../dataplane/catalogue/catalogue.ts';
import { dryRunRule, dryRunTypes } from '../../../dataplane/dry-run/dry-run-rules.ts';

const DECIDED = [
  'filter',
  'handler',
  'accessTokenResolver',
  'resourceAccess',
  'jwtValidatorCustomizer',
  'throttlingPolicy',
];

describe('the rules of dry runs', () => {
  it.each(catalogue.definitions.filter(({ kind }) => DECIDED.includes(kind)).map(({ type }) => type))(
    'decide about %s',
    (type) => {
      expect(dryRunTypes).toContain(type);
    },
  );

  it('name no type that the catalogue does not have', () => {
    const known = new Set(catalogue.definitions.map(({ type }) => type));
    expect(dryRunTypes.filter((type) => !known.has(type))).toEqual([]);
  });

  it('let no type run that they do not name', () => {
    expect(dryRunRule('NewFilter')).toEqual({ reason: 'its type is not known to dry runs' });
    expect(dryRunRule('constructor')).toEqual({ reason: 'its type is not known to dry runs' });
  });
});
