import { z } from 'zod';
import { pattern, secretId, url } from '../../../contract/vocabulary/configured.ts';
import { refused } from '../../../contract/vocabulary/field-notes.ts';
import { needs } from '../../../contract/vocabulary/groups.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';
import { rulesAbout } from '../../../contract/vocabulary/rules-about.ts';
import { clearTextRemarks } from '../../heap/clear-text-remark.ts';
import { defineService } from '../../heap/definition.ts';
import type { EndpointName } from '../../openid/issuer-metadata.ts';
import { issuerUrl } from '../../openid/issuer-url.ts';
import { endpointUrl } from '../client/endpoint-url.ts';
import { openIssuer } from './open-issuer.ts';

/** The fields with endpoints, and what the rest of the gateway calls these. */
const ENDPOINT_FIELDS = {
  authorizeEndpoint: 'authorization',
  tokenEndpoint: 'token',
  userInfoEndpoint: 'userInfo',
  registrationEndpoint: 'registration',
  endSessionEndpoint: 'endSession',
  revocationEndpoint: 'revocation',
} as const satisfies Record<string, EndpointName>;

const fieldNames = Object.keys(ENDPOINT_FIELDS) as (keyof typeof ENDPOINT_FIELDS)[];
const DANGER = 'credentials and tokens travel unencrypted';

/** An OpenID provider or authorization server. */
export const issuer = defineService({
  type: 'Issuer',
  kind: 'issuer',
  summary:
    'An OpenID provider or OAuth 2.0 authorization server, for ClientRegistrations. With `issuer` or ' +
    '`wellKnownEndpoint` the gateway discovers its endpoints and keys (OpenID Connect Discovery, RFC 8414) when it first ' +
    'needs them, and again every hour. The metadata must name the `issuer`, character by character, or, without it, the ' +
    'issuer that `wellKnownEndpoint` belongs to. Metadata from an https URL may name only https endpoints. Endpoints ' +
    'that are configured here win over discovered ones.',
  config: z
    .strictObject({
      issuer: issuerUrl().optional().describe('URL of the issuer, as in `iss` of its tokens. Enough for discovery.'),
      wellKnownEndpoint: url()
        .refine(({ username, password, hash }) => username === '' && password === '' && hash === '', {
          error: 'must not contain credentials or a fragment',
        })
        .optional()
        .describe('URL of the metadata, such as `https://login.example.com/.well-known/openid-configuration`.'),
      authorizeEndpoint: endpointUrl().optional().describe('URL where users sign in.'),
      tokenEndpoint: endpointUrl().optional().describe('URL of the token endpoint.'),
      userInfoEndpoint: endpointUrl().optional().describe('URL with claims about the user of an access token.'),
      registrationEndpoint: endpointUrl().optional().describe('URL for dynamic client registration.'),
      endSessionEndpoint: endpointUrl().optional().describe('URL where users sign out.'),
      revocationEndpoint: endpointUrl().optional().describe('URL that revokes tokens.'),
      issuerHandler: ref('handler')
        .prefault('ClientHandler')
        .describe('Sends requests for metadata, keys and user info.'),
      supportedDomains: z
        .array(pattern())
        .default([])
        .describe('Domains whose users sign in here, as regular expressions; for discovery by user input.'),
      idTokenVerificationSecretId: secretId()
        .optional()
        .describe('Id of the keys that verify ID tokens, in place of those that the issuer publishes.'),
      secretsProvider: ref('secretsProvider').optional().describe('Provider of these keys.'),
      issuerRepository: refused('registrations name their issuer').describe(
        'Where earlier versions of OpenIG kept discovered issuers.',
      ),
    })
    .check(
      needs('idTokenVerificationSecretId', 'secretsProvider'),
      rulesAbout(['issuer', 'wellKnownEndpoint', 'authorizeEndpoint', 'tokenEndpoint'], (value, add) => {
        if (value.issuer !== undefined || value.wellKnownEndpoint !== undefined) return;
        if (value.authorizeEndpoint !== undefined && value.tokenEndpoint !== undefined) return;
        const message =
          "one of 'issuer', 'wellKnownEndpoint', or both 'authorizeEndpoint' and 'tokenEndpoint' is required";
        add([], message, 'missing');
      }),
    ),
  examples: [
    { title: 'A provider by its URL', config: { issuer: 'https://login.example.com' } },
    {
      title: 'An authorization server without metadata',
      config: {
        authorizeEndpoint: 'https://as.example.com/authorize',
        tokenEndpoint: 'https://as.example.com/token',
        userInfoEndpoint: 'https://as.example.com/userinfo',
      },
    },
  ],
  remarks(config) {
    const { issuer: id, wellKnownEndpoint, secretsProvider, idTokenVerificationSecretId } = config;
    const places = [
      ...(id === undefined ? [] : [['issuer', new URL(id)] as const]),
      ...(wellKnownEndpoint === undefined ? [] : [['wellKnownEndpoint', wellKnownEndpoint] as const]),
      ...fieldNames.flatMap((name) => (config[name] === undefined ? [] : [[name, new URL(config[name])] as const])),
    ];
    const message = "has no effect without 'idTokenVerificationSecretId'";
    return [
      ...places.flatMap(([name, place]) => clearTextRemarks(name, place, DANGER)),
      ...(secretsProvider !== undefined && idTokenVerificationSecretId === undefined
        ? [{ at: ['secretsProvider'], code: 'no-effect' as const, message }]
        : []),
    ];
  },
  create(config, parts) {
    const { idTokenVerificationSecretId: id, secretsProvider } = config;
    const given = fieldNames.flatMap((name) =>
      config[name] === undefined ? [] : [[ENDPOINT_FIELDS[name], config[name]] as const],
    );
    return openIssuer(
      {
        name: parts.name,
        issuer: config.issuer ?? null,
        wellKnown: config.wellKnownEndpoint?.href ?? null,
        endpoints: Object.fromEntries(given),
        supportedDomains: config.supportedDomains,
        handler: parts.resolve(config.issuerHandler),
        keys: id === undefined ? null : { provider: parts.resolve(secretsProvider!), secretId: id },
      },
      parts,
    );
  },
});
