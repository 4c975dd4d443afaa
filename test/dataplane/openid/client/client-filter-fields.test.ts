import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { problemsOf } from '../../../support/gateways/filtered-gateway.ts';

const SOUND: JsonObject = {
  clientEndpoint: '/openid',
  registrations: [{ issuer: 'https://login.example.com', clientId: 'gateway' }],
  failureHandler: { type: 'StaticResponseHandler', config: { status: 403 } },
};
const METADATA = { redirect_uris: ['https://app.example.com/openid/callback'] };
const problems = (config: JsonObject): string[] =>
  problemsOf('AuthorizationCodeOAuth2ClientFilter', { ...SOUND, ...config });

describe('the fields of an AuthorizationCodeOAuth2ClientFilter', () => {
  it('are three at least, also under the former name of the type', () => {
    expect(problems({})).toEqual([]);
    const optional = { cacheExpiration: 'zero', revokeOauth2TokenOnLogout: true, openIdEndSessionOnLogout: true };
    expect(problems({ ...optional, proofOfPossession: {} })).toEqual([]);
    expect(problemsOf('OAuth2ClientFilter', SOUND)).toEqual([]);
    expect(problemsOf('OAuth2ClientFilter', {})).toEqual([
      'missing clientEndpoint: is required',
      'missing failureHandler: is required',
      'missing registrations: must contain at least one registration',
    ]);
  });

  it('refuse a symmetric algorithm for proofs, and unknown fields of them', () => {
    expect(problems({ proofOfPossession: { algorithm: 'HS256', key: 'x' } })).toEqual([
      expect.stringContaining('proofOfPossession.algorithm'),
      expect.stringContaining("there is no field 'key' here"),
    ]);
  });

  it.each([
    [{ clientEndpoint: 'openid' }],
    [{ clientEndpoint: '/' }],
    [{ clientEndpoint: '/openid?x=y' }],
    [{ clientEndpoint: '/a/../openid' }],
    [{ clientEndpoint: 'https://app.example.com/openid' }],
  ])('refuse a client endpoint that is not a path: %j', (config) => {
    const message = "must be a path with one segment at least, such as '/openid'";
    expect(problems(config)).toEqual([`value clientEndpoint: ${message}`]);
  });

  it.each([
    [{ registrations: [] }, 'missing registrations: must contain at least one registration'],
    [
      { registrations: [5] },
      'value registrations[0]: must be the name of a ClientRegistration, or an object, not a number',
    ],
    [{ registrations: [{ issuer: 'https://login.example.com' }] }, 'missing registrations[0].clientId: is required'],
    [
      { registrations: ['a', 'b'].map((clientId) => ({ issuer: 'https://login.example.com', clientId })) },
      'missing loginHandler: is required: there are several registrations to choose from',
    ],
    [
      {
        registrations: ['https://a.example.com', 'https://b.example.com'].map((issuer) => ({ issuer, clientId: 'gw' })),
        loginHandler: { type: 'StaticResponseHandler', config: { status: 200 } },
      },
      "value registrations[1]: has the same name as another registration, 'gw': give each a 'name' of its own",
    ],
    [
      { registrations: [], metadata: { redirect_uris: ['https://app.example.com/openid/callback'] } },
      'missing loginHandler: is required: users have to name their issuer',
    ],
    [{ metadata: {} }, "value metadata: must contain 'redirect_uris', an array of absolute URLs"],
    [
      { metadata: { redirect_uris: ['https://app.example.com/openid/callback'], scopes: 'openid' } },
      "value metadata: must contain 'scopes' as an array of texts",
    ],
    [
      { metadata: METADATA, tokenEndpointAuthMethod: 'private_key_jwt' },
      'missing discoverySecretId: is required: the method private_key_jwt needs it',
    ],
    [
      { metadata: METADATA, discoverySecretId: 'key' },
      "missing secretsProvider: is required: 'discoverySecretId' needs it",
    ],
    [
      { tokenEndpointAuthMethod: 'client_secret_post' },
      "no-effect tokenEndpointAuthMethod: has no effect without 'metadata'",
    ],
    [
      { prompt: 'none login' },
      'value prompt: must be `none`, or words of login, consent, select_account and create with a space between',
    ],
    [
      { issuerRepository: 'x' },
      'unavailable-field issuerRepository: cannot be given here: registrations name their issuer',
    ],
    [
      { proofOfPossession: { secretId: 'key' } },
      "missing secretsProvider: is required: 'secretId' of 'proofOfPossession' needs it",
    ],
    [
      { proofOfPossession: { algorithm: 'RS256' } },
      "missing proofOfPossession: must have a 'secretId': the key that the gateway makes up is for ES256, not RS256",
    ],
    [{ requireHttps: false }, 'insecure requireHttps: sessions and codes may travel unencrypted'],
    [{ executor: 'ScheduledExecutorService' }, 'no-effect executor: has no effect: nothing waits in a thread here'],
  ])('are refused or remarked on where they cannot work: %j', (config, problem) => {
    expect(problems(config)).toEqual([problem]);
  });
});
