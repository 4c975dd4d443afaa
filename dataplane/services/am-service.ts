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
  passwordSecretId: secretId().describe('Id of the password of the agent, a GenericSecret.'),
  password: refused("passwords are not allowed in documents: use 'passwordSecretId'").describe(
    'The password itself, as in earlier versions of OpenIG.',
  ),
});

/** An access manager, for the objects that ask it something. */
export const amService = defineService({
  type: 'AmService',
  kind: 'amService',
  summary:
    'An access manager, and the agent that the gateway uses there. Objects that refer to it use the endpoints of ' +
    'its realm.',
  config: z.strictObject({
    url: url()
      .refine(({ username, password }) => username === '' && password === '', {
        error: "must hold no credentials: use 'agent'",
      })
      .refine(({ search, hash }) => search === '' && hash === '', { error: 'must end with its path' })
      .describe(
        'URL of the access manager, with or without a trailing slash, such as `https://am.example.com/openam`.',
      ),
    realm: realm().default('/').describe('Realm of the agent and of the endpoints; `/` is the root.'),
    agent: agent.describe('Agent that the gateway authenticates as.'),
    secretsProvider: ref('secretsProvider').describe('Provider of the password.'),
    amHandler: ref('handler')
      .prefault(DEFAULT_HANDLER)
      .describe('Handler for requests as the agent. This version sends none: resolvers have a `providerHandler`.'),
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
    ]).describe('Notifications about revoked sessions and tokens, and about changed policies.'),
    sessionCache: switchedOff([
      'executor',
      'maximumSize',
      'maximumTimeToCache',
      'onNotificationDisconnection',
    ]).describe('Cache of session information.'),
    sessionIdleRefresh: switchedOff(['interval']).describe(
      'Whether the gateway refreshes sessions in use, so that they do not time out.',
    ),
    sessionProperties: unavailable('array of strings').describe('Session properties that the gateway requests.'),
    ssoTokenHeader: unavailable('string').describe('Name of the header and the cookie with its session tokens.'),
    version: unavailable('string').describe('Version of the access manager.'),
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
