import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { pathText } from '../../../../contract/problem.ts';
import { checkConfigured } from '../../../support/gateways/configured-gateway.ts';

const store = { type: 'Base64EncodedSecretStore', config: { secrets: { a: 'AA==' } } };
const keyManager = { type: 'SecretsKeyManager', config: { signingSecretId: 'a', secretsProvider: store } };
const trustManager = { type: 'SecretsTrustManager', config: { verificationSecretId: 'a', secretsProvider: store } };

/** The problems of an object of this type, without those of the objects that it refers to. */
function problemsOf(type: string, config: JsonObject): string[] {
  const document = { heap: [{ name: 'it', type, config }], handler: { type: 'WelcomeHandler' } };
  return checkConfigured(document)
    .filter(({ path }) => !path.includes('secretsProvider'))
    .map(
      ({ severity, path, message, hint }) =>
        `${severity === 'warning' ? '(warning) ' : ''}${pathText(path).replace(/^heap\[0\]\.(?:config\.?)?/, '')}: ${message}${hint === undefined ? '' : ` (${hint})`}`,
    );
}

describe('ClientTlsOptions', () => {
  it.each<[JsonObject]>([
    [{}],
    [{ keyManager, trustManager }],
    [
      {
        keyManager: [keyManager],
        trustManager: [trustManager, { type: 'SecretsTrustManager', config: trustManager.config }],
      },
    ],
    [{ sslEnabledProtocols: ['TLSv1.2', 'TLSv1.3'], sslContextAlgorithm: 'TLS', hostnameVerifier: 'strict' }],
    [
      {
        sslCipherSuites: [
          'TLS_AES_128_GCM_SHA256',
          'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
          'TLS_EMPTY_RENEGOTIATION_INFO_SCSV',
        ],
      },
    ],
    [{ alpn: { enabled: false } }],
    [{ alpn: {} }],
  ])('%j is valid', (config) => {
    expect(problemsOf('ClientTlsOptions', config)).toEqual([]);
  });

  it.each<[JsonObject, string[]]>([
    [
      { sslEnabledProtocols: ['TLSv1.4'] },
      ["sslEnabledProtocols[0]: must be one of TLSv1.2, TLSv1.3, not 'TLSv1.4' (did you mean 'TLSv1.2'?)"],
    ],
    [
      { sslEnabledProtocols: ['TLSv1.1', 'SSLv3'] },
      [
        "sslEnabledProtocols[0]: must not be 'TLSv1.1', which is not secure any more: use TLSv1.2 or TLSv1.3",
        "sslEnabledProtocols[1]: must not be 'SSLv3', which is not secure any more: use TLSv1.2 or TLSv1.3",
      ],
    ],
    [{ sslEnabledProtocols: [] }, [expect.stringMatching(/^sslEnabledProtocols: /)]],
    [
      { sslContextAlgorithm: 'TLS1.2' },
      [expect.stringMatching(/^sslContextAlgorithm: .*\(did you mean 'TLSv1\.2'\?\)$/)],
    ],
    [
      { sslCipherSuites: ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA265'] },
      [expect.stringMatching(/did you mean 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256'\?/)],
    ],
    [
      { sslCipherSuites: ['ECDHE-RSA-AES128-GCM-SHA256'] },
      [expect.stringMatching(/named as in Java \(did you mean 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256'\?\)/)],
    ],
    [
      { sslCipherSuites: ['SSL_RSA_WITH_3DES_EDE_CBC_SHA'] },
      ["sslCipherSuites[0]: the cipher suite 'SSL_RSA_WITH_3DES_EDE_CBC_SHA' is not supported: it is not secure"],
    ],
    [
      { sslCipherSuites: ['TLS_AES_128_GCM_SHA256'], sslEnabledProtocols: ['TLSv1.2'] },
      ['sslCipherSuites: none of these cipher suites belongs to an allowed version of TLS'],
    ],
    [{ hostnameVerifier: 'ALLOW_ALL' }, [expect.stringMatching(/^\(warning\) hostnameVerifier: is for tests: /)]],
    [{ hostnameVerifier: 'LAX' }, ["hostnameVerifier: must be one of STRICT, ALLOW_ALL, not 'LAX'"]],
    [{ alpn: true }, [expect.stringMatching(/^alpn: /)]],
    [{ keyManager: trustManager }, [expect.stringMatching(/^keyManager: must be a KeyManager/)]],
    [{ trustManager: ['nobody'] }, [expect.stringMatching(/^trustManager\[0\]: .*nobody/)]],
    [{ offloadHandshake: true }, [expect.stringMatching(/^\(warning\) offloadHandshake: has no effect/)]],
    [{ ciphers: 'x' }, [expect.stringMatching(/^ciphers: /)]],
  ])('with %j is reported', (config, problems) => {
    expect(problemsOf('ClientTlsOptions', config)).toEqual(problems);
  });
});

describe('TlsOptions', () => {
  it('works under its former name, with a warning', () => {
    expect(problemsOf('TlsOptions', { sslEnabledProtocols: ['TLSv1.3'] })).toEqual([
      "(warning) : TlsOptions is deprecated: use 'ClientTlsOptions'",
    ]);
    expect(problemsOf('TlsOptions', { hostnameVerifier: 'LAX' })).toEqual([
      expect.stringMatching(/^hostnameVerifier: /),
    ]);
  });
});

describe('ServerTlsOptions', () => {
  const sni = { serverNames: { 'a.test': 'a', '*.b.test': 'b' }, defaultSecretId: 'a', secretsProvider: store };

  it.each<[JsonObject]>([
    [{ keyManager }],
    [{ sni }],
    [{ keyManager, clientAuth: 'REQUIRED', trustManager }],
    [{ keyManager, clientAuth: 'request', trustManager: [trustManager], alpn: { enabled: false } }],
  ])('%j is valid', (config) => {
    expect(problemsOf('ServerTlsOptions', config)).toEqual([]);
  });

  it.each<[JsonObject, unknown[]]>([
    [{}, [": one of 'keyManager' and 'sni' is required"]],
    [{ keyManager, clientAuth: 'REQUIRED' }, ["trustManager: is required: 'clientAuth' is REQUIRED"]],
    [{ keyManager, trustManager }, ["(warning) trustManager: has no effect: 'clientAuth' is NONE"]],
    [{ keyManager, sni }, ["(warning) keyManager: has no effect: 'sni' wins over it"]],
    [
      { sni: { ...sni, serverNames: { 'a.*.test': 'a' } } },
      [expect.stringMatching(/^sni\.serverNames.*must be the name of a host/)],
    ],
    [{ sni: { serverNames: {}, secretsProvider: store } }, ['sni.defaultSecretId: is required']],
    [
      { keyManager, clientAuth: 'MAYBE' },
      [expect.stringMatching(/^clientAuth: must be one of NONE, REQUEST, REQUIRED/)],
    ],
  ])('with %j is reported', (config, problems) => {
    expect(problemsOf('ServerTlsOptions', config)).toEqual(problems);
  });
});

describe('TLS fields of a handler', () => {
  it.each<[JsonObject, unknown[]]>([
    [{ tls: { type: 'ClientTlsOptions' } }, []],
    [{ tls: { type: 'TlsOptions' } }, [expect.stringMatching(/TlsOptions is deprecated/)]],
    [
      { hostnameVerifier: 'ALLOW_ALL' },
      [
        expect.stringMatching(/^\(warning\) hostnameVerifier: is deprecated/),
        expect.stringMatching(/^\(warning\) hostnameVerifier: is for tests: /),
      ],
    ],
    [
      {
        keyManager,
        trustManager,
        sslEnabledProtocols: ['TLSv1.2'],
        sslContextAlgorithm: 'TLS',
        sslCipherSuites: ['TLS_AES_128_GCM_SHA256'],
      },
      expect.arrayContaining([
        expect.stringMatching(/^\(warning\) keyManager: is deprecated/),
        expect.stringMatching(/^\(warning\) trustManager: is deprecated/),
      ]),
    ],
    [
      { tls: { type: 'ClientTlsOptions' }, sslEnabledProtocols: ['TLSv1.2'] },
      expect.arrayContaining(["(warning) sslEnabledProtocols: has no effect: 'tls' wins over it"]),
    ],
    [
      { websocket: { tls: { type: 'ClientTlsOptions' }, sslEnabledProtocols: ['TLSv1.2'] } },
      expect.arrayContaining(["(warning) websocket.sslEnabledProtocols: has no effect: 'tls' wins over it"]),
    ],
    [
      { sslCipherSuites: ['nonsense'] },
      expect.arrayContaining([expect.stringMatching(/^sslCipherSuites\[0\]: there is no/)]),
    ],
    [{ tls: keyManager }, [expect.stringMatching(/^tls: must be a ClientTlsOptions/)]],
  ])('with %j are reported', (config, problems) => {
    expect(problemsOf('ReverseProxyHandler', config)).toEqual(problems);
    expect(problemsOf('ClientHandler', config)).toEqual(problems);
  });
});
