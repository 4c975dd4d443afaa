import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../dataplane/catalogue/catalogue.ts';
import { availableInstead, unavailableTypes } from '../../../dataplane/catalogue/unavailable-types.ts';
import { checkConfigured } from '../../support/gateways/configured-gateway.ts';

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

  it.each([
    ['CapturedUserPasswordFilter', /is not published: sign on with a SingleSignOnFilter/],
    ['TokenTransformationFilter', /an OAuth2TokenExchangeFilter exchanges tokens/],
  ])('explain why there is no %s and the alternative', (type, hint) => {
    const filter = { type, config: { amService: 'AmService-1' } };
    const handler = { type: 'Chain', config: { filters: [filter], handler: 'ReverseProxyHandler' } };
    expect(checkConfigured({ handler })).toContainEqual({
      code: 'unavailable-type',
      severity: 'error',
      path: ['handler', 'config', 'filters', 0, 'type'],
      message: `the type '${type}' is known, but not available in this version`,
      hint: expect.stringMatching(hint),
    });
  });
});
