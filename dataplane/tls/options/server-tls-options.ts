import { z } from 'zod';
import { ValueProblem } from '../../../contract/problem.ts';
import { choice, secretId, shown } from '../../../contract/vocabulary/configured.ts';
import { oneRequired } from '../../../contract/vocabulary/groups.ts';
import { leaf } from '../../../contract/vocabulary/leaf.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';
import { defineService, type Remark } from '../../heap/definition.ts';
import { RenewalFigures } from '../renewal-figures.ts';
import { ServerTransport } from '../server-transport.ts';
import { allOf, alpnField, oneOrMore, protocolFields, somethingSpoken } from './tls-fields.ts';
import { tlsRules } from './tls-rules.ts';

const serverName = leaf('server name', { type: 'string' }, (name) => {
  if (typeof name === 'string' && /^(?:\*\.)?[\w-]+(?:\.[\w-]+)*$/.test(name)) return name.toLowerCase();
  throw new ValueProblem('value', `must be the name of a host, or one with '*.' before it, not ${shown(name)}`);
});

const sni = z.strictObject({
  serverNames: z
    .record(serverName as z.ZodType<string, string>, secretId())
    .describe('Ids of keys by the server that a client asks for; `*.example.com` is any name with one label more.'),
  defaultSecretId: secretId().describe('Id of the key for clients that ask for another server, or for none.'),
  secretsProvider: ref('secretsProvider').describe('Provider of the keys, CryptoKeys that may sign.'),
});

const config = z
  .strictObject({
    keyManager: oneOrMore('keyManager')
      .optional()
      .describe(
        'The key and the certificate that clients are shown; an RSA and an elliptic-curve key can stand together.',
      ),
    sni: sni.optional().describe('Keys by the server that a client asks for. It wins over `keyManager`.'),
    trustManager: oneOrMore('trustManager')
      .optional()
      .describe('Whom clients have to be issued by, if they are asked for a certificate.'),
    clientAuth: choice(['NONE', 'REQUEST', 'REQUIRED'])
      .default('NONE')
      .describe(
        'Whether clients are asked for a certificate. `REQUEST` lets those in who have none, `REQUIRED` does not; one ' +
          'that is not trusted is refused by both.',
      ),
    ...protocolFields,
    alpn: alpnField,
  })
  .check(oneRequired('keyManager', 'sni'))
  .check(somethingSpoken)
  .check(({ value: { clientAuth, trustManager }, issues }) => {
    if (clientAuth === 'NONE' || trustManager !== undefined) return;
    const message = `is required: 'clientAuth' is ${clientAuth}`;
    issues.push({ code: 'custom', message, input: undefined, path: ['trustManager'], params: { code: 'missing' } });
  });

const EXAMPLE_STORE = {
  type: 'FileSystemSecretStore',
  config: { directory: '/etc/gatewarden/secrets', suffix: '.pem', format: { type: 'PemPropertyFormat' } },
};

/** TLS from clients. */
export const serverTlsOptions = defineService({
  type: 'ServerTlsOptions',
  kind: 'serverTlsOptions',
  summary:
    'How a connector of `admin.json` speaks TLS with clients: what they are shown, whether they have to show a ' +
    'certificate, and how it is spoken. Keys and certificates that change are used for new connections without a ' +
    'restart, and connections that are open stay open.',
  config,
  examples: [
    {
      title: 'One certificate',
      config: {
        keyManager: {
          type: 'SecretsKeyManager',
          config: { signingSecretId: 'server.tls', secretsProvider: EXAMPLE_STORE },
        },
      },
    },
    {
      title: 'Certificates by the name of the server, for clients with a certificate',
      config: {
        sni: {
          serverNames: { 'shop.example.com': 'shop.tls', '*.example.com': 'others.tls' },
          defaultSecretId: 'others.tls',
          secretsProvider: EXAMPLE_STORE,
        },
        clientAuth: 'REQUIRED',
        trustManager: {
          type: 'SecretsTrustManager',
          config: { verificationSecretId: 'client.authorities', secretsProvider: EXAMPLE_STORE },
        },
      },
    },
  ],
  remarks({ keyManager, sni: named, trustManager, clientAuth }) {
    const remarks: Remark[] = [];
    if (keyManager !== undefined && named !== undefined) {
      remarks.push({ at: ['keyManager'], code: 'no-effect', message: "has no effect: 'sni' wins over it" });
    }
    if (trustManager !== undefined && clientAuth === 'NONE') {
      remarks.push({ at: ['trustManager'], code: 'no-effect', message: "has no effect: 'clientAuth' is NONE" });
    }
    return remarks;
  },
  create(options, { resolve, onClose, log, qualifiedName, plane }) {
    const { sni: named, alpn, clientAuth } = options;
    return new ServerTransport({
      keys:
        named === undefined
          ? allOf(options.keyManager).map((one) => resolve(one))
          : {
              serverNames: new Map(Object.entries(named.serverNames)),
              defaultSecretId: named.defaultSecretId,
              secretsProvider: resolve(named.secretsProvider),
            },
      trustManagers: allOf(options.trustManager).map((one) => resolve(one)),
      clientAuth,
      rules: tlsRules(options),
      alpn: alpn.enabled,
      log,
      onClose,
      figures: new RenewalFigures(qualifiedName, plane, onClose),
    });
  },
});
