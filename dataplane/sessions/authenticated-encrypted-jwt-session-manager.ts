import { z } from 'zod';
import { choice, duration, flag, secretId } from '../../contract/vocabulary/configured.ts';
import { deprecated, refused } from '../../contract/vocabulary/field-notes.ts';
import { needs } from '../../contract/vocabulary/groups.ts';
import { ref } from '../../contract/vocabulary/reference.ts';
import { defineService } from '../heap/definition.ts';
import { contentEncryptionAlgorithms } from '../jose/encryption-algorithm.ts';
import { configuredKeys } from './configured-keys.ts';
import { cookieDomain, cookieFields, cookieName } from './cookie-fields.ts';
import { ManagedSessions } from './managed-sessions.ts';
import { realmCookie } from './realm-cookie.ts';
import { SealedSessions } from './sealed-sessions.ts';
import { SessionCookie } from './session-cookie.ts';

const NAME = 'openig-jwt-session';
const RSA = "a JWE with RSA1_5 is not safe any more; use 'authenticatedEncryptionSecretId' with a 'secretsProvider'";
const SIGNED = "encryption authenticates the session; use 'authenticatedEncryptionSecretId' with a 'secretsProvider'";

/** Keeps sessions in encrypted cookies, so that every instance with the key can go on with them. */
export const authenticatedEncryptedJwtSessionManager = defineService({
  type: 'AuthenticatedEncryptedJwtSessionManager',
  aliases: ['JwtSessionManager', 'JwtSession', 'JwtSessionFactory'],
  kind: 'sessionManager',
  summary:
    'Keeps the session of a client in a cookie: an encrypted and authenticated JWT (JWE with `dir`). The gateway keeps ' +
    'nothing, so that every instance with the key can go on with the session. Every valid key under the secret id ' +
    'decrypts and the active one encrypts, so that keys can be rotated without ending sessions. The cookie is decrypted ' +
    'when a filter or an expression reads `session` first, and written only if the session changed; an emptied session ' +
    'removes it. A session longer than one cookie is split over `NAME`, `NAME_1` and so on; one that does not fit into ' +
    'six cookies is refused with 500. A cookie that is expired, was changed, or is of another name, key or tenant is an ' +
    'empty session. The cookies are removed from the request before filters and backends see it. Of two parallel ' +
    'requests that change the session, the answer that arrives last decides.',
  config: z
    .strictObject({
      authenticatedEncryptionSecretId: secretId()
        .optional()
        .describe(
          'Keys that encrypt the session, as long as `encryptionMethod` asks for. By default a random key, so that ' +
            'sessions end with the process and other instances cannot read them.',
        ),
      encryptionMethod: choice(contentEncryptionAlgorithms)
        .default('A256GCM')
        .describe('`enc` of the JWE; the size of the key must fit: 32 bytes for `A256GCM`, 64 for `A256CBC-HS512`.'),
      cookie: cookieFields(NAME).prefault({}).describe('The cookie.'),
      sessionTimeout: duration({ max: '3650 days' })
        .prefault('30 minutes')
        .describe('Lifetime of a session from its first save; using it does not make it longer.'),
      persistentCookie: flag()
        .default(false)
        .describe('Lets the browser keep the cookie until the timeout; otherwise the cookie ends with the browser.'),
      secretsProvider: ref('secretsProvider').optional().describe('Provider of the keys.'),
      skewAllowance: duration({ zero: true })
        .prefault('zero')
        .describe('Time for which an expired session is still accepted, for instances whose clocks differ.'),
      useCompression: flag()
        .default(false)
        .describe(
          'Compresses the session before it is encrypted. The length of the cookie then depends on its content: do not ' +
            'use it where clients can write to the same session as secrets they must not learn.',
        ),
      cookieName: deprecated(cookieName(), "'cookie.name'").describe('The earlier name of the field.'),
      cookieDomain: deprecated(cookieDomain(), "'cookie.domain'").describe('The earlier name of the field.'),
      keystore: refused(RSA).describe('Keystore with an RSA key pair, in earlier versions.'),
      alias: refused(RSA).describe('Alias of the RSA key pair, in earlier versions.'),
      password: refused(RSA).describe('Password of the RSA key pair, in earlier versions.'),
      sharedSecret: refused(SIGNED).describe('Key of the signature, in earlier versions.'),
    })
    .check(needs('authenticatedEncryptionSecretId', 'secretsProvider')),
  examples: [
    {
      title: 'Sessions that every instance with the key can read',
      config: {
        authenticatedEncryptionSecretId: 'session.key',
        secretsProvider: {
          type: 'FileSystemSecretStore',
          config: {
            directory: '/etc/gatewarden/keys',
            format: { type: 'SecretKeyPropertyFormat', config: { format: 'BASE64', algorithm: 'AES' } },
          },
        },
        cookie: { name: '__Host-session', secure: true },
        sessionTimeout: '8 hours',
      },
    },
    { title: 'Sessions of one instance, which end with it', config: { sessionTimeout: '1 hour' } },
  ],
  create(config, parts) {
    const { encryptionMethod: method, secretsProvider, authenticatedEncryptionSecretId: id } = config;
    const name = config.cookieName ?? config.cookie.name;
    const rule = { ...config.cookie, name, domain: config.cookieDomain ?? config.cookie.domain };
    const keys = configuredKeys({ method, secretId: id, secretsProvider }, parts);
    return {
      sessions(owner) {
        const cookie = new SessionCookie(realmCookie(rule, owner));
        const terms = {
          realm: owner.realm,
          method,
          timeout: config.sessionTimeout.milliseconds,
          skew: config.skewAllowance.milliseconds,
          isPersistent: config.persistentCookie,
          compresses: config.useCompression,
        };
        const names = { cookieName: cookie.name, configuredName: name, cookieScope: rule };
        return new ManagedSessions(names, new SealedSessions(terms, keys, cookie), parts);
      },
    };
  },
});
