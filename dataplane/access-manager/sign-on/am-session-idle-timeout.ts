import { z } from 'zod';
import { choice, duration, secretId } from '../../../contract/vocabulary/configured.ts';
import { needs } from '../../../contract/vocabulary/groups.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';
import { runtimeText } from '../../../contract/vocabulary/runtime.ts';
import { defineFilter } from '../../heap/definition.ts';
import { denials } from '../../heap/objects/denials.ts';
import { contentEncryptionAlgorithms } from '../../jose/encryption-algorithm.ts';
import { activityCookie, activityTokens } from './activity-tokens.ts';
import { IdleSessions } from './idle-sessions.ts';
import { exampleService } from './sign-on-fields.ts';

/** Ends sessions that were not used for a time. */
export const amSessionIdleTimeoutFilter = defineFilter({
  type: 'AmSessionIdleTimeoutFilter',
  needsSignOn: ({ sessionToken }) => sessionToken === undefined,
  summary:
    'Ends sessions of an access manager that were not used for a time. It is for client-side sessions, whose idle time ' +
    'the access manager does not track; they must be denylisted there when they end. Put the filter before the ' +
    'SingleSignOnFilter or the PolicyEnforcementFilter. A cookie of the gateway holds the time of the last request, the ' +
    'idle time-out and a hash of the session token, encrypted. When the time-out has passed, the filter logs the ' +
    'session out, takes the session token out of the request and removes the cookie, so that the user signs in again. ' +
    'For a session without this cookie, or with none that is readable and its own, the filter asks the access manager, ' +
    'whatever is cached: a session that was not used within `idleTimeout` is ended, and another one gets a cookie. The time of the sign-in ' +
    'counts where `authInstant` is among the session properties, otherwise `latestAccessTime`. A request gets 500 if the access ' +
    'manager tells neither, does not answer, or does not end the session.',
  config: z
    .strictObject({
      amService: ref('amService').describe('Access manager of the sessions.'),
      idleTimeout: duration({ max: '3650 days' }).describe(
        'Time without requests after which a session ends. The cookie is written once in a sixtieth of it, at least ' +
          'once a minute, so that a session can end that much earlier.',
      ),
      idleTimeoutUpdate: choice(['ALWAYS', 'NEVER', 'INCREASE_ONLY', 'DECREASE_ONLY'])
        .default('ALWAYS')
        .describe(
          'When a request replaces the time-out in the cookie, which another filter may have written, by `idleTimeout`: ' +
            'always, never, if it becomes longer, or if it becomes shorter.',
        ),
      sessionToken: runtimeText()
        .optional()
        .describe(
          'Session token of the request; by default the value of the session cookie of the access manager. Behind a ' +
            'CrossDomainSingleSignOnFilter it is `${contexts.ssoToken.value}`; the page is then loaded again when the ' +
            'session was ended, and other requests get 401.',
        ),
      secretsProvider: ref('secretsProvider').optional().describe('Provider of the keys.'),
      encryptionSecretId: secretId()
        .optional()
        .describe(
          'Keys that encrypt the cookie, as long as `encryptionMethod` asks for: the active one encrypts, and every valid ' +
            'one decrypts. Filters and instances that share the cookie need the same keys. By default a random key, ' +
            'which ends with the process and which other filters do not have.',
        ),
      encryptionMethod: choice(contentEncryptionAlgorithms)
        .default('A256GCM')
        .describe('`enc` of the JWE; the size of the key must fit: 32 bytes for `A256GCM`, 64 for `A256CBC-HS512`.'),
      cookie: activityCookie
        .prefault({})
        .describe('The cookie. Browsers keep it for 30 days after the time-out. Over https it is always `Secure`.'),
    })
    .check(needs('encryptionSecretId', 'secretsProvider')),
  examples: [
    {
      title: 'Sessions end after 15 minutes without requests to any of the instances',
      config: {
        amService: exampleService,
        idleTimeout: '15 minutes',
        encryptionSecretId: 'activity.key',
        secretsProvider: {
          type: 'FileSystemSecretStore',
          config: {
            directory: '/etc/gatewarden/keys',
            format: { type: 'SecretKeyPropertyFormat', config: { format: 'BASE64', algorithm: 'AES' } },
          },
        },
      },
    },
  ],
  remarks({ secretsProvider, encryptionSecretId }) {
    if (secretsProvider === undefined || encryptionSecretId !== undefined) return [];
    return [{ at: ['secretsProvider'], code: 'no-effect', message: "has no effect without 'encryptionSecretId'" }];
  },
  create(config, parts) {
    const { encryptionMethod: method, encryptionSecretId, secretsProvider, cookie } = config;
    const sessions = new IdleSessions(
      {
        service: parts.resolve(config.amService),
        tokens: activityTokens(cookie, { method, secretId: encryptionSecretId, secretsProvider }, parts),
        idleTimeout: config.idleTimeout.milliseconds,
        update: config.idleTimeoutUpdate,
        sessionToken: config.sessionToken ?? null,
        denied: denials(parts, ['sign-in-needed', 'session-unchecked']),
      },
      parts,
    );
    return (exchange, next) => sessions.handle(exchange, next);
  },
});
