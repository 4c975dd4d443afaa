import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../dataplane/catalogue/catalogue.ts';
import { availableInstead, unavailableTypes } from '../../../dataplane/catalogue/unavailable-types.ts';

describe('types that are not available', () => {
  it('do not include available types', () => {
    expect(unavailableTypes.filter((name) => catalogue.find(name) !== undefined)).toEqual([]);
  });

  it('each have an explanation', () => {
    expect([...availableInstead.keys()].filter((name) => !unavailableTypes.includes(name))).toEqual([]);
  });

  it('explain why there are no hardware modules and the alternative', () => {
    expect(catalogue.unknown('HsmSecretStore')).toEqual({
      code: 'unavailable-type',
      message: "the type 'HsmSecretStore' is known, but not available in this version",
      hint: expect.stringMatching(/PKCS#11.* a KeyStoreSecretStore or a FileSystemSecretStore/),
    });
  });
});
