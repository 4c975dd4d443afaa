import { z } from 'zod';
import { flag, secretId, url } from '../../contract/vocabulary/configured.ts';
import { refused, unavailable } from '../../contract/vocabulary/field-notes.ts';
import { printable } from '../../contract/vocabulary/printable.ts';
import { ref } from '../../contract/vocabulary/reference.ts';
import { clearTextRemarks } from '../heap/clear-text-remark.ts';
import { defineService } from '../heap/definition.ts';
import { realm, realmPath } from './realm.ts';

const DEFAULT_HANDLER = 'ForgeRockClientHandler';

/** A part that can only be off: nothing here does what it is for. */
function switchedOff(names: readonly string[]) {
  const others = Object.fromEntries(names.map((name) => [name, unavailable('any').meta({ aside: true })]));
  return z
    .strictObject({
      enabled: flag()
        .refine((enabled) => !enabled, {
          error: 'is not available in this version: only false can be given',
          params: { code: 'unavailable-field' },
        })
        .default(false)
        .describe('Only `false` is available.'),
      ...others,
    })
    .optional();
}

const agent = z.strictObject({
  username: printable().describe('Name of the agent profile.'),
  passwordSecretId: secretId().describe('Id of its password, which is a GenericSecret.'),
  password: refused("passwords are not allowed in documents: use 'passwordSecretId'").describe(
    'The password itself, which earlier versions of OpenIG took.',
  ),
});

/** An access manager, for the objects that ask it something. */
export const amService = defineService({
  type: 'AmService',
  kind: 'amService',
  summary:
    'An access manager and the agent as which the gateway speaks to it. Objects that refer to it find the endpoints ' +
    'of the realm through it.',
  config: z.strictObject({
    url: url()
      .refine(({ username, password }) => username === '' && password === '', {
        error: "must hold no credentials: use 'agent'",
      })
      .refine(({ search, hash }) => search === '' && hash === '', { error: 'must end with its path' })
      .describe('Where it is, with or without a slash at the end, such as `https://am.example.com/openam`.'),
    realm: realm().default('/').describe('Realm of the agent and of the endpoints; `/` is the root.'),
    agent: agent.describe('As whom the gateway speaks to it.'),
    secretsProvider: ref('secretsProvider').describe('Provider of the password.'),
    amHandler: ref('handler')
      .prefault(DEFAULT_HANDLER)
      .describe('Sends the requests as the agent, of which this version has none: resolvers have a `providerHandler`.'),
    notifications: switchedOff([
      'initialConnectionAttempts',
      'reconnectDelay',
      'renewalDelay',
      'heartbeatInterval',
      'connectionTimeout',
      'idleTimeout',
      'tls',
      'proxyOptions',
      'vertx',
    ]).describe('Whether it tells of sessions and tokens that were revoked, and of policies that changed.'),
    sessionCache: switchedOff([
      'executor',
      'maximumSize',
      'maximumTimeToCache',
      'onNotificationDisconnection',
    ]).describe('How long what it says of sessions is kept.'),
    sessionIdleRefresh: switchedOff(['interval']).describe('Whether sessions that are used are kept from idling.'),
    sessionProperties: unavailable('array of strings').describe('Which properties of sessions are asked for.'),
    ssoTokenHeader: unavailable('string').describe('The header and the cookie that hold its session tokens.'),
    version: unavailable('string').describe('Its version.'),
  }),
  examples: [
    {
      title: 'The realm of customers',
      config: {
        url: 'https://am.example.com/openam',
        realm: '/customers',
        agent: { username: 'gateway', passwordSecretId: 'agent.password' },
        secretsProvider: { type: 'SystemAndEnvSecretStore', config: { format: 'PLAIN' } },
      },
    },
  ],
  remarks({ url: place, amHandler }) {
    const remarks = clearTextRemarks(
      'url',
      place,
      'tokens travel unencrypted, and anyone on the path can declare any token valid',
    );
    if (amHandler.name === DEFAULT_HANDLER) return remarks;
    const message = "has no effect: resolvers ask the access manager through their own 'providerHandler'";
    return [...remarks, { at: ['amHandler'], code: 'no-effect', message }];
  },
  create(config, { resolve }) {
    const base = config.url.href.replace(/\/+$/, '');
    const provider = resolve(config.secretsProvider);
    const { username, passwordSecretId } = config.agent;
    return {
      url: base,
      realm: config.realm,
      handler: resolve(config.amHandler),
      agentName: username,
      agentPassword: () => provider.active(passwordSecretId),
      oauth2Endpoint: (name) => `${base}/oauth2${realmPath(config.realm)}/${name}`,
    };
  },
});
