import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../dataplane/catalogue/catalogue.ts';
import { availableInstead, unavailableTypes } from '../../../dataplane/catalogue/unavailable-types.ts';

describe('types that are not available', () => {
  it('are none that are', () => {
    expect(unavailableTypes.filter((name) => catalogue.find(name) !== undefined)).toEqual([]);
  });

  it('are those that something is said of', () => {
    expect([...availableInstead.keys()].filter((name) => !unavailableTypes.includes(name))).toEqual([]);
  });

  it('say why there are no hardware modules and what to use', () => {
    expect(catalogue.unknown('HsmSecretStore')).toEqual({
      code: 'unavailable-type',
      message: "the type 'HsmSecretStore' is known, but not available in this version",
      hint: expect.stringMatching(/PKCS#11.* a KeyStoreSecretStore or a FileSystemSecretStore/),
    });
  });
});
