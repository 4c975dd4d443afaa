import { z } from 'zod';
import { ValueProblem } from '../../../contract/problem.ts';
import { choice, secretId, shown } from '../../../contract/vocabulary/configured.ts';
import { oneRequired } from '../../../contract/vocabulary/groups.ts';
import { leaf } from '../../../contract/vocabulary/leaf.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';
import { rulesAbout } from '../../../contract/vocabulary/rules-about.ts';
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
    .describe('Secret ids of keys by server name (SNI); `*.example.com` matches any name with one more label.'),
  defaultSecretId: secretId().describe('Id of the key for clients that send another server name, or none.'),
  secretsProvider: ref('secretsProvider').describe('Provider of the keys, CryptoKeys that may sign.'),
});

const config = z
  .strictObject({
    keyManager: oneOrMore('keyManager')
      .optional()
      .describe('Server key and certificate; an RSA and an elliptic-curve key can be used together.'),
    sni: sni.optional().describe('Keys by server name (SNI). Overrides `keyManager`.'),
    trustManager: oneOrMore('trustManager')
      .optional()
      .describe('CA certificates that client certificates are verified with.'),
    clientAuth: choice(['NONE', 'REQUEST', 'REQUIRED'])
      .default('NONE')
      .describe(
        'Whether client certificates are requested. `REQUEST` accepts clients without a certificate, `REQUIRED` does ' +
          'not; both reject a certificate that is not trusted.',
      ),
    ...protocolFields,
    alpn: alpnField,
  })
  .check(oneRequired('keyManager', 'sni'))
  .check(somethingSpoken())
  .check(
    rulesAbout(['clientAuth', 'trustManager'], ({ clientAuth, trustManager }, add) => {
      if (clientAuth === 'NONE' || trustManager !== undefined) return;
      add(['trustManager'], `is required: 'clientAuth' is ${clientAuth}`, 'missing');
    }),
  );

const EXAMPLE_STORE = {
  type: 'FileSystemSecretStore',
  config: { directory: '/etc/gatewarden/secrets', suffix: '.pem', format: { type: 'PemPropertyFormat' } },
};

/** TLS from clients. */
export const serverTlsOptions = defineService({
  type: 'ServerTlsOptions',
  kind: 'serverTlsOptions',
  summary:
    'TLS options of a connector of `admin.json`: server certificate, client certificates, versions and cipher ' +
    'suites. Changed keys and certificates are used for new connections without a restart; open connections stay ' +
    'open.',
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
      hosts: plane.hostCertificates,
    });
  },
});
